"""Ephemeral containers: what is put into a running pod for debugging, and stays there.

The rules are those of `validateEphemeralContainers` and of `ValidatePodEphemeralContainersUpdate`
in v1.36.
"""

from collections.abc import Mapping
from typing import Any

from podium.api.errors import ErrorKind, FieldError
from podium.api.objects import Object, entries, spec_of, without
from podium.api.priority import is_mirror
from podium.apiserver.internals import difference, internal
from podium.apiserver.kinds.pods.pod_resize import identity
from podium.apiserver.kinds.registration import rules
from podium.apiserver.validation import checks
from podium.apiserver.validation.checks import Faults, join
from podium.apiserver.validation.pods.containers import PodParts, common, new_name
from podium.apiserver.validation.pods.pod_validation import pod as pod_check

_FIELD = "ephemeralContainers"
_PATH = f"spec.{_FIELD}"
_valid_pod = rules.valid(pod_check, "metadata", "spec")
# What a container is given that a pod relies on, in the order in which it is complained of.
_NOT_FOR_THEM = (
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


def none_in_new(pod: Object, _path: str) -> Faults:
    """A pod is created without them."""
    if spec_of(pod).get(_FIELD):
        yield checks.forbidden(_PATH, "cannot be set on create")


def added(new: Object, old: Object) -> Object:
    """The stored pod with the ephemeral containers asked for, and nothing else of the new one."""
    wanted = spec_of(new).get(_FIELD)
    spec = {**without(old["spec"], _FIELD), **({_FIELD: wanted} if wanted else {})}
    return {**old, "metadata": identity(new, old), "spec": spec}


def ephemeral_containers_update(new: Object, old: Object) -> Faults:
    """A pod that is given ephemeral containers; those that are there stay as they are."""
    if is_mirror(old):
        yield checks.forbidden("", "static pods do not support ephemeral containers")
        return
    yield from rules.metadata(new, old)
    yield from _valid_pod(new, old)
    yield from _valid(spec_of(new), "spec")
    by_name = {one.get("name"): one for one in spec_of(new).get(_FIELD) or ()}
    for one in spec_of(old).get(_FIELD) or ():
        called = f'existing ephemeral containers "{one["name"]}"'
        if one["name"] not in by_name:
            yield checks.forbidden(_PATH, f"{called} may not be removed\n")
            continue
        before, now = (internal("EphemeralContainer", it) for it in (one, by_name[one["name"]]))
        if before != now:
            message = f"{called} may not be changed\n{difference(before, now)}"
            yield checks.forbidden(_PATH, message)


def _valid(spec: Mapping[str, Any], path: str) -> Faults:
    pod, where = PodParts.of(spec), join(path, _FIELD)
    others = {
        one.get("name") for one in (*entries(spec, "containers"), *entries(spec, "initContainers"))
    }
    names = set(others)
    for index, one in enumerate(entries(spec, _FIELD)):
        here = f"{where}[{index}]"
        yield from common(one, here, pod)
        image = one.get("image") or ""
        if image != image.strip():
            message = "must not have leading or trailing whitespace"
            yield FieldError(join(here, "image"), image, message)
        yield from new_name(one, here, names)
        target = one.get("targetContainerName")
        if target and target not in others:
            yield FieldError(join(here, "targetContainerName"), target, "", ErrorKind.NOT_FOUND)
        for field in _NOT_FOR_THEM:
            if one.get(field):
                yield checks.forbidden(join(here, field), _CANNOT_BE_SET)
        for number, mount in enumerate(entries(one, "volumeMounts")):
            for field in ("subPath", "subPathExpr"):
                if mount.get(field):
                    where_mounted = f"{join(here, 'volumeMounts')}[{number}].{field}"
                    yield checks.forbidden(where_mounted, _CANNOT_BE_SET)
