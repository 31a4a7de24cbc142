"""The environment variables of containers. No decision hangs on them."""

from collections.abc import Iterable
from typing import Any

from podium.api.errors import FieldError, unsupported
from podium.api.selectors.labels import validate_label_key
from podium.apiserver.validation import checks
from podium.apiserver.validation.checks import Check, Faults, join
from podium.apiserver.validation.names import config_key, subdomain

_VARIABLE_RULE = (
    "a valid environment variable name must consist only of printable ASCII characters other "
    "than '='"
)

# The fields of a pod that its variables may refer to, and those that field selectors know beside.
_REFERABLE = (
    "metadata.name",
    "metadata.namespace",
    "metadata.uid",
    "spec.nodeName",
    "spec.serviceAccountName",
    "status.hostIP",
    "status.hostIPs",
    "status.podIP",
    "status.podIPs",
)
_KNOWN = (
    *_REFERABLE,
    "metadata.annotations",
    "metadata.labels",
    "spec.restartPolicy",
    "spec.schedulerName",
    "status.phase",
)
_SUBSCRIBED = ("metadata.annotations", "metadata.labels")
_RESOURCES = tuple(
    f"{field}.{name}"
    for field in ("limits", "requests")
    for name in ("cpu", "ephemeral-storage", "memory")
)
_HUGE_PAGES = ("limits.hugepages-", "requests.hugepages-")


_variable_name = checks.must(
    _VARIABLE_RULE, lambda name: name.isascii() and name.isprintable() and "=" not in name
)


def _field_of_pod(value: Any, path: str) -> Faults:
    name, bracket, key = value.partition("['")
    if not bracket or not key.endswith("']"):
        if value not in _KNOWN:
            message = f"error converting fieldPath: field label not supported: {value}"
            yield FieldError(path, value, message)
        elif value not in _REFERABLE:
            yield unsupported(path, value, _REFERABLE)
    elif name in _SUBSCRIBED:
        key = key.removesuffix("']")
        key = key.lower() if name == "metadata.annotations" else key
        for message in validate_label_key(key):
            yield FieldError(path.removesuffix(".fieldPath"), key, message)
    else:
        message = f"error converting fieldPath: field label does not support subscript: {value}"
        yield FieldError(path, value, message)


def _resource_of_container(value: Any, path: str) -> Faults:
    return iter(()) if value.startswith(_HUGE_PAGES) else _known_resource(value, path)


_known_resource = checks.one_of(*_RESOURCES)
_key_of_object = checks.fields(name=checks.absent_as("", subdomain), key=checks.needed(config_key))
_sources = {
    "fieldRef": checks.fields(apiVersion=checks.needed(), fieldPath=checks.needed(_field_of_pod)),
    "resourceFieldRef": checks.fields(resource=checks.needed(_resource_of_container)),
    "configMapKeyRef": _key_of_object,
    "secretKeyRef": _key_of_object,
}


def _one_source(names: Iterable[str], path: str, source: Any, *, has_value: bool) -> Faults:
    count = sum(source.get(name) is not None for name in names)
    if not count:
        *listed, last = (f"`{name}`" for name in names)
        yield FieldError(path, "", f"must specify one of: {', '.join(listed)} or {last}")
    elif has_value:
        yield FieldError(path, "", "may not be specified when `value` is not empty")
    elif count > 1:
        yield FieldError(path, "", "may not have more than one field specified at a time")


_any_source = checks.fields(**_sources)


def _variable(variable: Any, path: str) -> Faults:
    source, where = variable.get("valueFrom"), join(path, "valueFrom")
    if source is not None:
        yield from _any_source(source, where)
        yield from _one_source(_sources, where, source, has_value=bool(variable.get("value")))


environment: Check = checks.detail(
    checks.each(checks.both(checks.fields(name=checks.needed(_variable_name)), _variable))
)
"""Checks the `env` of a container."""

_whole_object = checks.fields(name=checks.needed(subdomain))
_whole_sources = {"configMapRef": _whole_object, "secretRef": _whole_object}
_from_object = checks.fields(prefix=_variable_name, **_whole_sources)


def _from_objects(sources: Any, path: str) -> Faults:
    for index, source in enumerate(sources):
        yield from _from_object(source, f"{path}[{index}]")
        # The fault has no index, as in kube-apiserver.
        yield from _one_source(_whole_sources, path, source, has_value=False)


environment_from: Check = checks.detail(_from_objects)
"""Checks the `envFrom` of a container."""
