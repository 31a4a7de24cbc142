"""The types of kinds by API version; the file of an API group is read at its first use."""

from collections.abc import Iterator, Mapping
from functools import cache, partial
from importlib.resources import files

from podium.api.kinds.builtin_kinds import ALL_KINDS, Kind
from podium.apiserver.schema.model import Struct, Type
from podium.apiserver.schema.notation import read_blocks

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
"""All kinds of bodies that aren't stored."""


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
