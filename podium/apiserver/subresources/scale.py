"""Scale: replicas and selector of a workload of any kind, as in v1.36."""

from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from podium.api.errors import FieldError
from podium.api.kinds.builtin_kinds import Kind
from podium.api.kinds.custom_kinds import CustomKind
from podium.api.objects import Object, entries, metadata_of, name, part, spec_of
from podium.apiserver.attributes import Attributes
from podium.apiserver.decoding.bodies import PatchType
from podium.apiserver.patching.ownership.owners import apply_configuration
from podium.apiserver.patching.patch_result import PatchRequest
from podium.apiserver.refusals import conflict, invalid
from podium.apiserver.schema.json_paths import steps
from podium.apiserver.schema.struct_types import SCALE
from podium.apiserver.validation.checks import NOT_NEGATIVE
from podium.apiserver.verbs.writing import check_key, patched, tracked

_BUILT_IN_PATHS = {"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas"}
_IDENTITY = ("name", "namespace", "uid", "resourceVersion", "creationTimestamp")
_OPERATORS = {"In": "in", "NotIn": "notin"}


def scale_of(kind: Kind, workload: Object) -> dict[str, Any]:
    """Return the Scale (autoscaling/v1) of a workload, or of a custom object with a scale."""
    paths, metadata = _paths(kind), workload["metadata"]
    status = {"replicas": _at(workload, paths["statusReplicasPath"]) or 0}
    if not isinstance(kind, CustomKind):
        status["selector"] = selector_text(part(spec_of(workload), "selector"))
    elif selector := _at(workload, paths.get("labelSelectorPath") or ""):
        status["selector"] = selector
    return {
        "kind": "Scale",
        "apiVersion": "autoscaling/v1",
        "metadata": {field: metadata[field] for field in _IDENTITY if field in metadata},
        "spec": {"replicas": _at(workload, paths["specReplicasPath"]) or 0},
        "status": status,
    }


def _paths(kind: Kind) -> Mapping[str, str]:
    return (kind.scale or {}) if isinstance(kind, CustomKind) else _BUILT_IN_PATHS


def _at(obj: Object, path: str) -> Any:
    value: Any = obj
    for step in steps(path) if path else ():
        value = value.get(step) if isinstance(value, Mapping) else None
    return value if path else None


def _put(obj: Object, path: tuple[str, ...], value: Any) -> Object:
    first, *rest = path
    if rest:
        value = _put(obj.get(first) or {}, tuple(rest), value)
    return {**obj, first: value}


def scaled(kind: Kind, workload: Object, scale: Object) -> Object:
    """Return a workload with the replicas and resourceVersion of a Scale; raises RefusedError."""
    metadata, own = metadata_of(scale), workload["metadata"]
    replicas = spec_of(scale).get("replicas") or 0
    if replicas < 0:
        fault = FieldError("spec.replicas", replicas, NOT_NEGATIVE)
        raise invalid(name(workload), [fault], "Scale", "autoscaling")
    uid = metadata.get("uid")
    if uid and uid != own["uid"]:
        why = f"Precondition failed: UID in precondition: {uid}, UID in object meta: {own['uid']}"
        raise conflict(f"{kind.plural}/scale", name(workload), why, kind.group)
    version = metadata.get("resourceVersion") or own["resourceVersion"]
    workload = {**workload, "metadata": {**own, "resourceVersion": version}}
    return _put(workload, _replicas_path(kind), replicas)


def _replicas_path(kind: Kind) -> tuple[str, ...]:
    return steps(_paths(kind)["specReplicasPath"])


def selector_text(selector: Object) -> str:
    """Format the selector of a workload, which for a ReplicationController is a plain map."""
    if any(not isinstance(value, str) for value in selector.values()):
        labels = part(selector, "matchLabels").items()
        requirements = [(key, f"{key}={value}") for key, value in labels]
        for expression in selector.get("matchExpressions") or ():
            key, operator = expression["key"], expression["operator"]
            text = key if operator == "Exists" else f"!{key}"
            if operator in _OPERATORS:
                values = ",".join(sorted(entries(expression, "values")))
                text = f"{key} {_OPERATORS[operator]} ({values})"
            requirements.append((key, text))
        return ",".join(text for _, text in sorted(requirements))
    return ",".join(f"{key}={value}" for key, value in sorted(selector.items()))


def with_scale(request: Attributes, workload: Object, scale: Object) -> Object:
    """Return a workload with a Scale applied and managedFields updated."""
    check_key(request, scale)
    return tracked(request, workload, scaled(request.kind, workload, scale))


def with_patched_scale(request: Attributes, workload: Object, patch: PatchRequest) -> Object:
    """Return a workload with a patch of its Scale applied and managedFields updated."""
    kind = request.kind
    if patch.patch_type != PatchType.APPLY:
        scale = patched(SCALE, scale_of(kind, workload), replace(patch, api_version="")).obj
        return with_scale(request, workload, scale)
    # The workload's managedFields decide on conflicts, not those of the Scale.
    forced = replace(request.options, force=True)
    about_scale = replace(request, kind=SCALE, subresource="", options=forced)
    scale = apply_configuration(about_scale, scale_of(kind, workload), patch.body)
    check_key(request, scale)
    wanted = scaled(kind, workload, scale)
    owned = {
        "apiVersion": kind.api_version,
        "kind": kind.name,
        "metadata": {"name": request.name},
        **_put({}, _replicas_path(kind), spec_of(scale).get("replicas") or 0),
    }
    owners = metadata_of(apply_configuration(request, workload, owned))["managedFields"]
    return {**wanted, "metadata": {**wanted["metadata"], "managedFields": owners}}
