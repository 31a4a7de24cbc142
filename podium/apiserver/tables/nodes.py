"""The columns of what belongs to nodes: Node, Lease, RuntimeClass, CSINode."""

from podium.api.objects import Object, labels
from podium.apiserver.tables.columns import AGE, NAME, NONE, WIDE, Column, Read, at, count, text
from podium.apiserver.tables.durations import UNKNOWN

_ROLE_PREFIX = "node-role.kubernetes.io/"
_ROLE_LABEL = "kubernetes.io/role"


def _status(node: Object, _now_s: float) -> str:
    ready = "Unknown"
    for condition in at(node, "status", "conditions") or ():
        if condition.get("type") == "Ready":
            ready = "Ready" if condition.get("status") == "True" else "NotReady"
    return f"{ready},SchedulingDisabled" if at(node, "spec", "unschedulable") else ready


def _roles(node: Object, _now_s: float) -> str:
    roles = {key.removeprefix(_ROLE_PREFIX) for key in labels(node) if key.startswith(_ROLE_PREFIX)}
    roles.add(labels(node).get(_ROLE_LABEL, ""))
    return ",".join(sorted(roles - {""})) or NONE


def _address(kind: str) -> Read:
    def read(node: Object, _now_s: float) -> str:
        for address in at(node, "status", "addresses") or ():
            if address.get("type") == kind:
                return str(address.get("address") or "")
        return NONE

    return read


def _info(heading: str, field: str, description: str) -> Column:
    return Column(
        heading, text("status", "nodeInfo", field, default=UNKNOWN), description, priority=WIDE
    )


NODE = (
    NAME,
    Column("Status", _status, "Whether the node is ready, and whether it takes pods."),
    Column("Roles", _roles, "Roles that the node's labels name."),
    AGE,
    Column("Version", text("status", "nodeInfo", "kubeletVersion"), "Version of the kubelet."),
    Column("Internal-IP", _address("InternalIP"), "Address within the cluster.", priority=WIDE),
    Column("External-IP", _address("ExternalIP"), "Address outside.", priority=WIDE),
    _info("OS-Image", "osImage", "Operating system."),
    _info("Kernel-Version", "kernelVersion", "Version of the kernel."),
    _info("Container-Runtime", "containerRuntimeVersion", "Runtime of the containers."),
)

LEASE = (
    NAME,
    Column("Holder", text("spec", "holderIdentity"), "Who holds the lease."),
    AGE,
)

RUNTIME_CLASS = (
    NAME,
    Column("Handler", text("handler"), "What runs the pods of this class."),
    AGE,
)

CSI_NODE = (
    NAME,
    Column("Drivers", count("spec", "drivers"), "Number of CSI drivers on the node.", "integer"),
    AGE,
)
