"""The tables of all kinds, in one place: to add one is to declare its columns and a line here."""

from collections.abc import Mapping

from podium.api.custom_kinds import CustomKind
from podium.api.kinds import Kind
from podium.apiserver.custom.columns import custom_columns
from podium.apiserver.tables import (
    access,
    data,
    devices,
    events,
    networking,
    nodes,
    pods,
    policies,
    services,
    storage,
    workloads,
)
from podium.apiserver.tables.columns import NAME, Column, text

Columns = tuple[Column, ...]

COLUMNS: Mapping[str, Columns] = {
    "Pod": pods.POD,
    "Node": nodes.NODE,
    "Namespace": policies.NAMESPACE,
    "Service": services.SERVICE,
    "Endpoints": services.ENDPOINTS,
    "EndpointSlice": services.ENDPOINT_SLICE,
    "ReplicationController": workloads.REPLICATION_CONTROLLER,
    "Deployment": workloads.DEPLOYMENT,
    "ReplicaSet": workloads.REPLICA_SET,
    "StatefulSet": workloads.STATEFUL_SET,
    "DaemonSet": workloads.DAEMON_SET,
    "ControllerRevision": workloads.CONTROLLER_REVISION,
    "Job": workloads.JOB,
    "CronJob": workloads.CRON_JOB,
    "HorizontalPodAutoscaler": workloads.HORIZONTAL_POD_AUTOSCALER,
    "Ingress": networking.INGRESS,
    "IngressClass": networking.INGRESS_CLASS,
    "NetworkPolicy": networking.NETWORK_POLICY,
    "Role": access.ROLE,
    "ClusterRole": access.ROLE,
    "RoleBinding": access.ROLE_BINDING,
    "ClusterRoleBinding": access.ROLE_BINDING,
    "Scale": workloads.SCALE,
    "PodDisruptionBudget": policies.POD_DISRUPTION_BUDGET,
    "PriorityClass": policies.PRIORITY_CLASS,
    "ResourceQuota": policies.RESOURCE_QUOTA,
    "LimitRange": policies.LIMIT_RANGE,
    "ConfigMap": data.CONFIG_MAP,
    "Secret": data.SECRET,
    "ServiceAccount": data.SERVICE_ACCOUNT,
    "Event": events.EVENT,
    "RuntimeClass": nodes.RUNTIME_CLASS,
    "Lease": nodes.LEASE,
    "PersistentVolume": storage.PERSISTENT_VOLUME,
    "PersistentVolumeClaim": storage.PERSISTENT_VOLUME_CLAIM,
    "StorageClass": storage.STORAGE_CLASS,
    "VolumeAttributesClass": storage.VOLUME_ATTRIBUTES_CLASS,
    "CSINode": nodes.CSI_NODE,
    "CSIDriver": storage.CSI_DRIVER,
    "CSIStorageCapacity": storage.CSI_STORAGE_CAPACITY,
    "VolumeAttachment": storage.VOLUME_ATTACHMENT,
    "ResourceClaim": devices.RESOURCE_CLAIM,
    "ResourceClaimTemplate": devices.RESOURCE_CLAIM_TEMPLATE,
    "ResourceSlice": devices.RESOURCE_SLICE,
    "DeviceClass": devices.DEVICE_CLASS,
    "CustomResourceDefinition": (
        NAME,
        Column("Created At", text("metadata", "creationTimestamp"), "When it was created."),
    ),
}
"""The columns of each kind, in kubectl's order."""


def columns_of(kind: Kind) -> Columns:
    """The columns of a kind, wherever it comes from."""
    return custom_columns(kind) if isinstance(kind, CustomKind) else COLUMNS[kind.key]
