"""Finds objects that would make pods in a cluster, and whose controllers Podium lacks."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from podium.api.count_words import listed
from podium.api.kinds import kind_of
from podium.api.objects import Object, controller_of, metadata_of, namespace, spec_of
from podium.documents.report import Report
from podium.manifests.decisive_kinds import DECISIVE_KINDS

_OWNED = ("Pod", "ReplicaSet", "Job")
# Nodes own the mirrors of their static pods, and nobody recreates these through the API.
_PLAYED = frozenset({*DECISIVE_KINDS, "Node"})
_SHOWN_MAX = 3


@dataclass(frozen=True, slots=True)
class Unplayed(Report):
    """An object with a pod template whose controller Podium doesn't play in a plan.

    Attributes:
        object: `Kind namespace/name`.
        reason: what is missing from the plan because of it.
    """

    object: str
    reason: str


def unplayed(objects: Iterable[Object]) -> Iterator[Unplayed]:
    """Those among objects of all kinds, in order."""
    for obj in objects:
        kind = kind_of(obj)
        is_played = kind is not None and kind.name in DECISIVE_KINDS
        if not is_played and _has_pod_template(spec_of(obj)):
            metadata = metadata_of(obj)
            name = f"{metadata.get('namespace') or 'default'}/{metadata.get('name')}"
            reason = f"its pods aren't in the plan: no {obj.get('kind')} controller is played"
            yield Unplayed(f"{obj.get('kind')} {name}", reason)


def unplayed_owners(state: Iterable[Object]) -> Iterator[str]:
    """A warning for each kind of owners that pods of a state have and nobody plays."""
    owners: dict[str, dict[str, None]] = defaultdict(dict)
    for obj in state:
        owner = controller_of(obj) if obj.get("kind") in _OWNED else None
        if owner is not None and owner.get("kind") not in _PLAYED:
            owners[str(owner.get("kind"))][f"{namespace(obj)}/{owner.get('name')}"] = None
    for kind, found in sorted(owners.items()):
        names = listed([*found], _SHOWN_MAX)
        yield f"no {kind} controller is played, and pods belong to one: {names}"


def _has_pod_template(value: object) -> bool:
    """Whether there is the spec of a pod anywhere, as in most kinds that make pods."""
    if isinstance(value, Mapping):
        spec = value.get("spec")
        if isinstance(spec, Mapping) and spec.get("containers"):
            return True
        return any(map(_has_pod_template, value.values()))
    return isinstance(value, list | tuple) and any(map(_has_pod_template, value))
