"""The kinds of objects that Podium knows: their versions, their scope, and their checks."""

from collections.abc import Mapping
from dataclasses import dataclass

from podium.apiserver.validation import groups, nodes, pods, policies, storage, workloads
from podium.apiserver.validation.checks import Check


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of objects.

    Attributes:
        group: the API group; empty for the core group.
        name: as in an object's `kind`.
        namespaced: whether objects stand in namespaces.
        check: judges an object.
        version: the one version that v1.36 serves.
    """

    group: str
    name: str
    namespaced: bool
    check: Check
    version: str = "v1"

    @property
    def api_version(self) -> str:
        """As in an object's `apiVersion`."""
        return f"{self.group}/{self.version}" if self.group else self.version


_SCHEDULING, _STORAGE, _RUNTIME = "scheduling.k8s.io", "storage.k8s.io", "node.k8s.io"

_KINDS = (
    Kind("", "Pod", True, pods.pod),
    Kind("", "Node", False, nodes.node),
    Kind("", "Namespace", False, groups.namespace),
    Kind("", "Service", True, groups.service),
    Kind("", "ReplicationController", True, workloads.replication_controller),
    Kind("", "PersistentVolumeClaim", True, storage.persistent_volume_claim),
    Kind("", "PersistentVolume", False, storage.persistent_volume),
    Kind("apps", "Deployment", True, workloads.deployment),
    Kind("apps", "ReplicaSet", True, workloads.replica_set),
    Kind("apps", "StatefulSet", True, workloads.stateful_set),
    Kind("apps", "DaemonSet", True, workloads.daemon_set),
    Kind("batch", "Job", True, workloads.job),
    Kind("policy", "PodDisruptionBudget", True, policies.pod_disruption_budget),
    Kind(_SCHEDULING, "PriorityClass", False, policies.priority_class),
    Kind(_STORAGE, "StorageClass", False, storage.storage_class),
    Kind(_STORAGE, "CSINode", False, nodes.csi_node),
    Kind(_STORAGE, "CSIDriver", False, nodes.csi_driver),
    Kind(_STORAGE, "CSIStorageCapacity", True, nodes.csi_storage_capacity),
    Kind(_RUNTIME, "RuntimeClass", False, policies.runtime_class),
)

KINDS: Mapping[tuple[str, str], Kind] = {(kind.group, kind.name): kind for kind in _KINDS}
"""The known kinds by group and name."""
