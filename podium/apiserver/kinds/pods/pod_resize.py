"""Resizing of pods: their containers are given other resources while they run.

The rules are those of the `resize` subresource, and of `ValidatePodResize`, in v1.36.
"""

from collections.abc import Mapping
from typing import Any

from podium.api.errors import FieldError
from podium.api.objects import Object, entries, metadata_of, part, spec_of, status_of, without
from podium.api.pod_specs import resources_of
from podium.api.priority import is_mirror
from podium.api.qos import qos_class, stored_or_computed_qos
from podium.api.resources import is_sidecar
from podium.apiserver.internals import internal
from podium.apiserver.kinds.registration import rules
from podium.apiserver.validation import checks
from podium.apiserver.validation.checks import Faults
from podium.apiserver.validation.pods.pod_validation import pod as pod_check

_RESIZABLE = ("cpu", "memory")
_FIELDS = ("requests", "limits")
_RESIZED = ("resources", "resizePolicy")
_new_pod = rules.valid(pod_check)


def resized(new: Object, old: Object) -> Object:
    """The stored pod with the resources that are asked for, and nothing else of the new one.

    Containers are told by their names. The name and version of the pod that is asked for are kept,
    so that the store notices if it is another one.
    """
    spec, wanted = old["spec"], spec_of(new)
    changes: dict[str, Any] = {}
    for field in ("initContainers", "containers"):
        by_name = {container.get("name"): container for container in entries(wanted, field)}
        if spec.get(field):
            changes[field] = [_with_resources(one, by_name.get(one["name"])) for one in spec[field]]
    if wanted.get("resources") is not None:
        changes["resources"] = wanted["resources"]
    return {**old, "metadata": identity(new, old), "spec": {**spec, **changes}}


def _with_resources(container: Object, wanted: Object | None) -> Object:
    if wanted is None or all(wanted.get(field) == container.get(field) for field in _RESIZED):
        return container
    given = {field: wanted[field] for field in _RESIZED if field in wanted}
    return {**without(container, *_RESIZED), **given}


def identity(new: Object, old: Object) -> Object:
    """The stored metadata with what the new pod says of which one, in which version, it is."""
    asked = metadata_of(new)
    fields = ("name", "namespace", "uid", "resourceVersion")
    return {**old["metadata"], **{one: asked[one] for one in fields if asked.get(one)}}


def resize_update(new: Object, old: Object) -> Faults:
    """A pod whose resources are changed.

    The new pod differs from the old one in resources and resize policies only.
    """
    kind = "static" if is_mirror(old) else str(part(spec_of(old), "os").get("name") or "")
    if kind in ("static", "windows"):
        yield checks.forbidden("", f"{kind} pods cannot be resized")
        return
    yield from rules.metadata(new, old)
    yield from _new_pod(new, old)
    if stored_or_computed_qos(old) != qos_class(new):
        message = "Pod QOS Class may not change as a result of resizing"
        yield FieldError("spec", status_of(new).get("qosClass") or "", message)
    # Whether the node tells the resources of a container that runs; if none runs, who knows.
    statuses = status_of(old).get("containerStatuses") or ()
    running = (one for one in statuses if part(one, "state").get("running") is not None)
    if (first := next(running, None)) is not None and first.get("resources") is None:
        yield checks.forbidden("spec", "Pod running on node without support for resize")
    yield from _containers(spec_of(new), spec_of(old))


def _containers(spec: Object, before: Object) -> Faults:
    own, own_before = resources_of(spec), resources_of(before)
    yield from _nothing_removed(own, own_before, "spec.resources")
    for index, (new, old) in enumerate(_pairs(spec, before, "initContainers")):
        if is_sidecar(old):
            path = f"spec.initContainers[{index}].resources"
            yield from _nothing_removed(resources_of(new), resources_of(old), path)
    for index, (new, old) in enumerate(_pairs(spec, before, "containers")):
        path = f"spec.containers[{index}].resources"
        yield from _nothing_removed(resources_of(new), resources_of(old), path)
    for new, old in _pairs(spec, before, "containers"):
        if not _differs_in_resizable_only(new, old):
            yield checks.forbidden("spec", "only cpu and memory resources are mutable")
    for new, old in _pairs(spec, before, "initContainers"):
        if not is_sidecar(old):
            if internal("Container", new) != internal("Container", old):
                message = "resources for non-sidecar init containers are immutable"
                yield checks.forbidden("spec", message)
        elif not _differs_in_resizable_only(new, old):
            message = "only cpu and memory resources for sidecar containers are mutable"
            yield checks.forbidden("spec", message)


def _pairs(spec: Object, before: Object, field: str) -> list[tuple[Object, Object]]:
    return list(zip(spec.get(field) or (), before.get(field) or (), strict=True))


def _nothing_removed(new: Object, old: Object, path: str) -> Faults:
    for field in _FIELDS:
        if set(entries(old, field)) - set(entries(new, field)):
            yield checks.forbidden(f"{path}.{field}", f"resource {field} cannot be removed")


def _differs_in_resizable_only(new: Object, old: Object) -> bool:
    resources, before = resources_of(new), resources_of(old)
    as_before: Mapping[str, Any] = {
        field: _with_resizable_of(resources.get(field) or {}, before.get(field))
        for field in _FIELDS
    }
    claims = {"claims": resources["claims"]} if "claims" in resources else {}
    restored = {**new, "resources": {**as_before, **claims}}
    return internal("Container", restored) == internal("Container", old)


def _with_resizable_of(new: Object, old: Object | None) -> Object | None:
    if old is None:
        return None
    return {**without(new, *_RESIZABLE), **{name: old[name] for name in _RESIZABLE if name in old}}
