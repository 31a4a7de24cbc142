"""Types of fields of scenarios: objects by name, probabilities, manifests."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import msgspec
from pydantic import (
    BeforeValidator,
    Field,
    ValidationInfo,
    ValidatorFunctionWrapHandler,
    WithJsonSchema,
    WrapValidator,
)

from podium.api.codec.yaml_text import YamlDocument
from podium.api.documents.document import Document, Duration, Tuple, fault, refuse
from podium.api.errors import ErrorKind, FieldError
from podium.api.kinds.builtin_kinds import KINDS, Kind, kind_of, optional_kind_of
from podium.api.objects import DEFAULT_NAMESPACE, Object
from podium.api.pod_limit import PodLimit
from podium.cluster.manifests.manifest_objects import objects_in
from podium.cluster.manifests.manifest_sources import read_sources
from podium.cluster.manifests.problems import ManifestError, Problem, describe

CONTEXT = "scenario"
"""Key of the scenario's `Context` in the context of decoding."""

_TARGET = "must be KIND/NAME or NAMESPACE/KIND/NAME, such as deployment/web or shop/pod/web-1"
_KINDS_BY_WORD: Mapping[str, Kind] = {
    word: kind
    for kind in KINDS.values()
    for word in (kind.singular, kind.plural, *kind.short_names)
}


class Context(msgspec.Struct, frozen=True):
    """The context in which fields of a scenario are validated."""

    directory: Path
    """Directory of the scenario's file, to which names of manifests are relative."""
    file: str
    limit: PodLimit
    plugins: Sequence[str] = ()
    """Names of plugins to enable in each scheduler in addition to its configuration."""


def context_of(info: ValidationInfo) -> Context:
    """Return the context of the scenario that is being validated."""
    context = (info.context or {})[CONTEXT]
    assert isinstance(context, Context)
    return context


class ActionTarget(NamedTuple):
    """An object by kind, namespace (empty for cluster-scoped objects) and name."""

    kind: str
    namespace: str
    name: str

    def __str__(self) -> str:
        kind = self.kind.lower()
        namespaced = self.namespace and self.namespace != "default"
        return f"{kind} {self.namespace}/{self.name}" if namespaced else f"{kind} {self.name}"


def _target(text: Any) -> ActionTarget:
    if isinstance(text, ActionTarget):
        return text
    parts = text.split("/") if isinstance(text, str) else []
    if not 2 <= len(parts) <= 3 or not all(parts):
        raise fault(_TARGET)
    namespace = parts[0] if len(parts) == 3 else DEFAULT_NAMESPACE
    kind = _KINDS_BY_WORD.get(parts[-2].lower())
    if kind is None:
        known = ", ".join(sorted(kind.singular for kind in KINDS.values()))
        raise fault(f"there is no kind {parts[-2]}; there are {known}")
    return ActionTarget(kind.name, namespace if kind.namespaced else "", parts[-1])


def _targets(value: Any, handler: ValidatorFunctionWrapHandler) -> tuple[ActionTarget, ...]:
    entries: tuple[ActionTarget, ...] = (
        handler(value) if isinstance(value, list | tuple) else (_target(value),)
    )
    return entries


TargetText = Annotated[ActionTarget, BeforeValidator(_target), WithJsonSchema({"type": "string"})]
"""An object by kind and name, such as `shop/deployment/web`."""

Targets = Annotated[Tuple[TargetText], WrapValidator(_targets)]
"""One object by kind and name, or a list of them."""


def _fraction(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise fault("must be a number from 0 to 1")
    return float(value)


Fraction = Annotated[float, BeforeValidator(_fraction), Field(json_schema_extra={"maximum": 1})]


class FaultRates(Document):
    """Probabilities of faults, from 0 to 1; see `podium.cluster.drivers.faults.Faults`."""

    refused: Fraction = 0.0
    unanswered: Fraction = 0.0
    slow: Fraction = 0.0
    repeated: Fraction = 0.0
    broken_watches: Fraction = 0.0
    slow_watches: Fraction = 0.0
    restarts: Fraction = 0.0
    slowness: Duration = 0.0

    def rates(self) -> dict[str, float]:
        given = self.model_dump(exclude_unset=True, exclude={"slowness"})
        return {**given, "slow_s": self.slowness} if self.slowness else given


def _manifests(value: Any, info: ValidationInfo) -> tuple[Object, ...]:
    # Objects, and those of files that are named, in their order.
    context, manifests, faults = context_of(info), [], []
    for index, entry in enumerate(value if isinstance(value, list) else [value]):
        path = f"[{index}]" if isinstance(value, list) else ""
        if isinstance(entry, str):
            objects, wrong = _of_file(entry, path, context)
        else:
            objects, wrong = inline_objects(entry, path, context.file)
            too_many = ((obj, context.limit.add(obj)) for obj in objects)
            wrong += [FieldError(path, describe(obj), str(why)) for obj, why in too_many if why]
        faults += wrong
        for obj in objects:
            kind = kind_of(obj) or optional_kind_of(obj)
            if kind is None:
                known = f"known kinds: {', '.join(KINDS)}"
                faults.append(FieldError(path, obj.get("kind"), known, ErrorKind.UNSUPPORTED))
            elif kind.namespaced and not obj["metadata"].get("namespace"):
                obj = {**obj, "metadata": {**obj["metadata"], "namespace": DEFAULT_NAMESPACE}}
            manifests.append(obj)
    refuse(faults)
    return tuple(manifests)


Manifests = Annotated[
    Tuple[Mapping[str, Any]], WrapValidator(lambda value, _handler, info: _manifests(value, info))
]
"""Objects, and names of files with objects, in their order."""


def _of_file(file: str, path: str, context: Context) -> tuple[list[Object], list[FieldError]]:
    try:
        sources = read_sources([str(context.directory / file)])
    except ManifestError as error:
        return [], [FieldError(path, file, str(problem)) for problem in error.problems]
    too_many = ((obj, context.limit.add(obj.obj)) for obj in sources.objects)
    problems = [Problem(one.source, describe(one.obj), str(why)) for one, why in too_many if why]
    faults = [FieldError(path, file, str(problem)) for problem in problems]
    return [loaded.obj for loaded in sources.objects], faults


def inline_objects(entry: object, path: str, file: str) -> tuple[list[Object], list[FieldError]]:
    """Return the objects of a manifest within a scenario, and its errors."""
    objects: list[Object] = []
    faults: list[FieldError] = []
    for outcome in objects_in(YamlDocument(1, 1, entry), file, DEFAULT_NAMESPACE):
        if isinstance(outcome, Problem):
            faults.append(FieldError(path, outcome.object or entry, outcome.message))
        else:
            objects.append(outcome.obj)
    return objects, faults
