"""Settings: places in a scenario, its objects and its scheduler's configuration, given values."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from podium.api.errors import PodiumError
from podium.api.kinds import KINDS
from podium.api.objects import DEFAULT_NAMESPACE
from podium.config.scheduler_options import OPTIONS_API_VERSION, OPTIONS_KIND
from podium.experiments.whole_scenario import Value, WholeScenario

SCENARIO = "Scenario"
_CONFIGURATIONS = {
    "KubeSchedulerConfiguration": "kubescheduler.config.k8s.io/v1",
    OPTIONS_KIND: OPTIONS_API_VERSION,
}
_STEP = re.compile(r"(?:^|\.)([^.\[\]]+)|\[(\d+)\]|\[\"([^\"]+)\"\]")


class SettingError(PodiumError):
    """A setting that leads nowhere in a scenario."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a setting's value goes.

    Attributes:
        where: `Scenario`, `KubeSchedulerConfiguration` or `SchedulerOptions` of its first
            scheduler, or objects of its manifests: `KIND/NAME`, `NAMESPACE/KIND/NAME`; a `*` for a
            name stands for all of the kind.
        path: within it, such as `spec.nodes[0].count`.
    """

    where: str
    path: str


def steps_of(path: str) -> tuple[str | int, ...]:
    """The steps of a path: names of fields and indices; empty if it isn't a path.

    A field whose name has dots is written `metadata.annotations["podium.dev/run-duration"]`.
    """
    found: list[str | int] = []
    at = 0
    while match := _STEP.match(path, at):
        found.append(match[1] or match[3] if match[2] is None else int(match[2]))
        at = match.end()
    return tuple(found) if at == len(path) else ()


def with_settings(whole: WholeScenario, values: Mapping[Place, Any]) -> WholeScenario:
    """The scenario with these values in their places.

    Raises:
        SettingError: there is no such place; a field that isn't there yet is one.
    """
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
    metadata = obj.get("metadata") or {}
    if kind.lower() not in words or name not in ("*", metadata.get("name")):
        return False
    is_namespaced = found is None or found.namespaced
    given = metadata.get("namespace") or DEFAULT_NAMESPACE
    return not is_namespaced or not namespaces or given == namespaces[0]


def _set(target: Any, place: Place, value: Any, file: str) -> None:
    *within, last = steps_of(place.path)
    seen = ""
    for number, step in enumerate(within):
        following = within[number + 1] if number + 1 < len(within) else last
        _check(target, step, place, seen, file)
        if isinstance(step, str) and target.get(step) is None and isinstance(following, str):
            target[step] = {}
        target = target[step] if isinstance(step, int) else target.get(step)
        seen += f"[{step}]" if isinstance(step, int) else f".{step}"
    _check(target, last, place, seen, file)
    target[last] = value


def _check(target: Any, step: str | int, place: Place, seen: str, file: str) -> None:
    """Whether a step can be taken from here."""
    if isinstance(step, int):
        count = len(target) if isinstance(target, list) else 0
        if step >= count:
            why = f"there is no [{step}]: it has {count} entries"
            raise SettingError(f"{file}: {place.where} {place.path}: at {seen or '.'} {why}")
    elif not isinstance(target, dict):
        why = f"there are no fields, so no {step}"
        raise SettingError(f"{file}: {place.where} {place.path}: at {seen or '.'} {why}")
