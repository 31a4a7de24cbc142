"""The steps of a scenario: an action each, and when it happens."""

import re
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Self

import msgspec
from pydantic import (
    BeforeValidator,
    Field,
    ModelWrapValidatorHandler,
    TypeAdapter,
    ValidationInfo,
    field_validator,
    model_validator,
)

from podium.api.documents.document import Document, Duration, Range, Tuple, fault, refuse
from podium.api.errors import FieldError
from podium.api.objects import Object
from podium.kubelet.simulated.behaviour import (
    PREFIX,
    BehaviourError,
    behaviour_of,
    node_behaviour_of,
)
from podium.simulation.scenario.checks import Check
from podium.simulation.scenario.drain_step import Drain, NodeName, WholeSeconds
from podium.simulation.scenario.fields import (
    ActionTarget,
    FaultRates,
    Manifests,
    Targets,
    TargetText,
    context_of,
)

_TAINT = re.compile(
    r"(?P<node>\S+) (?P<key>[^=:\s]+)(=(?P<value>[^:\s]*))?"
    r":(?P<effect>NoSchedule|PreferNoSchedule|NoExecute)"
)
_TAINT_RULE = (
    "must be `NODE KEY[=VALUE]:EFFECT`, such as `node-1 gpu=broken:NoExecute`; "
    "effects are NoSchedule, PreferNoSchedule and NoExecute"
)
_SCALABLE = ("Deployment", "ReplicaSet", "StatefulSet", "ReplicationController")
_DOWN = PREFIX + "down"
_TARGETS: TypeAdapter[tuple[ActionTarget, ...]] = TypeAdapter(Targets)


class ServerSideApply(msgspec.Struct, frozen=True):
    """Apply manifests as `kubectl apply --server-side --force-conflicts` does."""

    objects: tuple[Object, ...]


class Merge(msgspec.Struct, frozen=True):
    """Merge fields into an object."""

    target: ActionTarget
    body: Object
    words: str
    """A predicate for the timeline, such as `falls silent`; empty if the change has its own entry
    there."""


class Taint(msgspec.Struct, frozen=True):
    """Add a taint to a node, or remove one."""

    node: str
    taint: Mapping[str, str]
    removes: bool = False


class Delete(Document):
    """Objects to delete, and the grace period of pods; short form: only the objects."""

    objects: Targets = ()
    grace_period_s: Annotated[WholeSeconds | None, Field(alias="gracePeriod")] = None

    @model_validator(mode="wrap")
    @classmethod
    def _short(cls, value: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:
        if isinstance(value, dict):
            return handler(value)
        return cls.model_construct(objects=_TARGETS.validate_python(value))


class ScaleDocument(Document):
    """The number of replicas to which a workload is scaled."""

    object: TargetText
    replicas: Annotated[int, Range(0)]

    @model_validator(mode="after")
    def _can_be_scaled(self, info: ValidationInfo) -> Self:
        target = self.object
        if target.kind not in _SCALABLE:
            why = f"kinds that can be scaled: {', '.join(_SCALABLE)}"
            refuse([FieldError("object", f"{target.kind.lower()}/{target.name}", why)])
        problem = context_of(info).limit.resize(
            target.kind, target.namespace, target.name, self.replicas, "replicas"
        )
        refuse([problem] if problem else [])
        return self

    def change(self) -> Merge:
        return Merge(self.object, {"spec": {"replicas": self.replicas}}, "")


class BehaveDocument(Document):
    """Annotations to set on a pod or node, which script its behaviour; empty texts remove them."""

    object: TargetText
    annotations: dict[str, str] = {}

    @field_validator("object")
    @classmethod
    def _is_scripted(cls, value: ActionTarget) -> ActionTarget:
        if value.kind not in ("Pod", "Node"):
            raise fault("must be a pod or a node")
        return value

    @field_validator("annotations")
    @classmethod
    def _can_be_read(cls, value: dict[str, str]) -> dict[str, str]:
        full = {key if "/" in key else PREFIX + key: text for key, text in value.items()}
        given = {key: text for key, text in full.items() if text}
        scripted = {"metadata": {"annotations": given}}
        try:
            behaviour_of(scripted)
            node_behaviour_of(scripted)
        except BehaviourError as error:
            raise fault(str(error)) from None
        return full

    def change(self) -> Merge:
        pairs = self.annotations.items()
        body = {"metadata": {"annotations": {key: text or None for key, text in pairs}}}
        words = ", ".join(f"{key.removeprefix(PREFIX)}={text}" for key, text in pairs)
        return Merge(self.object, body, f"is told {words}")


class Expect(msgspec.Struct, frozen=True):
    """Assert checks, and wait up to `within_s` seconds until all hold."""

    checks: tuple[Check, ...]
    within_s: float = 0.0


Action = ServerSideApply | Delete | Merge | Taint | Drain | FaultRates | Expect


class ScenarioStep(msgspec.Struct, frozen=True):
    """A step of a scenario."""

    path: str
    at_s: float | None
    """Earliest time of the action, in seconds since the start; None for right after the step
    before."""
    action: Action
    refusal: str | None = None


def _taint(value: Any) -> Taint:
    match = _TAINT.fullmatch(value) if isinstance(value, str) else None
    if match is None:
        raise fault(_TAINT_RULE)
    taint = {"key": match["key"], "effect": match["effect"]}
    return Taint(match["node"], {**taint, **({"value": match["value"]} if match["value"] else {})})


TaintText = Annotated[Taint, BeforeValidator(_taint, json_schema_input_type=str)]


class StepDocument(Document):
    """A step: exactly one action, and when it happens."""

    at: Duration | None = None
    within: Duration = 0.0
    refused: str | None = None
    apply: Manifests | None = None
    delete: Delete | None = None
    scale: ScaleDocument | None = None
    taint: TaintText | None = None
    untaint: TaintText | None = None
    cordon: NodeName | None = None
    uncordon: NodeName | None = None
    drain: Drain | None = None
    down: NodeName | None = None
    up: NodeName | None = None
    remove: NodeName | None = None
    behave: BehaveDocument | None = None
    faults: FaultRates | None = None
    assert_: Annotated[Tuple[Check] | None, Field(alias="assert")] = None

    @classmethod
    def faults_as_written(cls, value: Mapping[str, Any]) -> Iterator[FieldError]:
        """Check that a step has exactly one action, and `within` only with an assertion."""
        names = [name.removesuffix("_") for name in _ACTIONS]
        given = [name for name in names if value.get(name) is not None]
        if len(given) != 1:
            why = f"must have exactly one of {', '.join(names)}, but has {len(given)}"
            yield FieldError("", given, why)
        elif value.get("within") is not None and given != ["assert"]:
            yield FieldError("within", value["within"], "only for assert")

    def step(self, path: str) -> ScenarioStep:
        return ScenarioStep(path, self.at, self._action(), self.refused)

    def _action(self) -> Action:
        name = next(name for name in _ACTIONS if self.gives(name))
        value = getattr(self, name)
        match name:
            case "apply":
                return ServerSideApply(value)
            case "untaint":
                return Taint(value.node, value.taint, removes=True)
            case "taint" | "delete" | "drain" | "faults":
                action: Action = value
                return action
            case "remove":
                return Delete(objects=(ActionTarget("Node", "", value),))
            case "assert_":
                return Expect(value, self.within)
        if name in _NODE_CHANGES:
            body, words = _NODE_CHANGES[name]
            return Merge(ActionTarget("Node", "", value), body, words)
        change: Merge = value.change()
        return change


_ACTIONS = tuple(
    name for name in StepDocument.model_fields if name not in ("at", "within", "refused")
)
_NODE_CHANGES: Mapping[str, tuple[Mapping[str, Any], str]] = {
    "cordon": ({"spec": {"unschedulable": True}}, ""),
    "uncordon": ({"spec": {"unschedulable": None}}, ""),
    "down": ({"metadata": {"annotations": {_DOWN: "true"}}}, "falls silent"),
    "up": ({"metadata": {"annotations": {_DOWN: None}}}, "is heard of again"),
}
