"""Which rules hold for updates of which kind, and of which of its subresources."""

from collections.abc import Mapping

from podium.api.custom_kinds import CustomKind
from podium.api.errors import FieldError
from podium.api.kinds import Kind
from podium.api.objects import Object
from podium.apiserver.custom.judging import faults as custom_faults
from podium.apiserver.update_validation import (
    definitions,
    job_status,
    jobs,
    nodes,
    others,
    pod_resize,
    pod_status,
    pods,
    storage,
    workloads,
)
from podium.apiserver.update_validation.metadata import metadata
from podium.apiserver.update_validation.rules import Rule
from podium.apiserver.validation.kinds import CHECKS

_RULES: Mapping[str, Rule] = {
    **{kind: others.judged_anew(kind) for kind in CHECKS},
    "Pod": pods.update,
    "Pod/status": pod_status.status_update,
    "Pod/resize": pod_resize.resize_update,
    "Node": nodes.update,
    "Node/status": nodes.status_update,
    "Namespace": metadata,
    "Namespace/status": others.namespace_status,
    "Namespace/finalize": others.namespace_finalize,
    "Service": others.service,
    "ReplicationController": workloads.replication_controller,
    "ReplicationController/status": workloads.replication_controller_status,
    "ResourceQuota": others.resource_quota,
    "ResourceQuota/status": others.resource_quota_status,
    "PersistentVolume": storage.volume,
    "PersistentVolume/status": storage.volume_status,
    "PersistentVolumeClaim": storage.claim,
    "PersistentVolumeClaim/status": storage.claim_status,
    "ConfigMap": others.data("ConfigMap", "data", "binaryData"),
    "Secret": others.data("Secret", "data"),
    "Deployment": workloads.deployment,
    "Deployment/status": workloads.deployment_status,
    "ReplicaSet": workloads.replica_set,
    "ReplicaSet/status": workloads.replica_set_status,
    "StatefulSet": workloads.stateful_set,
    "StatefulSet/status": workloads.stateful_set_status,
    "DaemonSet": workloads.daemon_set,
    "DaemonSet/status": workloads.daemon_set_status,
    "ControllerRevision": others.controller_revision,
    "Job": jobs.update,
    "Job/status": job_status.status_update,
    "EndpointSlice": others.endpoint_slice,
    "PodDisruptionBudget": others.disruption_budget,
    "PodDisruptionBudget/status": others.disruption_budget_status,
    "PriorityClass": others.priority_class,
    "RuntimeClass": others.runtime_class,
    "StorageClass": storage.storage_class,
    "CSINode": storage.csi_node,
    "CSIDriver": storage.csi_driver,
    "CSIStorageCapacity": storage.csi_storage_capacity,
    "VolumeAttachment": storage.volume_attachment,
    "ResourceClaim": others.resource_claim,
    "ResourceSlice": others.resource_slice,
    "CustomResourceDefinition": definitions.update,
}


def validate_update(
    kind: Kind, new: Object, old: Object, subresource: str = ""
) -> list[FieldError]:
    """All faults of an update, in kube-apiserver's order; most of those of metadata come twice.

    Args:
        kind: of the object.
        new: as it is to be stored: prepared, with the server's own metadata.
        old: as it is stored.
        subresource: which the update goes through; empty for the object itself.
    """
    found = list(metadata(new, old))
    if isinstance(kind, CustomKind):
        return [*found, *metadata(new, old), *custom_faults(kind, new, old)]
    rule = _RULES.get(f"{kind.key}/{subresource}" if subresource else kind.key)
    if rule is not None:
        found += rule(new, old)
    return found
