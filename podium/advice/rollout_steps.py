"""The steps by which priority classes are introduced, and the priorities that come of them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from podium.api.errors import PodiumError
from podium.api.objects import Object, annotations, labels, name, namespace, part, spec_of
from podium.api.priority import SYSTEM_PRIORITY_CLASSES
from podium.api.well_known import LAST_APPLIED
from podium.manifests.decisive_kinds import Identity, decisive, label
from podium.plan.targets import WORKLOADS, parse_workload

_CLASS = "PriorityClass"
_TEMPLATED = tuple(sorted(WORKLOADS))


class RolloutStepError(PodiumError):
    """What is to be rolled out can't be understood."""


@dataclass(frozen=True, slots=True)
class RolloutStep:
    """What is applied at once, and waited for.

    Attributes:
        name: what it is, in words.
        manifests: what is applied.
    """

    name: str
    manifests: tuple[Object, ...]


@dataclass(frozen=True, slots=True)
class Introduction:
    """Classes, and the workloads that get them.

    Attributes:
        preparation: what alters no pod, such as classes that aren't the default; it comes first.
        steps: those whose order matters, as they were given.
        priorities: in the end.
    """

    preparation: tuple[Object, ...]
    steps: tuple[RolloutStep, ...]
    priorities: "FinalPriorities"


class FinalPriorities:
    """What priority the pods of each workload have once everything is introduced."""

    def __init__(self, objects: Iterable[Object]) -> None:
        found = decisive(objects)
        classes = [one for (kind, _, _), one in found.items() if kind == _CLASS]
        self._values: dict[str, int] = dict(SYSTEM_PRIORITY_CLASSES)
        self._values |= {name(one): int(one.get("value") or 0) for one in classes}
        defaults = [self._values[name(one)] for one in classes if one.get("globalDefault")]
        # Of several defaults the API server takes the lowest.
        self._default = min(defaults, default=0)
        self._specs = {label(one): _pod_spec(obj) for one, obj in found.items()}

    def value(self, class_name: str) -> int | None:
        """The priority of a class; None if there is no such class."""
        return self._values.get(class_name)

    def of(self, workload: str, now: int) -> int:
        """The final priority of the pods of a workload.

        Args:
            workload: `Kind namespace/name`.
            now: the priority of the pod that is asked about, which a bare pod keeps.
        """
        spec = self._specs.get(workload)
        if spec is None:
            return now
        named = spec.get("priorityClassName")
        return self._default if not named else self._values.get(named, now)


def introduction(state: Iterable[Object], manifests: Iterable[Object]) -> Introduction:
    """The steps that manifests amount to.

    Args:
        state: the cluster's objects.
        manifests: classes, workloads with their `priorityClassName`, and what else they need.

    Raises:
        RolloutStepError: there is nothing whose order matters.
    """
    found = decisive(manifests)
    steps = {one: obj for one, obj in found.items() if _is_step(one, obj)}
    if not steps:
        raise RolloutStepError("there is no workload, nor a default class, to be rolled out")
    priorities = FinalPriorities([*state, *found.values()])
    return Introduction(
        tuple(obj for one, obj in found.items() if one not in steps),
        tuple(RolloutStep(_named(one, obj, priorities), (obj,)) for one, obj in steps.items()),
        priorities,
    )


def assigned(text: str, place: str, state: Mapping[Identity, Object]) -> Object:
    """A workload of the state, as a manifest that gives it a class.

    Args:
        text: `KIND/NAME=CLASS`.
        place: the namespace of what doesn't say.
        state: by identity.

    Raises:
        RolloutStepError: it can't be understood, or there is no such workload.
    """
    what, equals, class_name = text.rpartition("=")
    target = parse_workload(what, place)
    if not equals or not class_name or target is None:
        raise RolloutStepError(
            f"--assign {text}: expected KIND/NAME=CLASS, such as deploy/web=high"
        )
    found = state.get((target.kind, target.namespace, target.name))
    if found is None:
        raise RolloutStepError(f"--assign {text}: the state has no {target}")
    return _with_class(found, class_name)


def _with_class(workload: Object, class_name: str) -> Object:
    marks = {key: value for key, value in annotations(workload).items() if key != LAST_APPLIED}
    metadata = {"name": name(workload), "namespace": namespace(workload)}
    fields = {"labels": dict(labels(workload)), "annotations": marks}
    spec: dict[str, Any] = {**spec_of(workload)}
    if workload["kind"] == "CronJob":
        job = spec["jobTemplate"]
        inner = {**spec_of(job), "template": _classed(spec_of(job)["template"], class_name)}
        spec["jobTemplate"] = {**job, "spec": inner}
    else:
        spec["template"] = _classed(spec["template"], class_name)
    return {
        "apiVersion": workload["apiVersion"],
        "kind": workload["kind"],
        "metadata": {**metadata, **{key: value for key, value in fields.items() if value}},
        "spec": spec,
    }


def _classed(template: Object, class_name: str) -> Object:
    # Both are filled in from the class.
    kept = {
        field: value
        for field, value in spec_of(template).items()
        if field not in ("priority", "preemptionPolicy")
    }
    return {**template, "spec": {**kept, "priorityClassName": class_name}}


def _is_step(one: Identity, obj: Object) -> bool:
    return one[0] in (*_TEMPLATED, "Pod") or (one[0] == _CLASS and bool(obj.get("globalDefault")))


def _named(one: Identity, obj: Object, priorities: FinalPriorities) -> str:
    if one[0] == _CLASS:
        return f"{label(one)} ({obj.get('value')}) becomes the default"
    class_name = (_pod_spec(obj) or {}).get("priorityClassName") or ""
    final = priorities.of(label(one), 0)
    return f"{label(one)} gets {class_name or 'no class'} ({final})"


def _pod_spec(obj: Object) -> Object | None:
    """The spec of the pods that an object makes; None if it makes none."""
    kind, spec = obj["kind"], spec_of(obj)
    if kind == "CronJob":
        spec = spec_of(part(spec, "jobTemplate"))
    elif kind not in _TEMPLATED:
        return None
    return spec_of(part(spec, "template"))
