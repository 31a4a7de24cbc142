"""The steps that introduce priority classes, and the final priorities of workloads."""

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


@dataclass(frozen=True, slots=True)
class RolloutStep:
    """Manifests that are applied together, after the deletion of immutable objects."""

    name: str
    manifests: tuple[Object, ...]
    deleted: tuple[Identity, ...] = ()

    @property
    def changes(self) -> tuple[Change, ...]:
        """The step as changes of a plan."""
        deletions = (Delete(ChangeTarget(*identity)) for identity in self.deleted)
        return (*deletions, Apply(self.manifests))

    @property
    def alters_new_pods(self) -> bool:
        """Whether new pods of unchanged workloads get another priority after the step."""
        return any(manifest["kind"] == _CLASS for manifest in self.manifests)


@dataclass(frozen=True, slots=True)
class Introduction:
    """The introduction of priority classes to workloads."""

    preparation: tuple[Object, ...]
    """Manifests to apply first, which alter no pod, such as classes that aren't the default yet."""
    steps: tuple[RolloutStep, ...]
    """The steps whose order matters, in the given order."""
    priorities: "FinalPriorities"
    """The priorities of workloads after all steps."""


class FinalPriorities:
    """The priorities of workloads once all classes are introduced."""

    def __init__(self, objects: Iterable[Object]) -> None:
        found = decisive(objects)
        classes = [one for (kind, _, _), one in found.items() if kind == _CLASS]
        self.values: dict[str, int] = dict(SYSTEM_PRIORITY_CLASSES)
        self.values |= {name(class_): class_value(class_) for class_ in classes}
        defaults = [self.values[name(class_)] for class_ in classes if class_.get("globalDefault")]
        # Of several defaults the API server takes the lowest.
        self._default = min(defaults, default=0)
        self._specs = {label(identity): _pod_spec(obj) for identity, obj in found.items()}

    def of(self, workload: str, now: int) -> int:
        """Return the final priority of a workload's pods; `now` if the workload isn't known.

        The final priority of a pod without a controller is the one it would get if created again.
        """
        spec = self._specs.get(workload)
        if spec is None:
            return now
        named = spec.get("priorityClassName")
        return self._default if not named else self.values.get(named, now)


def introduction(state: Iterable[Object], manifests: Iterable[Object]) -> Introduction:
    """Split manifests into steps and preparation; raises PodiumError."""
    new, there = decisive(manifests), decisive(state)
    priorities = FinalPriorities([*there.values(), *new.values()])
    every = {one: _step_of(one, obj, there.get(one), priorities) for one, obj in new.items()}
    steps = {one: step for one, step in every.items() if step is not None}
    if not steps:
        raise PodiumError("there is no workload, nor a default class, to be rolled out")
    # So that workloads can name a class before it becomes the default.
    new_classes = (new[step] for step in steps if step[0] == _CLASS and step not in there)
    return Introduction(
        (
            *(obj for identity, obj in new.items() if identity not in steps),
            *({**obj, "globalDefault": False} for obj in new_classes),
        ),
        tuple(steps.values()),
        priorities,
    )


def never_preempting(introduction: Introduction) -> Introduction:
    """Set `preemptionPolicy: Never` on the classes that become the default."""
    defaults = {
        name(manifest)
        for step in introduction.steps
        for manifest in step.manifests
        if manifest["kind"] == _CLASS and manifest.get("globalDefault")
    }

    def changed(manifests: tuple[Object, ...]) -> tuple[Object, ...]:
        return tuple(
            {**manifest, "preemptionPolicy": NEVER}
            if manifest["kind"] == _CLASS and name(manifest) in defaults
            else manifest
            for manifest in manifests
        )

    return replace(
        introduction,
        preparation=changed(introduction.preparation),
        steps=tuple(
            replace(step, manifests=changed(step.manifests)) for step in introduction.steps
        ),
    )


def assigned(text: str, place: str, state: Mapping[Identity, Object]) -> Object:
    """Make a workload's manifest with the class of `KIND/NAME=CLASS`; raises PodiumError."""
    what, equals, class_name = text.rpartition("=")
    target = parse_workload(what, place)
    if not equals or not class_name or target is None:
        raise PodiumError(f"--assign {text}: expected KIND/NAME=CLASS, such as deploy/web=high")
    workload = state.get(target)
    if workload is None:
        raise PodiumError(f"--assign {text}: the state has no {target}")
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


def _step_of(
    identity: Identity, obj: Object, before: Object | None, priorities: FinalPriorities
) -> RolloutStep | None:
    named = label(identity)
    if identity[0] != _CLASS:
        if identity[0] not in (*_TEMPLATED, "Pod"):
            return None
        class_name = (_pod_spec(obj) or {}).get("priorityClassName") or ""
        final = priorities.of(named, 0)
        return RolloutStep(f"{named} gets {class_name or 'no class'} ({final})", (obj,))
    value, was_default = class_value(obj), before is not None and before.get("globalDefault")
    if before is not None and class_value(before) != value:
        again = f"is deleted, and made again with {value}, not {class_value(before)}"
        return RolloutStep(f"{named} {again}", (obj,), deleted=(identity,))
    if obj.get("globalDefault"):
        return RolloutStep(f"{named} ({value}) becomes the default", (obj,))
    if was_default:
        return RolloutStep(f"{named} ({value}) is the default no more", (obj,))
    return None


def _pod_spec(obj: Object) -> Object | None:
    kind, spec = obj["kind"], spec_of(obj)
    if kind == "Pod":
        return spec
    if kind == "CronJob":
        spec = spec_of(part(spec, "jobTemplate"))
    elif kind not in _TEMPLATED:
        return None
    return spec_of(part(spec, "template"))
