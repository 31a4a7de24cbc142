"""Defaulting: what kube-apiserver fills into an object before it looks at it any closer.

The rules are those of v1.36's `SetDefaults` functions for the kinds that Podium knows, and what
preparing a pod for its creation does to selectors with label keys. Fields whose absence has a
meaning of its own stay absent, there as here: of a topology spread constraint the node inclusion
policies and minDomains, for example.
"""

from collections.abc import Mapping

from podium.api.objects import Object
from podium.apiserver.defaulting import (
    access,
    cluster,
    data,
    definitions,
    limits,
    networking,
    pods,
    volumes,
    workloads,
)
from podium.apiserver.defaulting.copying import Filler
from podium.apiserver.defaulting.label_keys import merge_label_keys

__all__ = ["apply_defaults"]

_FILLERS: Mapping[str, Filler] = {
    "Pod": pods.pod,
    "Deployment": workloads.deployment,
    "ReplicaSet": workloads.replica_set,
    "ReplicationController": workloads.replication_controller,
    "StatefulSet": workloads.stateful_set,
    "DaemonSet": workloads.daemon_set,
    "Job": workloads.job,
    "CronJob": workloads.cron_job,
    "HorizontalPodAutoscaler": workloads.autoscaler,
    "NetworkPolicy": networking.network_policy,
    "IngressClass": networking.ingress_class,
    "RoleBinding": access.binding,
    "ClusterRoleBinding": access.binding,
    "CustomResourceDefinition": definitions.with_defaults,
    "Node": cluster.node,
    "Namespace": cluster.namespace,
    "Service": cluster.service,
    "PriorityClass": cluster.priority_class,
    "PersistentVolumeClaim": volumes.claim,
    "PersistentVolume": volumes.persistent_volume,
    "StorageClass": volumes.storage_class,
    "CSIDriver": volumes.csi_driver,
    "LimitRange": limits.limit_range,
    "ResourceQuota": limits.resource_quota,
    "Secret": data.secret,
    "Endpoints": data.endpoints,
    "EndpointSlice": data.endpoint_slice,
}


def apply_defaults(obj: Object, kind: str | None = None, *, is_new: bool = True) -> Object:
    """The object with everything filled in; the same object where nothing is missing.

    Nothing of the given object is changed; what didn't need filling is shared with the result.
    Filling in again changes nothing. Kinds without defaults come back as they are.

    Args:
        obj: a valid object.
        kind: its kind, where the object doesn't tell.
        is_new: whether it is to be created; label keys are merged into the selectors of a new
            pod, and stay what they are when its labels change.
    """
    kind = kind or str(obj.get("kind"))
    filler = _FILLERS.get(kind)
    filled: Object = filler(obj) if filler else obj
    return merge_label_keys(filled) if kind == "Pod" and is_new else filled
