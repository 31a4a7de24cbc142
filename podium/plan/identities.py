"""How a plan tells objects apart, and names them."""

from collections.abc import Iterable

from podium.api.kinds import OPTIONAL_KINDS
from podium.api.objects import Object, metadata_of, name, namespace
from podium.manifests.decisive_kinds import decisive_kind_of

Identity = tuple[str, str, str]
"""Key of the kind, namespace (empty for what stands in none) and name."""


def identity(obj: Object) -> Identity:
    """What no two objects share.

    Raises:
        ValueError: decisions don't depend on objects of this kind.
    """
    kind = decisive_kind_of(obj)
    if kind is None:
        raise ValueError(f"decisions don't depend on objects of the kind {obj.get('kind')}")
    return kind.key, namespace(obj) if kind.namespaced else "", name(obj)


def decisive(objects: Iterable[Object]) -> dict[Identity, Object]:
    """Objects of the kinds that decisions depend on; of two of one identity the last."""
    return {identity(obj): obj for obj in objects if decisive_kind_of(obj) is not None}


def label(found: Identity) -> str:
    """`Kind namespace/name`, or `Kind name`, for texts."""
    kind, place, called = found
    kind = OPTIONAL_KINDS[kind].name if kind in OPTIONAL_KINDS else kind
    return f"{kind} {place}/{called}" if place else f"{kind} {called}"


def was_in_a_cluster(obj: Object) -> bool:
    """Whether the object comes from an API server, rather than from somebody's hand."""
    return bool(metadata_of(obj).get("uid"))
