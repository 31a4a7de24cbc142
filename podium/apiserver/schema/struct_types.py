"""The types of kinds by API version, in the files of `data`, one for each API group.

A file is read at its first use. It consists of blocks with a blank line between them:

    PodSpec                                        a struct
      containers* [Container] keys=name merge=name   a required list; see `ListOf`
      nodeSelector {string} atomic                   a map that is replaced as a whole
      affinity Affinity                              a type of this file
      priority? int32                                0 differs from an absent field
      failurePolicy? string fill=Fail                has a default
      resources ResourceRequirements written            written even if it is empty
      selector meta.LabelSelector replace            a type of another file
      rollingUpdate Rolling fill={} if=type:Rolling  has a default if another field has this value
    LabelSelector atomic                           a struct that is always replaced as a whole
    Container defaults                             has a function for further defaults
    ResourceList = {quantity} rounded              an alias; quantities are rounded up to 1/1000
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial
from importlib.resources import files
from typing import Any

import msgspec
from msgspec.structs import replace

from podium.api.kinds.builtin_kinds import ALL_KINDS, Kind
from podium.apiserver.schema.model import SCALARS, Field, ListOf, MapOf, Scalar, Struct, Type

_OMITTED = ("string", "bool", "int32", "int64", "float64", "bytes")

Resolve = Callable[[str], Type]


def read_blocks(
    text: str, resolve: Resolve, family: str = ""
) -> tuple[dict[str, Struct], dict[str, Type]]:
    """Parse a file's aliases and structs, whose references are resolved at their first use."""
    structs: dict[str, Struct] = {}
    names: dict[str, Type] = {}
    for part in text.strip().split("\n\n"):
        head, *lines = part.split("\n")
        name, *words = head.split()
        if words[:1] == ["="]:
            kind = read_type(words[1], SCALARS.__getitem__)
            if isinstance(kind, MapOf):
                kind = replace(kind, is_rounded="rounded" in words)
            names[name] = kind
        else:
            structs[name] = Struct(
                name,
                "atomic" in words,
                partial(_fields, lines, resolve),
                family=family,
                has_defaults="defaults" in words,
            )
    return structs, names


def read_type(text: str, resolve: Resolve) -> Type:
    """Parse a type, such as `[Container]` or `{string}`."""
    if text.startswith("["):
        return ListOf(read_type(text[1:-1], resolve))
    if text.startswith("{"):
        return MapOf(read_type(text[1:-1], resolve))
    return SCALARS.get(text) or resolve(text)


def _fields(lines: Sequence[str], resolve: Resolve) -> Mapping[str, Field]:
    fields: dict[str, Field] = {}
    for line in lines:
        name, type_text, *flags = line.split()
        kind = read_type(type_text, resolve)
        options = {flag.partition("=")[0]: flag.partition("=")[2] for flag in flags}
        if isinstance(kind, ListOf):
            kind = replace(
                kind,
                keys=tuple(filter(None, options.get("keys", "").split(","))),
                is_set="set" in options,
                merges="merge" in options,
                merge_key=options.get("merge", ""),
                retain_keys="retainKeys" in options,
            )
        if isinstance(kind, MapOf):
            kind = replace(kind, is_atomic="atomic" in options)
        keeps_zero = name.endswith("?") or (isinstance(kind, Struct) and "written" not in options)
        written = "written" in options or name.endswith("*")
        has_nothing = (
            kind.kind in _OMITTED if isinstance(kind, Scalar) else isinstance(kind, ListOf | MapOf)
        )
        fields[name.rstrip("*?")] = Field(
            kind,
            required=name.endswith("*"),
            keeps_zero=keeps_zero,
            written=written,
            omits_nothing=has_nothing and not (keeps_zero or written),
            default=options.get("default"),
            fill=_literal(options["fill"]) if "fill" in options else msgspec.UNSET,
            fill_if=tuple(options["if"].split(":")) if "if" in options else (),
            is_atomic="atomic" in options,
            replaces="replace" in options,
            retain_keys="retainKeys" in options,
        )
    return fields


def _literal(text: str) -> Any:
    # A value in JSON, without blanks, or a text as it is.
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError:
        return text


BINDING = Kind("", "Binding", "bindings")
EVICTION = Kind("policy", "Eviction", "evictions", also=(("policy", "v1beta1"),))
SCALE = Kind("autoscaling", "Scale", "scales")
TOKEN_REQUEST = Kind("authentication.k8s.io", "TokenRequest", "tokenrequests")
DELETE_OPTIONS = Kind("meta.k8s.io", "DeleteOptions", "deleteoptions", namespaced=False)

_AUTHORIZATION, _AUTHENTICATION = "authorization.k8s.io", "authentication.k8s.io"

REVIEWS: Mapping[str, Kind] = {
    kind.name: kind
    for kind in (
        Kind(_AUTHORIZATION, "LocalSubjectAccessReview", "localsubjectaccessreviews"),
        Kind(_AUTHORIZATION, "SelfSubjectAccessReview", "selfsubjectaccessreviews", False),
        Kind(_AUTHORIZATION, "SelfSubjectRulesReview", "selfsubjectrulesreviews", False),
        Kind(_AUTHORIZATION, "SubjectAccessReview", "subjectaccessreviews", False),
        Kind(_AUTHENTICATION, "SelfSubjectReview", "selfsubjectreviews", False),
    )
}
"""The kinds of reviews by name; creating one returns a result, and stores nothing."""

_METRICS = "metrics.k8s.io"

METRICS: Mapping[str, Kind] = {
    kind.name: kind
    for kind in (
        Kind(_METRICS, "NodeMetrics", "nodes", False, version="v1beta1"),
        Kind(_METRICS, "PodMetrics", "pods", version="v1beta1"),
    )
}
"""The kinds of metrics by name, which are measured when they are read, and not stored."""

BODIES = (
    BINDING,
    EVICTION,
    SCALE,
    TOKEN_REQUEST,
    DELETE_OPTIONS,
    *REVIEWS.values(),
    *METRICS.values(),
)


DATA = files("podium.apiserver.schema") / "data"
_CORE = "core"
_META = "meta"


def struct_of(api_version: str, kind: str) -> Struct | None:
    """Return the type of a kind's objects, such as `Pod` of `v1`; None if the kind is unknown."""
    file = _KINDS.get((api_version, kind))
    return _struct(file, kind) if file else None


def core_struct(name: str) -> Struct:
    """Return the type in the core group with a name, such as `PodSpec`; raises KeyError."""
    return _struct(_CORE, name)


def meta_struct(name: str) -> Struct:
    """Return the type in meta/v1 with a name, such as `ObjectMeta`; raises KeyError."""
    return _struct(_META, name)


def _files() -> Iterator[tuple[tuple[str, str], str]]:
    # Kinds that look otherwise in this version than in others of their group.
    apart = {
        ("scheduling.k8s.io", "v1alpha2", "PodGroup"),
        ("scheduling.k8s.io", "v1alpha2", "Workload"),
        ("scheduling.x-k8s.io", "v1alpha1", "PodGroup"),
    }
    for kind in (*ALL_KINDS.values(), *BODIES):
        for group, version in ((kind.group, kind.version), *kind.also):
            file = group.partition(".")[0] or _CORE
            file = f"{file}_{version}" if (group, version, kind.name) in apart else file
            yield (f"{group}/{version}" if group else version, kind.name), file


_KINDS = dict(_files())


@cache
def _types(file: str) -> tuple[dict[str, Struct], dict[str, Type]]:
    text = (DATA / f"{file}.txt").read_text(encoding="utf-8")
    return read_blocks(text, partial(_resolve, file), family=file)


def _struct(file: str, name: str) -> Struct:
    return _types(file)[0][name]


def _resolve(file: str, reference: str) -> Type:
    other, _, name = reference.rpartition(".")
    structs, names = _types(other or file)
    return names.get(name) or structs[name]
