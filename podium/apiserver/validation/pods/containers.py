"""Checks of containers, in the order of v1.36's ValidatePodSpec.

Faults of environment variables and probes are minor, as decisions don't depend on them. Most fields
of a security context aren't checked, nor those of mounts that only a kubelet reads.
"""

import re
from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any, Self

import msgspec

from podium.api.errors import ErrorKind, FieldError, unsupported
from podium.api.objects import Object, entries, part
from podium.api.resources import is_sidecar
from podium.api.selectors.labels import validate_label_key
from podium.apiserver.validation import checks
from podium.apiserver.validation.checks import Check, Faults, MinorFieldError, join
from podium.apiserver.validation.names import config_key, dns_label, subdomain
from podium.apiserver.validation.pods.ports import port_or_name, ports, unique_host_ports
from podium.apiserver.validation.pods.volumes import known_volumes, mounts
from podium.apiserver.validation.resource_requirements import container_resources

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


_known_resource = checks.one_of(
    *(
        f"{field}.{name}"
        for field in ("limits", "requests")
        for name in ("cpu", "ephemeral-storage", "memory")
    )
)


def _resource_of_container(value: Any, path: str) -> Faults:
    return iter(()) if value.startswith(_HUGE_PAGES) else _known_resource(value, path)


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


def _value_from(variable: Any, path: str) -> Faults:
    source, where = variable.get("valueFrom"), join(path, "valueFrom")
    if source is not None:
        yield from _any_source(source, where)
        yield from _one_source(_sources, where, source, has_value=bool(variable.get("value")))


_environment = checks.each(checks.fields(_value_from, name=checks.needed(_variable_name)))

_whole_object = checks.fields(name=checks.needed(subdomain))
_whole_sources = {"configMapRef": _whole_object, "secretRef": _whole_object}
_from_object = checks.fields(prefix=_variable_name, **_whole_sources)


def _from_objects(sources: Any, path: str) -> Faults:
    for index, source in enumerate(sources):
        yield from _from_object(source, f"{path}[{index}]")
        # The fault has no index, as in kube-apiserver.
        yield from _one_source(_whole_sources, path, source, has_value=False)


_HEADER_RULE = (
    "a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', "
    "regex used for validation is '[-A-Za-z0-9]+')"
)
_COUNTS = (
    "initialDelaySeconds",
    "timeoutSeconds",
    "periodSeconds",
    "successThreshold",
    "failureThreshold",
)


def _headers(headers: Any, path: str) -> Faults:
    for header in headers:
        name = header.get("name") or ""
        if not re.fullmatch("[-A-Za-z0-9]+", name):
            # The fault has no index, as in kube-apiserver.
            yield FieldError(path, name, _HEADER_RULE)


_actions = {
    "exec": checks.fields(command=checks.needed()),
    "httpGet": checks.fields(
        path=checks.needed(),
        port=checks.absent_as(0, port_or_name),
        scheme=checks.one_of("HTTP", "HTTPS"),
        httpHeaders=_headers,
    ),
    "tcpSocket": checks.fields(port=checks.absent_as(0, port_or_name)),
    "grpc": checks.fields(port=checks.absent_as(0, port_or_name)),
}


def _one_action(actions: dict[str, Check]) -> Check:
    def check(value: Any, path: str) -> Faults:
        first = True
        for name, action in actions.items():
            if (field_value := value.get(name)) is None:
                continue
            where = join(path, name)
            if first:
                yield from action(field_value, where)
            else:
                yield checks.forbidden(where, "may not specify more than 1 handler type")
            first = False
        if first:
            yield checks.required(path, "must specify a handler type")

    return check


_positive = checks.integer(1, rule="must be greater than 0")
_once = checks.integer(1, 1, "must be 1")
_never = checks.must("must not be set for readinessProbes", lambda _: False)


def _probe(**more: checks.Part) -> Check:
    counts = dict.fromkeys(_COUNTS, checks.count)
    numbers = checks.fields(**counts, terminationGracePeriodSeconds=_positive)
    return checks.detail(checks.both(_one_action(_actions), numbers, checks.fields(**more)))


_liveness = _probe(successThreshold=_once)

_probes = checks.fields(
    livenessProbe=_liveness,
    readinessProbe=_probe(terminationGracePeriodSeconds=_never),
    startupProbe=_liveness,
)


def _running(grace_s: int | None) -> Check:
    """Return a check of lifecycle handlers and probes, for a pod with a grace period in seconds."""

    def sleep(value: Any, path: str) -> Faults:
        seconds = value.get("seconds") or 0
        if grace_s is not None and not 0 <= seconds <= grace_s:
            message = (
                f"must be non-negative and less than terminationGracePeriodSeconds ({grace_s})"
            )
            yield FieldError(path, seconds, message)

    actions = {name: check for name, check in _actions.items() if name != "grpc"}
    handler = _one_action({**actions, "sleep": sleep})
    lifecycle = checks.detail(checks.fields(postStart=handler, preStop=handler))
    return checks.both(checks.fields(lifecycle=lifecycle), _probes)


_NOT_BEFORE_START = ("lifecycle", "livenessProbe", "readinessProbe", "startupProbe")
_RESIZABLE = ("cpu", "memory")
_AFTER_RESIZE = ("NotRequired", "RestartContainer")


class PodParts(msgspec.Struct, frozen=True):
    """The fields of a pod spec that the checks of containers depend on."""

    volumes: Mapping[str, Object]
    claims: frozenset[str]
    grace_s: int | None
    restart_policy: str

    @classmethod
    def of(cls, spec: Object) -> Self:
        """Read the fields of a pod spec."""
        return cls(
            volumes=known_volumes(spec),
            claims=frozenset(claim.get("name", "") for claim in entries(spec, "resourceClaims")),
            grace_s=spec.get("terminationGracePeriodSeconds"),
            restart_policy=spec.get("restartPolicy", ""),
        )


_user_id = checks.integer(
    0, checks.INT32_MAX, f"must be between 0 and {checks.INT32_MAX}, inclusive"
)
_first_fields = checks.fields(
    name=checks.needed(dns_label),
    image=checks.needed(is_detail=True),
    terminationMessagePolicy=checks.detail(checks.one_of("File", "FallbackToLogsOnError")),
    ports=ports,
    env=checks.detail(_environment),
    envFrom=checks.detail(_from_objects),
)
_last_fields = checks.fields(
    imagePullPolicy=checks.detail(checks.one_of("Always", "IfNotPresent", "Never")),
    resources=container_resources,
    securityContext=checks.detail(checks.fields(runAsUser=_user_id, runAsGroup=_user_id)),
)
_restart_policy = checks.fields(restartPolicy=checks.one_of("Always", "Never", "OnFailure"))


def common(container: Object, path: str, pod: PodParts) -> Faults:
    """Check the rules that apply to regular, init and ephemeral containers."""
    yield from _first_fields(container, path)
    yield from mounts(container, path, pod.volumes)
    yield from _last_fields(container, path)
    yield from _claims(container, join(path, "resources.claims"), pod)
    resizing = partial(_resizing, restart_policy=pod.restart_policy)
    yield from checks.detail(resizing)(container, join(path, "resizePolicy"))


def _claims(container: Object, path: str, pod: PodParts) -> Faults:
    seen = set()
    known = f": {', '.join(sorted(pod.claims))}" if pod.claims else " which is empty"
    for index, claim in enumerate(entries(part(container, "resources"), "claims")):
        name, request = claim.get("name") or "", claim.get("request")
        where = f"{path}[{index}]"
        if not name:
            yield checks.required(where)
            continue
        key = f"{name}/{request}" if request else name
        if name in seen or key in seen:
            yield checks.duplicate(where, name if name in seen else key)
        seen.add(key)
        if name not in pod.claims:
            message = f"must be one of the names in pod.spec.resourceClaims{known}"
            yield FieldError(where, name, message, ErrorKind.NOT_FOUND)


def _resizing(container: Object, where: str, restart_policy: str) -> Faults:
    # Most faults have no index, as in kube-apiserver.
    seen = set[str]()
    for index, policy in enumerate(entries(container, "resizePolicy")):
        name, restart = policy.get("resourceName") or "", policy.get("restartPolicy") or ""
        if name in seen:
            yield checks.duplicate(f"{where}[{index}]", name)
        seen.add(name)
        for value, known in ((name, _RESIZABLE), (restart, _AFTER_RESIZE)):
            if not value:
                yield checks.required(where)
            elif value not in known:
                yield unsupported(where, value, known)
        if restart_policy == "Never" and restart != "NotRequired":
            message = "must be 'NotRequired' when `restartPolicy` is 'Never'"
            yield FieldError(where, restart, message)


def new_name(container: Object, path: str, names: set[str]) -> Faults:
    """Check that a container's name isn't in `names`, and add it."""
    if name := container.get("name"):
        if name in names:
            yield checks.duplicate(join(path, "name"), name)
        names.add(name)


def containers(spec: Object, path: str) -> Faults:
    """Check the `containers` of a pod spec, of which there must be at least one."""
    found, where = entries(spec, "containers"), join(path, "containers")
    if not found:
        yield checks.required(where)
        return
    pod, names = PodParts.of(spec), set[str]()
    running = checks.both(_running(pod.grace_s), _restart_policy)
    for index, container in enumerate(found):
        here = f"{where}[{index}]"
        yield from common(container, here, pod)
        yield from new_name(container, here, names)
        yield from running(container, here)
    yield from unique_host_ports(found, where)


def init_containers(spec: Object, path: str) -> Faults:
    """Check the `initContainers` of a pod spec; names are unique among all containers."""
    where, pod = join(path, "initContainers"), PodParts.of(spec)
    names = {container.get("name", "") for container in entries(spec, "containers")}
    running = _running(pod.grace_s)
    for index, container in enumerate(entries(spec, "initContainers")):
        here = f"{where}[{index}]"
        yield from common(container, here, pod)
        yield from _restart_policy(container, here)
        yield from new_name(container, here, names)
        # They run one after another, so each is judged as if it were the first.
        yield from unique_host_ports([container], where)
        if is_sidecar(container):
            yield from running(container, here)
            continue
        # One that ends before the others start isn't probed.
        for name in _NOT_BEFORE_START:
            if container.get(name) is not None:
                message = "may not be set for init containers without restartPolicy=Always"
                yield MinorFieldError(join(here, name), None, message, ErrorKind.FORBIDDEN)


def trimmed_images(spec: Object, path: str) -> Faults:
    """Check that no container image of a pod has spaces around it; templates may have them."""
    for field in ("containers", "initContainers"):
        for index, container in enumerate(entries(spec, field)):
            image = container.get("image") or ""
            if image != image.strip():
                message = "must not have leading or trailing whitespace"
                yield MinorFieldError(f"{join(path, field)}[{index}].image", image, message)
