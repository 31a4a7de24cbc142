"""Settings: values to set in a scenario, its objects, or its scheduler's configuration."""

import re
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

import msgspec

from podium.api.errors import PodiumError
from podium.api.kinds.builtin_kinds import KINDS
from podium.api.objects import DEFAULT_NAMESPACE, metadata_of
from podium.api.values.message_words import count
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
"""A field and its value, by which an entry of a list is selected."""

Step = str | int | Entry


class SettingError(PodiumError):
    """The path of a setting doesn't exist in a scenario."""


class SettingPlace(msgspec.Struct, frozen=True):
    """The location of a value that a setting changes."""

    where: str
    """`Scenario`; `KubeSchedulerConfiguration` or `SchedulerOptions` of the scenario's first
    scheduler; or objects of its manifests, `KIND/NAME` or `NAMESPACE/KIND/NAME`, with `*` for all
    names."""
    path: str


def steps_of(path: str) -> tuple[Step, ...]:
    """Split a path into fields, indices and list entries; empty if it isn't valid.

    `spec.containers[name=web].resources` selects the list entry with that name. A field with dots
    in its name is written `metadata.annotations["podium.dev/run-duration"]`.
    """
    steps: list[Step] = []
    at = 0
    while match := _STEP.match(path, at):
        if match["index"] is not None:
            steps.append(int(match["index"]))
        elif match["key"] is not None:
            steps.append((match["key"], match["value"]))
        else:
            steps.append(match["field"] or match["quoted"])
        at = match.end()
    return tuple(steps) if at == len(path) else ()


def with_settings(whole: WholeScenario, values: Mapping[SettingPlace, Any]) -> WholeScenario:
    """Return a copy with settings, and with fields that their paths lack; raises SettingError."""
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
        return
    if where in _CONFIGURATIONS:
        documents = whole.scheduler_documents()
        configured = [document for document in documents if document.get("kind") == where]
        if not configured:
            configured = [{"apiVersion": _CONFIGURATIONS[where], "kind": where}]
            documents += configured
        yield from configured
        return
    *namespaces, wanted, name = where.split("/")
    for obj in whole.objects():
        kind, metadata = KINDS.get(str(obj.get("kind"))), metadata_of(obj)
        words = {str(obj.get("kind")).lower()}
        if kind is not None:
            words |= {kind.singular, kind.plural, *kind.short_names}
        if wanted.lower() not in words or name not in ("*", metadata.get("name")):
            continue
        namespace = metadata.get("namespace") or DEFAULT_NAMESPACE
        is_namespaced = kind is None or kind.namespaced
        if not is_namespaced or not namespaces or namespace == namespaces[0]:
            yield obj


def _set(target: Any, place: SettingPlace, value: Any, file: str) -> None:
    steps = steps_of(place.path)
    seen = ""

    def refuse(why: str) -> SettingError:
        at = seen.lstrip(".") or "the beginning"
        return SettingError(f"{file}: {place.where} {place.path}: at {at} {why}")

    for step, following in pairwise((*steps, None)):
        assert step is not None
        if isinstance(step, str):
            if not isinstance(target, dict):
                raise refuse("there are no fields")
            at: str | int = step
            if following is not None and target.get(at) is None:
                target[at] = {} if isinstance(following, str) else []
        else:
            if not isinstance(target, list):
                raise refuse("there is no list")
            if isinstance(step, tuple):
                key, wanted = step
                matches = (
                    index
                    for index, entry in enumerate(target)
                    if isinstance(entry, dict) and str(entry.get(key)) == wanted
                )
                at = next(matches, len(target))
            else:
                key, wanted, at = "", "", step
            if at > len(target):
                raise refuse(f"there is no [{at}]: it has {count(len(target), 'entry', 'entries')}")
            if at == len(target):
                target.append({key: wanted} if key else {})
        if following is None:
            target[at] = value
        else:
            target = target[at]
            seen += f".{step}" if isinstance(step, str) else f"[{step}]"
