"""Ephemeral containers, in the words of `validateEphemeralContainers` in v1.36."""

from collections.abc import Mapping
from typing import Any

from podium.api.errors import ErrorKind, FieldError
from podium.apiserver.validation import checks
from podium.apiserver.validation.checks import Faults, dicts, join
from podium.apiserver.validation.containers import PodParts, common, new_name

# What a container is given that a pod relies on, in the order of its internal type.
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


def ephemeral_containers(spec: Mapping[str, Any], path: str) -> Faults:
    """The `ephemeralContainers` of a pod spec, whose names are unique among all its containers."""
    pod, where = PodParts.of(spec), join(path, "ephemeralContainers")
    others = {
        str(one.get("name"))
        for field in ("containers", "initContainers")
        for _, one in dicts(spec.get(field))
    }
    names = set(others)
    for index, one in enumerate(spec.get("ephemeralContainers") or ()):
        here = f"{where}[{index}]"
        yield from common(one, here, pod)
        yield from _trimmed_image(one, here)
        yield from new_name(one, here, names)
        target = one.get("targetContainerName")
        if target and target not in others:
            yield FieldError(join(here, "targetContainerName"), target, "", ErrorKind.NOT_FOUND)
        for field in _NOT_FOR_THEM:
            if one.get(field):
                yield checks.forbidden(join(here, field), _CANNOT_BE_SET)
        yield from _whole_volumes(one, join(here, "volumeMounts"))


def _trimmed_image(container: Mapping[str, Any], path: str) -> Faults:
    image = container.get("image") or ""
    if image != image.strip():
        message = "must not have leading or trailing whitespace"
        yield FieldError(join(path, "image"), image, message)


def _whole_volumes(container: Mapping[str, Any], path: str) -> Faults:
    for index, mount in dicts(container.get("volumeMounts")):
        for field in ("subPath", "subPathExpr"):
            if mount.get(field):
                yield checks.forbidden(f"{path}[{index}].{field}", _CANNOT_BE_SET)
