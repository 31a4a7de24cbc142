"""The registrations of all kinds, and defaulting and validation by them.

Built-in kinds without a module in `kinds` have a default registration, and custom kinds one that is
made from their CustomResourceDefinition.
"""

from collections.abc import Iterator
from functools import lru_cache, partial
from importlib import import_module
from itertools import chain
from pkgutil import walk_packages

from podium.api.errors import FieldError
from podium.api.kinds.builtin_kinds import ALL_KINDS, KINDS, Kind, kind_of, optional_kind_of
from podium.api.kinds.custom_kinds import CustomKind
from podium.api.objects import Object, entries, was_in_a_cluster
from podium.apiserver import kinds
from podium.apiserver.custom_resources.structural_schemas import faults as structural_faults
from podium.apiserver.decoding.type_checker import Checker, DecodingError
from podium.apiserver.decoding.typed import with_defaults
from podium.apiserver.kinds.registration import rules
from podium.apiserver.kinds.registration.defaulting import filled_by_schema
from podium.apiserver.kinds.registration.registration import ReadField, Registration, text
from podium.apiserver.refusals import first_faults
from podium.apiserver.schema import json_paths
from podium.apiserver.schema.custom import struct_for
from podium.apiserver.schema.struct_types import METRICS, SCALE, TOKEN_REQUEST, struct_of
from podium.apiserver.validation.checks import Faults, MinorFieldError
from podium.apiserver.validation.pods.alike_pods import judged_alike


def _declared() -> Iterator[Registration]:
    for file in walk_packages(kinds.__path__, f"{kinds.__name__}."):
        if file.name != __name__:
            for value in vars(import_module(file.name)).values():
                rows = value if isinstance(value, tuple) else (value,)
                yield from (row for row in rows if isinstance(row, Registration))


_UNSTORED = (SCALE, TOKEN_REQUEST, *METRICS.values())

REGISTRATIONS: dict[str, Registration] = {
    **{kind.key: Registration(kind=kind) for kind in (*ALL_KINDS.values(), *_UNSTORED)},
    **{registration.kind.key: registration for registration in _declared()},
}
"""Registrations by kind key, including unstored kinds (scales, tokens, metrics) for tables."""


def registration_of(kind: Kind) -> Registration:
    """Return the registration of a built-in or custom kind."""
    return _custom_registration(kind) if isinstance(kind, CustomKind) else REGISTRATIONS[kind.key]


@lru_cache(maxsize=256)
def _custom_registration(kind: CustomKind) -> Registration:
    rule = rules.all_of(rules.metadata, lambda new, old: structural_faults(kind, new, old))
    fields = (
        json_paths.steps(one["jsonPath"]) for one in entries(kind.definition, "selectableFields")
    )
    return Registration(
        kind=kind,
        defaults=partial(with_defaults, kind),
        validate=lambda obj, _path: structural_faults(kind, obj),
        validate_update=rule,
        validate_subresource_update=dict.fromkeys(kind.subresources, rule),
        words="apart conditional" if "status" in kind.subresources else "counts conditional",
        selectable={path: partial(_as_written, text(path)) for path in map(".".join, fields)},
        unselectable="field label not supported: {}",
    )


def _as_written(read: ReadField, obj: Object) -> str:
    return {"True": "true", "False": "false"}.get(value := read(obj), value)


def is_idle(kind: Kind) -> bool:
    """Return whether no component acts on objects of a kind, which causes a warning for clients."""
    registration = REGISTRATIONS.get(kind.key)
    return registration is not None and "idle" in registration.strategy.options


def completed(kind: Kind, obj: Object, *, is_new: bool = True) -> Object:
    """Return an object with its defaults, also those of creation if new; shares unchanged parts."""
    registration = registration_of(kind)
    if registration.is_filled_by_schema and registration.struct:
        obj = filled_by_schema(obj, registration.struct)
    filled: Object = registration.defaults(obj)
    return registration.defaults_of_new(filled) if is_new else filled


def apply_defaults(obj: Object, kind: str | None = None) -> Object:
    """Return a new object with defaults; unchanged if its kind is custom or unknown."""
    known = KINDS.get(kind or str(obj.get("kind")))
    return completed(known, obj) if known else obj


def faults_of(kind: Kind, obj: Object) -> list[FieldError]:
    """Return the faults of a new object, at most one more than a refusal lists."""
    registration = registration_of(kind)
    return first_faults(chain(registration.validate(obj, ""), registration.validate_new(obj, "")))


def faults_of_manifest(obj: Object) -> list[FieldError]:
    """Return the faults of an object of a manifest or state; none if its kind is unknown.

    The object is validated as by the API server on creation: types first, as other checks need
    them, and then the object with defaults. An object from an API server is validated as it is.

    All faults that could affect decisions are found, and in the rest of pods and workloads common
    faults. kube-apiserver refuses every object with a fault, but also some without.
    """
    kind = kind_of(obj) or optional_kind_of(obj)
    if kind is None or struct_of(obj["apiVersion"], kind.name) is None:
        return []
    if not was_in_a_cluster(obj):
        return list(_faults(kind, obj, is_new=True))
    return list(_exported_pod(obj, "") if kind.key == "Pod" else _faults(kind, obj))


def _faults(kind: Kind, obj: Object, *, is_new: bool = False) -> Faults:
    try:
        decoded = Checker().check(obj, struct_for(kind, obj["apiVersion"]))
    except DecodingError as error:
        return iter((error.fault,))
    return registration_of(kind).validate(completed(kind, decoded) if is_new else decoded, "")


# The pods of a state are many, and mostly alike.
_exported_pod = judged_alike(lambda pod, _: _faults(KINDS["Pod"], pod))


def decisive_faults(obj: Object) -> list[FieldError]:
    """Return the faults of an object that could affect decisions, without minor faults."""
    return [fault for fault in faults_of_manifest(obj) if not isinstance(fault, MinorFieldError)]


def validate_update(
    kind: Kind, new: Object, old: Object, subresource: str = ""
) -> list[FieldError]:
    """Return all faults of an update to a prepared object, in kube-apiserver's order.

    Faults of metadata may occur twice, as in kube-apiserver: they are checked for every kind, and
    again by the rules of most kinds.
    """
    rule = registration_of(kind).rules.get(subresource)
    return [*rules.every_metadata(new, old), *(rule(new, old) if rule is not None else ())]
