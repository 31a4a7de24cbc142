"""Which check judges objects of which kind; a kind without one isn't looked at."""

from collections.abc import Mapping

from podium.apiserver.validation import (
    coordination,
    data,
    definitions,
    groups,
    idle,
    limit_ranges,
    nodes,
    pods,
    policies,
    quotas,
    storage,
    workloads,
)
from podium.apiserver.validation.checks import Check

CHECKS: Mapping[str, Check] = {
    **idle.CHECKS,
    "Pod": pods.pod,
    "Node": nodes.node,
    "Namespace": groups.namespace,
    "Service": groups.service,
    "ReplicationController": workloads.replication_controller,
    "PersistentVolumeClaim": storage.persistent_volume_claim,
    "PersistentVolume": storage.persistent_volume,
    "Deployment": workloads.deployment,
    "ReplicaSet": workloads.replica_set,
    "StatefulSet": workloads.stateful_set,
    "DaemonSet": workloads.daemon_set,
    "Job": workloads.job,
    "PodDisruptionBudget": policies.pod_disruption_budget,
    "PriorityClass": policies.priority_class,
    "StorageClass": storage.storage_class,
    "CSINode": nodes.csi_node,
    "CSIDriver": nodes.csi_driver,
    "CSIStorageCapacity": nodes.csi_storage_capacity,
    "RuntimeClass": policies.runtime_class,
    "ResourceQuota": quotas.resource_quota,
    "LimitRange": limit_ranges.limit_range,
    "ConfigMap": data.config_map,
    "Secret": data.secret,
    "ServiceAccount": data.service_account,
    "ControllerRevision": data.controller_revision,
    "Lease": coordination.lease,
    "Event": coordination.event,
    "Endpoints": coordination.endpoints,
    "EndpointSlice": coordination.endpoint_slice,
    "VolumeAttachment": coordination.volume_attachment,
    "CustomResourceDefinition": definitions.definition,
}
"""The checks by the kind's name."""
