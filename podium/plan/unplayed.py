"""Objects that would have pods, and that nobody plays."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from podium.api.kinds import kind_of
from podium.api.objects import Object, metadata_of, spec_of
from podium.documents.report import Report
from podium.manifests.decisive_kinds import DECISIVE_KINDS

_PATHS = (("template",), ("jobTemplate", "spec", "template"), ("workload", "spec", "template"))


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
        if not is_played and any(_has_containers(spec_of(obj), path) for path in _PATHS):
            metadata = metadata_of(obj)
            name = f"{metadata.get('namespace') or 'default'}/{metadata.get('name')}"
            reason = f"its pods aren't in the plan: no {obj.get('kind')} controller is played"
            yield Unplayed(f"{obj.get('kind')} {name}", reason)


def _has_containers(spec: Object, path: Iterable[str]) -> bool:
    found: object = spec
    for step in (*path, "spec", "containers"):
        found = found.get(step) if isinstance(found, Mapping) else None
    return bool(found)
