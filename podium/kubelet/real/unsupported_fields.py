"""The fields of pods that a runtime of plain processes doesn't support.

Without images, namespaces and mounts, containers need a command, and volumes are directories.
Fields that only restrict a container, such as dropped capabilities, are ignored.
"""

from collections.abc import Iterator

from podium.api.objects import Object, entries, part, status_of
from podium.api.pods import init_containers_of, volumes_of
from podium.kubelet.pod_admission import PodRejection

REASON = "UnsupportedByRuntime"
API_ACCESS = "kube-api-access-"
"""The beginning of the names of volumes that clusters add to each pod."""

_POD_FIELDS = {"resourceClaims": "resource claims", "hostAliases": "host aliases"}
_VOLUMES = ("emptyDir", "hostPath", "configMap", "secret", "downwardAPI", "projected")
_SOURCES = {"configMap", "secret", "downwardAPI"}
_PROBES = ("startupProbe", "livenessProbe", "readinessProbe")
_PROBE_ACTIONS = ("exec", "httpGet", "tcpSocket")
_HOOK_ACTIONS = ("exec", "httpGet", "sleep")


def unsupported(pod: Object, uid: int) -> PodRejection | None:
    """Return the rejection of a pod with unsupported fields; None if all are supported."""
    spec = pod["spec"]
    faults = []
    for volume in volumes_of(spec):
        kind = next((one for one in volume if one != "name"), "emptyDir")
        if kind not in _VOLUMES:
            faults.append(f"volume {volume['name']} of kind {kind}")
        if kind == "emptyDir" and part(volume, kind).get("medium"):
            faults.append(f"volume {volume['name']} of medium {volume[kind]['medium']}")
        for source in entries(part(volume, "projected"), "sources"):
            others = () if volume["name"].startswith(API_ACCESS) else source.keys() - _SOURCES
            faults += [f"volume {volume['name']} with a {other}" for other in sorted(others)]
    faults += [words for field, words in _POD_FIELDS.items() if spec.get(field)]
    if status_of(pod).get("extendedResourceClaimStatus"):
        faults.append("devices for extended resources")
    faults += _security_faults(part(spec, "securityContext"), "the pod", uid)
    for container in (*init_containers_of(spec), *spec["containers"]):
        faults += _container_faults(container, uid)
    if not faults:
        return None
    return PodRejection(
        REASON, f"this node runs plain processes and can't give: {'; '.join(faults)}"
    )


def _container_faults(container: Object, uid: int) -> Iterator[str]:
    who = f"container {container['name']}"
    if not container.get("command"):
        yield f"{who} without a command, which only an image could have"
    if container.get("volumeDevices"):
        yield f"{who} with block devices"
    if container.get("restartPolicyRules"):
        yield f"{who} with restart policy rules"
    yield from _security_faults(part(container, "securityContext"), who, uid)
    for port in container.get("ports") or ():
        if port.get("hostPort") and port["hostPort"] != port["containerPort"]:
            yield f"{who} with port {port['containerPort']} mapped to {port['hostPort']}"
    for probe in _PROBES:
        yield from _action_faults(container.get(probe), _PROBE_ACTIONS, f"{who} with a {probe}")
    lifecycle = part(container, "lifecycle")
    yield from _action_faults(lifecycle.get("preStop"), _HOOK_ACTIONS, f"{who} with a preStop hook")
    if lifecycle.get("postStart"):
        yield f"{who} with a postStart hook"


def _action_faults(action: Object | None, known: tuple[str, ...], where: str) -> Iterator[str]:
    if action is not None and not any(one in action for one in known):
        yield f"{where} of another kind than {', '.join(known)}"


def _security_faults(context: Object, who: str, uid: int) -> Iterator[str]:
    user = context.get("runAsUser")
    if user is not None and user != uid:
        yield f"{who} as user {user}, as all run as user {uid}"
    if context.get("runAsNonRoot") and uid == 0:
        yield f"{who} as anybody but root"
    if context.get("privileged"):
        yield f"{who} with privileges"
    if added := part(context, "capabilities").get("add"):
        yield f"{who} with capabilities {', '.join(added)}"
