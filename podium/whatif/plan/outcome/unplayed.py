"""Finds objects that would make pods in a cluster, but make none in a plan."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from podium.api.documents.report import Report
from podium.api.kinds.builtin_kinds import kind_of
from podium.api.kinds.decisive_kinds import DECISIVE_KINDS
from podium.api.objects import Object, controller_of, key, metadata_of, namespace, spec_of
from podium.api.values.counts import listed
from podium.api.workloads import foreign_controller

_OWNED = ("Pod", "ReplicaSet", "Job")
# Nodes own the mirrors of their static pods, and nobody recreates these through the API.
_PLAYED = frozenset({*DECISIVE_KINDS, "Node"})
_SHOWN_MAX = 3


@dataclass(frozen=True, slots=True)
class Unplayed(Report):
    """An object whose pods a controller makes that Podium doesn't play in a plan.

    Attributes:
        object: `Kind namespace/name`.
        reason: what is missing from the plan because of it.
    """

    object: str
    reason: str


def unplayed(objects: Iterable[Object]) -> Iterator[Unplayed]:
    """The objects whose controllers Podium lacks, of objects of all kinds, in order."""
    for obj in objects:
        kind = kind_of(obj)
        is_played = kind is not None and kind.name in DECISIVE_KINDS
        if not is_played and _has_pod_template(spec_of(obj)):
            lacking = f"no {obj.get('kind')} controller is played"
        elif _is_job(obj) and (controller := foreign_controller(obj)):
            lacking = f"{controller}, which spec.managedBy names, makes them and isn't played"
        else:
            continue
        yield Unplayed(_label(obj), f"its pods aren't in the plan: {lacking}")


def suspended_jobs(objects: Iterable[Object]) -> Iterator[str]:
    """A sentence about each Job that makes no pods because it is suspended."""
    for obj in objects:
        if _is_job(obj) and spec_of(obj).get("suspend") and not foreign_controller(obj):
            yield f"{_label(obj)} is suspended: it makes no pods until spec.suspend is false"


def unplayed_owners(state: Iterable[Object]) -> Iterator[str]:
    """A warning for each kind of owners that pods of a state have and nobody plays."""
    owners: dict[str, dict[str, None]] = defaultdict(dict)
    managed: dict[str, dict[str, None]] = defaultdict(dict)
    for obj in state:
        owner = controller_of(obj) if obj.get("kind") in _OWNED else None
        if owner is not None and owner.get("kind") not in _PLAYED:
            owners[str(owner.get("kind"))][f"{namespace(obj)}/{owner.get('name')}"] = None
        if obj.get("kind") == "Job" and (controller := foreign_controller(obj)):
            managed[controller][key(obj)] = None
    for kind, found in sorted(owners.items()):
        names = listed([*found], _SHOWN_MAX)
        yield f"no {kind} controller is played, and pods belong to one: {names}"
    for controller, found in sorted(managed.items()):
        names = listed([*found], _SHOWN_MAX)
        yield f"{controller} isn't played, and makes the pods of Jobs (spec.managedBy): {names}"


def _is_job(obj: Object) -> bool:
    kind = kind_of(obj)
    return kind is not None and kind.name == "Job"


def _label(obj: Object) -> str:
    metadata = metadata_of(obj)
    place = metadata.get("namespace") or "default"
    return f"{obj.get('kind')} {place}/{metadata.get('name')}"


def _has_pod_template(value: object) -> bool:
    """Whether there is the spec of a pod anywhere, as in most kinds that make pods."""
    if isinstance(value, Mapping):
        spec = value.get("spec")
        if isinstance(spec, Mapping) and spec.get("containers"):
            return True
        return any(map(_has_pod_template, value.values()))
    return isinstance(value, list | tuple) and any(map(_has_pod_template, value))
