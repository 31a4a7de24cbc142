"""The containers of a pod spec, in the order in which ValidatePodSpec looks at them.

Security contexts aren't judged, nor what only a kubelet reads of mounts.
"""

from collections.abc import Mapping
from typing import Any, Self

import msgspec

from podium.api.errors import ErrorKind, FieldError, unsupported
from podium.api.resources import is_sidecar
from podium.apiserver.validation import checks
from podium.apiserver.validation.checks import Faults, MinorFieldError, a_dict, dicts, join
from podium.apiserver.validation.names import dns_label
from podium.apiserver.validation.pods.environment import environment, environment_from
from podium.apiserver.validation.pods.pod_volumes import known_volumes, mounts
from podium.apiserver.validation.pods.ports import ports, unique_host_ports
from podium.apiserver.validation.pods.probes import lifecycle, probes
from podium.apiserver.validation.resource_requirements import container_resources

_NOT_BEFORE_START = ("lifecycle", "livenessProbe", "readinessProbe", "startupProbe")
_RESIZABLE = ("cpu", "memory")
_AFTER_RESIZE = ("NotRequired", "RestartContainer")


class PodParts(msgspec.Struct, frozen=True):
    """What the containers of a pod are judged by; a container may have its own restart policy."""

    volumes: Mapping[str, Any]
    claims: frozenset[str]
    grace_s: object
    restart_policy: object

    @classmethod
    def of(cls, spec: Mapping[str, Any]) -> Self:
        """What stands in a pod spec."""
        return cls(
            volumes=known_volumes(spec),
            claims=frozenset(str(one.get("name")) for _, one in dicts(spec.get("resourceClaims"))),
            grace_s=spec.get("terminationGracePeriodSeconds"),
            restart_policy=spec.get("restartPolicy"),
        )


_first_fields = checks.fields(
    name=checks.needed(dns_label),
    image=checks.absent_as("", checks.detail(checks.some_text)),
    terminationMessagePolicy=checks.detail(checks.choice("File", "FallbackToLogsOnError")),
    ports=ports,
    env=environment,
    envFrom=environment_from,
)
_last_fields = checks.fields(
    imagePullPolicy=checks.detail(checks.choice("Always", "IfNotPresent", "Never")),
    resources=container_resources,
    securityContext=checks.detail(
        checks.fields(runAsUser=checks.user_id, runAsGroup=checks.user_id)
    ),
)
_restart_policy = checks.fields(restartPolicy=checks.one_of("Always", "Never", "OnFailure"))


def common(container: Any, path: str, pod: PodParts) -> Faults:
    """What all containers have to fulfil."""
    if not isinstance(container, dict):
        yield checks.wrong_type(path, container, "an object")
        return
    yield from _first_fields(container, path)
    yield from mounts(container, path, pod.volumes)
    yield from _last_fields(container, path)
    yield from _claims(container, join(path, "resources.claims"), pod)
    yield from checks.detail(_resizing(pod))(container, path)


def _claims(container: Mapping[str, Any], path: str, pod: PodParts) -> Faults:
    seen = set()
    known = f": {', '.join(sorted(pod.claims))}" if pod.claims else " which is empty"
    for index, claim in dicts(a_dict(container.get("resources")).get("claims")):
        name, request = str(claim.get("name") or ""), claim.get("request") or ""
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


def _resizing(pod: PodParts) -> Any:
    def check(container: Any, path: str) -> Faults:
        # Most faults have no index, as kube-apiserver has it.
        where, seen = join(path, "resizePolicy"), set[str]()
        for index, policy in dicts(container.get("resizePolicy")):
            name, restart = policy.get("resourceName") or "", policy.get("restartPolicy") or ""
            if str(name) in seen:
                yield checks.duplicate(f"{where}[{index}]", name)
            seen.add(str(name))
            for value, known in ((name, _RESIZABLE), (restart, _AFTER_RESIZE)):
                if not value:
                    yield checks.required(where)
                elif value not in known:
                    yield unsupported(where, value, known)
            if pod.restart_policy == "Never" and restart != "NotRequired":
                message = "must be 'NotRequired' when `restartPolicy` is 'Never'"
                yield FieldError(where, restart, message)

    return check


def new_name(container: Any, path: str, names: set[str]) -> Faults:
    """A container's name is none of these, to which it is added."""
    name = container.get("name")
    if isinstance(name, str) and name:
        if name in names:
            yield checks.duplicate(join(path, "name"), name)
        names.add(name)


def containers(spec: Mapping[str, Any], path: str) -> Faults:
    """The `containers` of a pod spec; there has to be one."""
    found, where = spec.get("containers"), join(path, "containers")
    if not found:
        yield checks.required(where)
        return
    if not isinstance(found, list):
        yield checks.wrong_type(where, found, "a list")
        return
    pod, names = PodParts.of(spec), set[str]()
    running = checks.in_turn(
        checks.fields(lifecycle=lifecycle(pod.grace_s)), probes, _restart_policy
    )
    for index, one in enumerate(found):
        yield from common(one, f"{where}[{index}]", pod)
        if isinstance(one, dict):
            yield from new_name(one, f"{where}[{index}]", names)
            yield from running(one, f"{where}[{index}]")
    yield from unique_host_ports(found, where)


def init_containers(spec: Mapping[str, Any], path: str) -> Faults:
    """The `initContainers` of a pod spec, whose names are unique among all its containers."""
    found, where = spec.get("initContainers"), join(path, "initContainers")
    if found is None:
        return
    if not isinstance(found, list):
        yield checks.wrong_type(where, found, "a list")
        return
    pod = PodParts.of(spec)
    names = {str(one.get("name")) for _, one in dicts(spec.get("containers"))}
    running = checks.in_turn(checks.fields(lifecycle=lifecycle(pod.grace_s)), probes)
    for index, one in enumerate(found):
        here = f"{where}[{index}]"
        yield from common(one, here, pod)
        if isinstance(one, dict):
            yield from _restart_policy(one, here)
            yield from new_name(one, here, names)
            # They run one after another, so each is judged as if it were the first.
            yield from unique_host_ports([one], where)
            if is_sidecar(one):
                yield from running(one, here)
                continue
            # One that ends before the others start isn't probed.
            for name in _NOT_BEFORE_START:
                if one.get(name) is not None:
                    message = "may not be set for init containers without restartPolicy=Always"
                    yield MinorFieldError(join(here, name), None, message, ErrorKind.FORBIDDEN)


def trimmed_images(spec: Mapping[str, Any], path: str) -> Faults:
    """No image of a pod's containers has space around it; in templates it may."""
    for field in ("containers", "initContainers"):
        for index, one in dicts(spec.get(field)) if field in spec else ():
            image = one.get("image")
            if isinstance(image, str) and image != image.strip():
                message = "must not have leading or trailing whitespace"
                yield MinorFieldError(f"{join(path, field)}[{index}].image", image, message)
