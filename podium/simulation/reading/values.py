"""Values that scenarios have in several places: durations, objects by name, manifests."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from podium.api.errors import ErrorKind, FieldError, InvalidValue
from podium.api.kinds import KINDS, Kind, kind_of
from podium.api.meta import DEFAULT_NAMESPACE
from podium.api.quantity import nanos
from podium.apiserver.decoding.document import Document
from podium.config.reading.durations import duration_seconds
from podium.config.reading.fields import Fields, Findings
from podium.manifests import ManifestError, Problem, read_sources
from podium.manifests.objects import objects_in
from podium.manifests.pod_limit import PodLimit
from podium.manifests.problems import describe
from podium.simulation.scenario import Target

Object = Mapping[str, Any]

_DURATION = "must be a duration such as 30s, 1m30s or 250ms"
_TARGET = "must be KIND/NAME or NAMESPACE/KIND/NAME, such as deployment/web or shop/pod/web-1"
_KINDS_BY_WORD: Mapping[str, Kind] = {
    word: kind
    for kind in KINDS.values()
    for word in (kind.singular, kind.plural, *kind.short_names)
}


@dataclass(frozen=True, slots=True)
class Context:
    """What reading needs to know besides the fields.

    Attributes:
        directory: where the scenario's file is; manifests are named from there.
        file: the scenario's name, for errors.
        limit: of the pods that workloads may ask for.
    """

    directory: Path
    file: str
    limit: PodLimit


def seconds(fields: Fields, name: str) -> float | None:
    """A duration in seconds, not negative; None if there is none."""
    if not fields.has(name):
        return None
    raw = fields.raw(name)
    found = duration_seconds(raw) if isinstance(raw, str) else None
    if found is None or found < 0:
        fields.fault(name, _DURATION)
        return None
    return found


def amounts(fields: Fields, name: str) -> dict[str, str]:
    """Quantities by resource; whole numbers may be written as such."""
    raw = fields.raw(name)
    found: dict[str, str] = {}
    if isinstance(raw, Mapping):
        for resource, value in raw.items():
            text = str(value) if type(value) is int else value
            try:
                nanos(text)
            except InvalidValue as error:
                fields.findings.faults.append(error.under(f"{fields.at(name)}.{resource}").error)
            else:
                found[resource] = text
    elif raw is not None:
        fields.fault(name, "must be an object, with a quantity for each resource")
    return found


def fraction(fields: Fields, name: str) -> float:
    """A number between 0 and 1; 0 if there is none."""
    raw = fields.raw(name)
    if raw is None:
        return 0.0
    if isinstance(raw, bool) or not isinstance(raw, int | float) or not 0 <= raw <= 1:
        fields.fault(name, "must be a number from 0 to 1")
        return 0.0
    return float(raw)


def target(text: object, path: str, findings: Findings) -> Target | None:
    """An object by kind and name."""
    parts = text.split("/") if isinstance(text, str) else []
    if not 2 <= len(parts) <= 3 or not all(parts):
        findings.faults.append(FieldError(path, text, _TARGET))
        return None
    namespace = parts[0] if len(parts) == 3 else DEFAULT_NAMESPACE
    kind = _KINDS_BY_WORD.get(parts[-2].lower())
    if kind is None:
        known = ", ".join(sorted(kind.singular for kind in KINDS.values()))
        why = f"there is no kind {parts[-2]}; there are {known}"
        findings.faults.append(FieldError(path, text, why))
        return None
    return Target(kind.name, namespace if kind.namespaced else "", parts[-1])


def targets(fields: Fields, name: str) -> tuple[Target, ...]:
    """One object by kind and name, or a list of them."""
    raw, path = fields.raw(name), fields.at(name)
    if isinstance(raw, list):
        found = [target(one, f"{path}[{index}]", fields.findings) for index, one in enumerate(raw)]
    else:
        found = [target(raw, path, fields.findings)]
    return tuple(one for one in found if one is not None)


def manifests(fields: Fields, name: str, context: Context) -> tuple[Object, ...]:
    """Objects that stand there, and those of files that are named there, in their order."""
    raw = fields.raw(name)
    entries: Sequence[object] = raw if isinstance(raw, list) else [] if raw is None else [raw]
    found: list[Object] = []
    for index, entry in enumerate(entries):
        path = f"{fields.at(name)}[{index}]" if isinstance(raw, list) else fields.at(name)
        if isinstance(entry, str):
            objects, faults = _of_file(entry, path, context)
        else:
            objects, faults = inline_objects(entry, path, context.file)
            too_many = ((obj, context.limit.add(obj)) for obj in objects)
            faults += [FieldError(path, describe(obj), str(why)) for obj, why in too_many if why]
        found += [_known(obj, path, fields.findings) for obj in objects]
        fields.findings.faults += faults
    return tuple(obj for obj in found if obj)


def _of_file(called: str, path: str, context: Context) -> tuple[list[Object], list[FieldError]]:
    try:
        sources = read_sources([str(context.directory / called)])
    except ManifestError as error:
        return [], [FieldError(path, called, str(problem)) for problem in error.problems]
    too_many = ((one, context.limit.add(one.obj)) for one in sources.objects)
    problems = [Problem(one.source, describe(one.obj), str(why)) for one, why in too_many if why]
    faults = [FieldError(path, called, str(problem)) for problem in problems]
    return [loaded.obj for loaded in sources.objects], faults


def inline_objects(entry: object, path: str, file: str) -> tuple[list[Object], list[FieldError]]:
    """The objects that something in a scenario stands for, and what is wrong with others.

    Args:
        entry: an object, or a list of kind List.
        path: where it stands.
        file: the scenario's name.
    """
    objects: list[Object] = []
    faults: list[FieldError] = []
    for outcome in objects_in(Document(1, 1, entry), file, DEFAULT_NAMESPACE):
        if isinstance(outcome, Problem):
            faults.append(FieldError(path, outcome.object or entry, outcome.message))
        else:
            objects.append(outcome.obj)
    return objects, faults


def _known(obj: Object, path: str, findings: Findings) -> Object:
    """The object in its namespace; empty, and a fault, if Podium doesn't know its kind."""
    kind = kind_of(obj)
    if kind is None:
        known = ", ".join(KINDS)
        findings.faults.append(
            FieldError(path, obj.get("kind"), f"known kinds: {known}", ErrorKind.UNSUPPORTED)
        )
        return {}
    if kind.namespaced and not obj["metadata"].get("namespace"):
        return {**obj, "metadata": {**obj["metadata"], "namespace": DEFAULT_NAMESPACE}}
    return obj
