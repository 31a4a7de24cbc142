"""The steps by which priority classes are introduced, and the priorities that come of them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from podium.api.errors import PodiumError
from podium.api.kinds.snapshot_kinds import Identity, decisive, label
from podium.api.objects import Object, annotations, labels, name, namespace, part, spec_of
from podium.api.priority import NEVER, SYSTEM_PRIORITY_CLASSES, class_value
from podium.api.well_known import LAST_APPLIED
from podium.whatif.plan.changes import (
    WORKLOADS,
    Apply,
    Change,
    ChangeTarget,
    Delete,
    parse_workload,
)

_CLASS = "PriorityClass"
_TEMPLATED = tuple(sorted(WORKLOADS))


class RolloutStepError(PodiumError):
    """What is to be rolled out can't be understood."""


@dataclass(frozen=True, slots=True)
class RolloutStep:
    """What is applied at once, and waited for, once what can't be changed is deleted."""

    name: str
    manifests: tuple[Object, ...]
    deleted: tuple[Identity, ...] = ()

    @property
    def changes(self) -> tuple[Change, ...]:
        """The changes that it consists of."""
        deletions = (Delete(ChangeTarget(*one)) for one in self.deleted)
        return (*deletions, Apply(self.manifests))

    @property
    def alters_new_pods(self) -> bool:
        """Whether new pods of unchanged workloads get another priority from it on."""
        return any(manifest["kind"] == _CLASS for manifest in self.manifests)


@dataclass(frozen=True, slots=True)
class Introduction:
    """Classes, and the workloads that get them.

    Attributes:
        preparation: what alters no pod, such as classes that aren't the default, or aren't yet; it
            comes first.
        steps: those whose order matters, as they were given.
        priorities: in the end.
    """

    preparation: tuple[Object, ...]
    steps: tuple[RolloutStep, ...]
    priorities: "FinalPriorities"


class FinalPriorities:
    """What priority the pods of each workload have once everything is introduced.

    Attributes:
        values: the priority of each class, by its name.
    """

    def __init__(self, objects: Iterable[Object]) -> None:
        found = decisive(objects)
        classes = [one for (kind, _, _), one in found.items() if kind == _CLASS]
        self.values: dict[str, int] = dict(SYSTEM_PRIORITY_CLASSES)
        self.values |= {name(one): class_value(one) for one in classes}
        defaults = [self.values[name(one)] for one in classes if one.get("globalDefault")]
        # Of several defaults the API server takes the lowest.
        self._default = min(defaults, default=0)
        self._specs = {label(one): _pod_spec(obj) for one, obj in found.items()}

    def of(self, workload: str, now: int) -> int:
        """The final priority of a pod of a workload, `Kind namespace/name`, with priority `now`.

        A pod without a controller counts as what it would get if it were created again.
        """
        spec = self._specs.get(workload)
        if spec is None:
            return now
        named = spec.get("priorityClassName")
        return self._default if not named else self.values.get(named, now)


def introduction(state: Iterable[Object], manifests: Iterable[Object]) -> Introduction:
    """The steps that classes, workloads and what else they need amount to.

    Raises:
        RolloutStepError: there is nothing whose order matters.
    """
    found, there = decisive(manifests), decisive(state)
    priorities = FinalPriorities([*there.values(), *found.values()])
    every = {one: _step_of(one, obj, there.get(one), priorities) for one, obj in found.items()}
    steps = {one: step for one, step in every.items() if step is not None}
    if not steps:
        raise RolloutStepError("there is no workload, nor a default class, to be rolled out")
    # So that workloads can name a class before it becomes the default.
    new_classes = (found[one] for one in steps if one[0] == _CLASS and one not in there)
    return Introduction(
        (
            *(obj for one, obj in found.items() if one not in steps),
            *({**obj, "globalDefault": False} for obj in new_classes),
        ),
        tuple(steps.values()),
        priorities,
    )


def never_preempting(introduction: Introduction) -> Introduction:
    """The introduction with `preemptionPolicy: Never` on the classes that become the default."""
    defaults = {
        name(one)
        for step in introduction.steps
        for one in step.manifests
        if one["kind"] == _CLASS and one.get("globalDefault")
    }

    def changed(manifests: tuple[Object, ...]) -> tuple[Object, ...]:
        return tuple(
            {**one, "preemptionPolicy": NEVER}
            if one["kind"] == _CLASS and name(one) in defaults
            else one
            for one in manifests
        )

    return replace(
        introduction,
        preparation=changed(introduction.preparation),
        steps=tuple(
            replace(step, manifests=changed(step.manifests)) for step in introduction.steps
        ),
    )


def assigned(text: str, place: str, state: Mapping[Identity, Object]) -> Object:
    """A workload of the state that `KIND/NAME=CLASS` gives a class, as a manifest.

    Raises:
        RolloutStepError: the text can't be understood, or there is no such workload.
    """
    what, equals, class_name = text.rpartition("=")
    target = parse_workload(what, place)
    if not equals or not class_name or target is None:
        raise RolloutStepError(
            f"--assign {text}: expected KIND/NAME=CLASS, such as deploy/web=high"
        )
    found = state.get(target)
    if found is None:
        raise RolloutStepError(f"--assign {text}: the state has no {target}")
    marks = {key: value for key, value in annotations(found).items() if key != LAST_APPLIED}
    metadata = {"name": name(found), "namespace": namespace(found)}
    fields = {"labels": dict(labels(found)), "annotations": marks}
    spec: dict[str, Any] = {**spec_of(found)}
    if found["kind"] == "CronJob":
        job = spec["jobTemplate"]
        inner = {**spec_of(job), "template": _classed(spec_of(job)["template"], class_name)}
        spec["jobTemplate"] = {**job, "spec": inner}
    else:
        spec["template"] = _classed(spec["template"], class_name)
    return {
        "apiVersion": found["apiVersion"],
        "kind": found["kind"],
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


def _step_of(
    one: Identity, obj: Object, before: Object | None, priorities: FinalPriorities
) -> RolloutStep | None:
    """The step that a manifest amounts to; None if it alters no pod."""
    called = label(one)
    if one[0] != _CLASS:
        if one[0] not in (*_TEMPLATED, "Pod"):
            return None
        class_name = (_pod_spec(obj) or {}).get("priorityClassName") or ""
        final = priorities.of(called, 0)
        return RolloutStep(f"{called} gets {class_name or 'no class'} ({final})", (obj,))
    value, was_default = class_value(obj), before is not None and before.get("globalDefault")
    if before is not None and class_value(before) != value:
        again = f"is deleted, and made again with {value}, not {class_value(before)}"
        return RolloutStep(f"{called} {again}", (obj,), deleted=(one,))
    if obj.get("globalDefault"):
        return RolloutStep(f"{called} ({value}) becomes the default", (obj,))
    if was_default:
        return RolloutStep(f"{called} ({value}) is the default no more", (obj,))
    return None


def _pod_spec(obj: Object) -> Object | None:
    """The spec of the pods that an object makes, or is; None if it makes none."""
    kind, spec = obj["kind"], spec_of(obj)
    if kind == "Pod":
        return spec
    if kind == "CronJob":
        spec = spec_of(part(spec, "jobTemplate"))
    elif kind not in _TEMPLATED:
        return None
    return spec_of(part(spec, "template"))
