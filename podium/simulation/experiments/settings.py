"""Settings: places in a scenario, its objects and its scheduler's configuration, given values."""

import re
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

import msgspec

from podium.api.errors import PodiumError
from podium.api.kinds.builtin_kinds import KINDS
from podium.api.objects import DEFAULT_NAMESPACE, metadata_of
from podium.scheduler.config.scheduler_options import OPTIONS_API_VERSION, OPTIONS_KIND
from podium.simulation.experiments.whole_scenario import Value, WholeScenario

SCENARIO = "Scenario"
_CONFIGURATIONS = {
    "KubeSchedulerConfiguration": "kubescheduler.config.k8s.io/v1",
    OPTIONS_KIND: OPTIONS_API_VERSION,
}
_STEP = re.compile(
    r"""(?:^|\.)(?P<field>[^.\[\]]+) | \[(?P<index>\d+)\]
    | \["(?P<quoted>[^"]+)"\] | \[(?P<key>\w+)=(?P<value>[^\]]+)\]""",
    re.VERBOSE,
)

Entry = tuple[str, str]
"""The entry of a list that has this field with this value."""

Step = str | int | Entry


class SettingError(PodiumError):
    """A setting that leads nowhere in a scenario."""


class SettingPlace(msgspec.Struct, frozen=True):
    """The place of a setting's value.

    Attributes:
        where: `Scenario`, `KubeSchedulerConfiguration` or `SchedulerOptions` of its first
            scheduler, or objects of its manifests: `KIND/NAME`, `NAMESPACE/KIND/NAME`; a `*` for a
            name stands for all of the kind.
    """

    where: str
    path: str


def steps_of(path: str) -> tuple[Step, ...]:
    """The steps of a path: fields, indices, and entries by a field; empty if it isn't a path.

    `spec.containers[name=web].resources` goes to the entry of that name. A field whose name has
    dots is written `metadata.annotations["podium.dev/run-duration"]`.
    """
    found: list[Step] = []
    at = 0
    while match := _STEP.match(path, at):
        parts = match.groupdict()
        if parts["index"] is not None:
            found.append(int(parts["index"]))
        elif parts["key"] is not None:
            found.append((parts["key"], parts["value"]))
        else:
            found.append(parts["field"] or parts["quoted"])
        at = match.end()
    return tuple(found) if at == len(path) else ()


def with_settings(whole: WholeScenario, values: Mapping[SettingPlace, Any]) -> WholeScenario:
    """The scenario with these values, also in fields that it lacks; raises SettingError."""
    changed = whole.copy()
    for place, value in values.items():
        targets = list(_targets(changed, place.where))
        if not targets:
            raise SettingError(f"{whole.file}: there is no {place.where} in it or its manifests")
        for target in targets:
            _set(target, place, value, whole.file)
    return changed


def _targets(whole: WholeScenario, where: str) -> Iterator[Value]:
    if where == SCENARIO:
        yield whole.value
    elif where in _CONFIGURATIONS:
        documents = whole.scheduler_documents()
        known = [one for one in documents if one.get("kind") == where]
        if not known:
            known = [{"apiVersion": _CONFIGURATIONS[where], "kind": where}]
            documents += known
        yield from known
    else:
        yield from (obj for obj in whole.objects() if _is_meant(obj, where))


def _is_meant(obj: Value, where: str) -> bool:
    *namespaces, kind, name = where.split("/")
    found = KINDS.get(str(obj.get("kind")))
    words = {str(obj.get("kind")).lower()}
    if found is not None:
        words |= {found.singular, found.plural, *found.short_names}
    metadata = metadata_of(obj)
    if kind.lower() not in words or name not in ("*", metadata.get("name")):
        return False
    is_namespaced = found is None or found.namespaced
    given = metadata.get("namespace") or DEFAULT_NAMESPACE
    return not is_namespaced or not namespaces or given == namespaces[0]


def _set(target: Any, place: SettingPlace, value: Any, file: str) -> None:
    """Put a value into its place; fields and entries on the way are made if they aren't there."""
    *within, last = steps_of(place.path)
    seen = ""
    for step, following in pairwise((*within, last)):
        where = _Where(file, place, seen)
        if isinstance(step, str):
            fields = _fields(target, where)
            if fields.get(step) is None:
                fields[step] = {} if isinstance(following, str) else []
            target = fields[step]
        else:
            entries = _entries(target, where)
            target = entries[_index(entries, step, where)]
        seen += f".{step}" if isinstance(step, str) else f"[{step}]"
    where = _Where(file, place, seen)
    if isinstance(last, str):
        _fields(target, where)[last] = value
    else:
        entries = _entries(target, where)
        entries[_index(entries, last, where)] = value


class _Where(msgspec.Struct, frozen=True):
    file: str
    place: SettingPlace
    seen: str

    def error(self, why: str) -> SettingError:
        at = self.seen.lstrip(".") or "the beginning"
        return SettingError(f"{self.file}: {self.place.where} {self.place.path}: at {at} {why}")


def _index(entries: list[Any], step: Step, where: _Where) -> int:
    """Which entry is meant; the next one, or one of a name that isn't there, is made."""
    if isinstance(step, tuple):
        key, value = step
        for index, entry in enumerate(entries):
            if isinstance(entry, dict) and str(entry.get(key)) == value:
                return index
        entries.append({key: value})
        return len(entries) - 1
    index = int(step)
    if index > len(entries):
        raise where.error(f"there is no [{index}]: it has {len(entries)} entries")
    if index == len(entries):
        entries.append({})
    return index


def _fields(target: Any, where: _Where) -> dict[str, Any]:
    if not isinstance(target, dict):
        raise where.error("there are no fields")
    return target


def _entries(target: Any, where: _Where) -> list[Any]:
    if not isinstance(target, list):
        raise where.error("there is no list")
    return target
