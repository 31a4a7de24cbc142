"""The subresources `resize` and `ephemeralcontainers` of pods, with the rules of v1.36."""

from collections.abc import Iterator
from typing import Any

from podium.api.errors import ErrorKind, FieldError
from podium.api.objects import Object, entries, metadata_of, part, spec_of, status_of, without
from podium.api.pods import resources_of
from podium.api.priority import is_mirror
from podium.api.resources import is_sidecar, qos_class, stored_or_computed_qos
from podium.apiserver.internal_types import difference, internal
from podium.apiserver.kinds.registration import rules
from podium.apiserver.validation import checks
from podium.apiserver.validation.checks import Faults, join
from podium.apiserver.validation.pods.containers import PodParts, common, new_name
from podium.apiserver.validation.pods.pod_validation import pod as pod_check

_RESIZABLE = ("cpu", "memory")
_AMOUNTS = ("requests", "limits")
_RESIZED = ("resources", "resizePolicy")
_EPHEMERAL = "ephemeralContainers"
_EPHEMERAL_PATH = f"spec.{_EPHEMERAL}"
# The fields of a container that a pod relies on, in the order of their faults.
_NOT_EPHEMERAL = (
    "ports",
    "resources",
    "resizePolicy",
    "restartPolicy",
    "restartPolicyRules",
    "livenessProbe",
    "readinessProbe",
    "startupProbe",
    "lifecycle",
)
_CANNOT_BE_SET = "cannot be set for an Ephemeral Container"
_valid_pod = rules.valid(pod_check)
_valid_parts = rules.valid(pod_check, "metadata", "spec")


def resized(new: Object, old: Object, _now_s: float) -> Object:
    """Return the stored pod with the new one's identity and its containers' resources, by name."""
    spec, wanted = old["spec"], spec_of(new)
    changes: dict[str, Any] = {}
    for field in ("initContainers", "containers"):
        by_name = {container.get("name"): container for container in entries(wanted, field)}
        if spec.get(field):
            changes[field] = [_with_resources(one, by_name.get(one["name"])) for one in spec[field]]
    if wanted.get("resources") is not None:
        changes["resources"] = wanted["resources"]
    return {**old, "metadata": _identity(new, old), "spec": {**spec, **changes}}


def _with_resources(container: Object, wanted: Object | None) -> Object:
    if wanted is None or all(wanted.get(field) == container.get(field) for field in _RESIZED):
        return container
    given = {field: wanted[field] for field in _RESIZED if field in wanted}
    return {**without(container, *_RESIZED), **given}


def _identity(new: Object, old: Object) -> Object:
    fields = ("name", "namespace", "uid", "resourceVersion")
    own = metadata_of(new)
    return {**old["metadata"], **{field: own[field] for field in fields if own.get(field)}}


def resize_update(new: Object, old: Object) -> Faults:
    """Yield the faults of a resize; `new` only differs in resources and resize policies."""
    kind = "static" if is_mirror(old) else str(part(spec_of(old), "os").get("name") or "")
    if kind in ("static", "windows"):
        yield checks.forbidden("", f"{kind} pods cannot be resized")
        return
    yield from rules.metadata(new, old)
    yield from _valid_pod(new, old)
    if stored_or_computed_qos(old) != qos_class(new):
        message = "Pod QOS Class may not change as a result of resizing"
        yield FieldError("spec", status_of(new).get("qosClass") or "", message)
    # A node that supports it reports the resources of a running container; the first is asked.
    statuses = entries(status_of(old), "containerStatuses")
    running = (status for status in statuses if part(status, "state").get("running") is not None)
    if (first := next(running, None)) is not None and first.get("resources") is None:
        yield checks.forbidden("spec", "Pod running on node without support for resize")
    spec, before = spec_of(new), spec_of(old)
    yield from _nothing_removed(spec, before, "spec")
    for field in ("initContainers", "containers"):
        for index, (now, then) in enumerate(_pairs(spec, before, field)):
            if field == "containers" or is_sidecar(then):
                yield from _nothing_removed(now, then, f"spec.{field}[{index}]")
    for now, then in _pairs(spec, before, "containers"):
        if not _differs_in_resizable_only(now, then):
            yield checks.forbidden("spec", "only cpu and memory resources are mutable")
    for now, then in _pairs(spec, before, "initContainers"):
        if not is_sidecar(then):
            if internal("Container", now) != internal("Container", then):
                message = "resources for non-sidecar init containers are immutable"
                yield checks.forbidden("spec", message)
        elif not _differs_in_resizable_only(now, then):
            message = "only cpu and memory resources for sidecar containers are mutable"
            yield checks.forbidden("spec", message)


def _pairs(spec: Object, before: Object, field: str) -> Iterator[tuple[Object, Object]]:
    return zip(entries(spec, field), entries(before, field), strict=True)


def _nothing_removed(new: Object, old: Object, path: str) -> Faults:
    for field in _AMOUNTS:
        if part(resources_of(old), field).keys() - part(resources_of(new), field).keys():
            where = f"{path}.resources.{field}"
            yield checks.forbidden(where, f"resource {field} cannot be removed")


def _differs_in_resizable_only(new: Object, old: Object) -> bool:
    resources, before = resources_of(new), resources_of(old)
    as_before: dict[str, Any] = {}
    for field in _AMOUNTS:
        amounts, known = part(resources, field), before.get(field)
        kept = {name: known[name] for name in _RESIZABLE if name in known} if known else {}
        as_before[field] = None if known is None else {**without(amounts, *_RESIZABLE), **kept}
    claims = {"claims": resources["claims"]} if "claims" in resources else {}
    restored = {**new, "resources": {**as_before, **claims}}
    return internal("Container", restored) == internal("Container", old)


def no_ephemeral_containers(pod: Object, _path: str) -> Faults:
    """Yield a fault if a new pod has ephemeral containers."""
    if spec_of(pod).get(_EPHEMERAL):
        yield checks.forbidden(_EPHEMERAL_PATH, "cannot be set on create")


def with_ephemeral_containers(new: Object, old: Object, _now_s: float) -> Object:
    """Return the stored pod with the ephemeral containers of the new one."""
    wanted = spec_of(new).get(_EPHEMERAL)
    spec = {**without(old["spec"], _EPHEMERAL), **({_EPHEMERAL: wanted} if wanted else {})}
    return {**old, "metadata": _identity(new, old), "spec": spec}


def ephemeral_containers_update(new: Object, old: Object) -> Faults:
    """Yield the faults of ephemeral containers that are added; existing ones mustn't change."""
    if is_mirror(old):
        yield checks.forbidden("", "static pods do not support ephemeral containers")
        return
    yield from rules.metadata(new, old)
    yield from _valid_parts(new, old)
    yield from _ephemeral_containers(spec_of(new))
    by_name = {entry.get("name"): entry for entry in entries(spec_of(new), _EPHEMERAL)}
    for container in entries(spec_of(old), _EPHEMERAL):
        shown = f'existing ephemeral containers "{container["name"]}"'
        if container["name"] not in by_name:
            yield checks.forbidden(_EPHEMERAL_PATH, f"{shown} may not be removed\n")
            continue
        before, now = (
            internal("EphemeralContainer", one) for one in (container, by_name[container["name"]])
        )
        if before != now:
            message = f"{shown} may not be changed\n{difference(before, now)}"
            yield checks.forbidden(_EPHEMERAL_PATH, message)


def _ephemeral_containers(spec: Object) -> Faults:
    pod = PodParts.of(spec)
    others = {
        container.get("name")
        for field in ("containers", "initContainers")
        for container in entries(spec, field)
    }
    names = set(others)
    for index, container in enumerate(entries(spec, _EPHEMERAL)):
        path = f"{_EPHEMERAL_PATH}[{index}]"
        yield from common(container, path, pod)
        image = container.get("image") or ""
        if image != image.strip():
            message = "must not have leading or trailing whitespace"
            yield FieldError(join(path, "image"), image, message)
        yield from new_name(container, path, names)
        target = container.get("targetContainerName")
        if target and target not in others:
            yield FieldError(join(path, "targetContainerName"), target, "", ErrorKind.NOT_FOUND)
        for field in _NOT_EPHEMERAL:
            if container.get(field):
                yield checks.forbidden(join(path, field), _CANNOT_BE_SET)
        for number, mount in enumerate(entries(container, "volumeMounts")):
            for field in ("subPath", "subPathExpr"):
                if mount.get(field):
                    where = f"{join(path, 'volumeMounts')}[{number}].{field}"
                    yield checks.forbidden(where, _CANNOT_BE_SET)
