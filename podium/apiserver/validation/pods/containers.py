"""The containers of a pod spec, in the order in which ValidatePodSpec looks at them.

Security contexts aren't judged, nor what only a kubelet reads of mounts.
"""

from collections.abc import Mapping
from typing import Self

import msgspec

from podium.api.errors import ErrorKind, FieldError, unsupported
from podium.api.objects import Object, entries, part
from podium.api.resources import is_sidecar
from podium.apiserver.validation import checks
from podium.apiserver.validation.checks import Check, Faults, MinorFieldError, join
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
    """The parts of a pod by which its containers are judged."""

    volumes: Mapping[str, Object]
    claims: frozenset[str]
    grace_s: int | None
    restart_policy: str

    @classmethod
    def of(cls, spec: Object) -> Self:
        """Read the parts of a pod spec."""
        return cls(
            volumes=known_volumes(spec),
            claims=frozenset(claim.get("name", "") for claim in entries(spec, "resourceClaims")),
            grace_s=spec.get("terminationGracePeriodSeconds"),
            restart_policy=spec.get("restartPolicy", ""),
        )


_first_fields = checks.fields(
    name=checks.needed(dns_label),
    image=checks.needed(is_detail=True),
    terminationMessagePolicy=checks.detail(checks.one_of("File", "FallbackToLogsOnError")),
    ports=ports,
    env=environment,
    envFrom=environment_from,
)
_last_fields = checks.fields(
    imagePullPolicy=checks.detail(checks.one_of("Always", "IfNotPresent", "Never")),
    resources=container_resources,
    securityContext=checks.detail(
        checks.fields(runAsUser=checks.user_id, runAsGroup=checks.user_id)
    ),
)
_restart_policy = checks.fields(restartPolicy=checks.one_of("Always", "Never", "OnFailure"))


def common(container: Object, path: str, pod: PodParts) -> Faults:
    """Check what all containers have to fulfil."""
    yield from _first_fields(container, path)
    yield from mounts(container, path, pod.volumes)
    yield from _last_fields(container, path)
    yield from _claims(container, join(path, "resources.claims"), pod)
    yield from checks.detail(_resizing(pod))(container, path)


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


def _resizing(pod: PodParts) -> Check:
    def check(container: Object, path: str) -> Faults:
        # Most faults have no index, as in kube-apiserver.
        where, seen = join(path, "resizePolicy"), set[str]()
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
            if pod.restart_policy == "Never" and restart != "NotRequired":
                message = "must be 'NotRequired' when `restartPolicy` is 'Never'"
                yield FieldError(where, restart, message)

    return check


def new_name(container: Object, path: str, names: set[str]) -> Faults:
    """Check that the name of a container is none of `names`, and add it to them."""
    if name := container.get("name"):
        if name in names:
            yield checks.duplicate(join(path, "name"), name)
        names.add(name)


def containers(spec: Object, path: str) -> Faults:
    """Check the `containers` of a pod spec, of which there has to be one."""
    found, where = entries(spec, "containers"), join(path, "containers")
    if not found:
        yield checks.required(where)
        return
    pod, names = PodParts.of(spec), set[str]()
    running = checks.both(checks.fields(lifecycle=lifecycle(pod.grace_s)), probes, _restart_policy)
    for index, container in enumerate(found):
        here = f"{where}[{index}]"
        yield from common(container, here, pod)
        yield from new_name(container, here, names)
        yield from running(container, here)
    yield from unique_host_ports(found, where)


def init_containers(spec: Object, path: str) -> Faults:
    """Check the `initContainers` of a pod spec; names are unique among all its containers."""
    where, pod = join(path, "initContainers"), PodParts.of(spec)
    names = {container.get("name", "") for container in entries(spec, "containers")}
    running = checks.both(checks.fields(lifecycle=lifecycle(pod.grace_s)), probes)
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
    """Check that no image of a pod's containers has space around it; in templates it may."""
    for field in ("containers", "initContainers"):
        for index, container in enumerate(entries(spec, field)):
            image = container.get("image") or ""
            if image != image.strip():
                message = "must not have leading or trailing whitespace"
                yield MinorFieldError(f"{join(path, field)}[{index}].image", image, message)
