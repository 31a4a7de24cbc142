"""The environment variables of containers. No decision hangs on them."""

from typing import Any

from podium.api.errors import FieldError, unsupported
from podium.api.selectors.labels import validate_label_key
from podium.apiserver.validation import checks
from podium.apiserver.validation.checks import Check, Faults, a_dict, join
from podium.apiserver.validation.names import config_key, subdomain

_VARIABLE_RULE = (
    "a valid environment variable name must consist only of printable ASCII characters other "
    "than '='"
)

# What of a pod is told to its containers, and what else can be asked for by the same words.
_TOLD = (
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
    *_TOLD,
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


def _variable_name(value: Any, path: str) -> Faults:
    if isinstance(value, str):
        if not value.isascii() or not value.isprintable() or "=" in value:
            yield FieldError(path, value, _VARIABLE_RULE)
    else:
        yield from checks.text(value, path)


@checks.of_text
def _field_of_pod(value: Any, path: str) -> Faults:
    name, bracket, key = value.partition("['")
    if not bracket or not key.endswith("']"):
        if value not in _KNOWN:
            message = f"error converting fieldPath: field label not supported: {value}"
            yield FieldError(path, value, message)
        elif value not in _TOLD:
            yield unsupported(path, value, _TOLD)
    elif name in _SUBSCRIBED:
        key = key.removesuffix("']")
        key = key.lower() if name == "metadata.annotations" else key
        for message in validate_label_key(key):
            yield FieldError(path.removesuffix(".fieldPath"), key, message)
    else:
        message = f"error converting fieldPath: field label does not support subscript: {value}"
        yield FieldError(path, value, message)


def _resource_of_container(value: Any, path: str) -> Faults:
    is_huge = isinstance(value, str) and value.startswith(_HUGE_PAGES)
    return iter(()) if is_huge else checks.one_of(*_RESOURCES)(value, path)


_key_of_object = checks.fields(name=checks.absent_as("", subdomain), key=checks.needed(config_key))
_sources = {
    "fieldRef": checks.fields(
        apiVersion=checks.needed(checks.text), fieldPath=checks.needed(_field_of_pod)
    ),
    "resourceFieldRef": checks.fields(resource=checks.needed(_resource_of_container)),
    "configMapKeyRef": _key_of_object,
    "secretKeyRef": _key_of_object,
}


def _one_source(names: tuple[str, ...], path: str, value: Any, *, has_value: bool) -> Faults:
    count = sum(value.get(name) is not None for name in names)
    if not count:
        *listed, last = (f"`{name}`" for name in names)
        yield FieldError(path, "", f"must specify one of: {', '.join(listed)} or {last}")
    elif has_value:
        yield FieldError(path, "", "may not be specified when `value` is not empty")
    elif count > 1:
        yield FieldError(path, "", "may not have more than one field specified at a time")


def _taken_from(value: Any, path: str) -> Faults:
    source, where = value.get("valueFrom"), join(path, "valueFrom")
    if source is None:
        return
    yield from checks.fields(**_sources)(source, where)
    has_value = bool(value.get("value"))
    yield from _one_source(tuple(_sources), where, a_dict(source), has_value=has_value)


environment: Check = checks.detail(
    checks.each(
        checks.in_turn(
            checks.fields(name=checks.needed(_variable_name), value=checks.text), _taken_from
        )
    )
)
"""The `env` of a container."""

_whole_object = checks.fields(name=checks.needed(subdomain))
_whole_sources = {"configMapRef": _whole_object, "secretRef": _whole_object}
_from_object = checks.fields(prefix=checks.unless_empty(_variable_name), **_whole_sources)


@checks.of_list
def _from_objects(value: Any, path: str) -> Faults:
    for index, one in enumerate(value):
        yield from _from_object(one, f"{path}[{index}]")
        # The fault has no index, as kube-apiserver has it.
        yield from _one_source(tuple(_whole_sources), path, a_dict(one), has_value=False)


environment_from: Check = checks.detail(_from_objects)
"""The `envFrom` of a container."""
