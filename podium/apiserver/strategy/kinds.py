"""The strategies of all kinds; one that isn't named has no status and counts nothing."""

from collections.abc import Callable, Mapping

from podium.api.custom_kinds import CLEANUP, CustomKind
from podium.api.kinds import Kind
from podium.api.objects import Object
from podium.apiserver.custom.strategies import custom_strategy
from podium.apiserver.strategy import namespaces, nodes, pods, services, volumes, workloads
from podium.apiserver.strategy.strategy import (
    Creation,
    Prepare,
    Strategy,
    all_of,
    as_it_is,
    count_changes,
    keep_spec,
    keep_spec_and_metadata,
    keep_status,
)
from podium.apiserver.strategy.zeros import zero_status

_ORPHAN, _NO_DEPENDENTS = "Orphan", ""

Create = Callable[[Object, Creation], Object]


def _starting_with(kind: str, prepare: Create = as_it_is) -> Create:
    """A new object has a status that says nothing yet, whatever it was given."""
    status = zero_status(kind)
    return lambda obj, creation: {**prepare(obj, creation), "status": status}


_counted_spec = all_of(keep_status, count_changes("spec"))
_status: Mapping[str, Prepare] = {"status": keep_spec}
_status_alone: Mapping[str, Prepare] = {"status": keep_spec_and_metadata}
_none: Mapping[str, Prepare] = {}


def _workload(
    kind: str,
    create: Create = as_it_is,
    update: Prepare = _counted_spec,
    update_status: Prepare = keep_spec,
    default_propagation: str = "Background",
    unconditional_update: bool = True,
) -> Strategy:
    return Strategy(
        create=_starting_with(kind, create),
        update=update,
        subresources={"status": update_status},
        counts_generations=True,
        default_propagation=default_propagation,
        unconditional_update=unconditional_update,
    )


_PLAIN = Strategy(subresources=_none)
_CREATED_ON_UPDATE = Strategy(subresources=_none, create_on_update=True)
_ANSWERED = Strategy(subresources=_none, answers_object=True)
_COUNTED = Strategy(update=count_changes("spec"), subresources=_none, counts_generations=True)
_CONDITIONAL = Strategy(subresources=_none, unconditional_update=False)
_ANSWERED_CONDITIONAL = Strategy(
    subresources=_none, answers_object=True, unconditional_update=False
)

_STRATEGIES: Mapping[str, Strategy] = {
    "Pod": Strategy(
        create=pods.create,
        update=_counted_spec,
        subresources={"status": pods.update_status, "resize": pods.resize},
        counts_generations=True,
        answers_object=True,
        graceful=True,
    ),
    "Node": Strategy(create=nodes.create, update=keep_status, subresources=_status),
    "Namespace": Strategy(
        create=namespaces.create,
        update=namespaces.update,
        subresources={"status": keep_spec, "finalize": keep_status},
        answers_object=True,
    ),
    "Service": Strategy(
        create=services.create,
        update=all_of(keep_status, services.keep_addresses),
        subresources=_status,
        create_on_update=True,
        answers_object=True,
    ),
    "ResourceQuota": Strategy(
        create=_starting_with("ResourceQuota"),
        update=keep_status,
        subresources=_status,
        answers_object=True,
    ),
    "PersistentVolume": Strategy(
        create=volumes.create_volume,
        update=keep_status,
        subresources={"status": volumes.update_volume_status},
        answers_object=True,
    ),
    "PersistentVolumeClaim": Strategy(
        create=lambda claim, _: {**claim, "status": {"phase": "Pending"}},
        update=keep_status,
        subresources=_status,
        answers_object=True,
    ),
    "ServiceAccount": _ANSWERED,
    "Endpoints": _CREATED_ON_UPDATE,
    "LimitRange": _CREATED_ON_UPDATE,
    "Event": Strategy(
        subresources=_none, create_on_update=True, default_propagation=_NO_DEPENDENTS
    ),
    "Lease": Strategy(subresources=_none, create_on_update=True, unconditional_update=False),
    "Deployment": _workload(
        "Deployment",
        update=workloads.update_deployment,
        update_status=workloads.update_deployment_status,
    ),
    "ReplicaSet": _workload("ReplicaSet"),
    "StatefulSet": _workload("StatefulSet"),
    "DaemonSet": _workload("DaemonSet", workloads.create_daemon_set, workloads.update_daemon_set),
    "ReplicationController": _workload("ReplicationController", default_propagation=_ORPHAN),
    "Job": _workload("Job", workloads.create_job, default_propagation=_ORPHAN),
    "CronJob": _workload("CronJob"),
    "HorizontalPodAutoscaler": Strategy(
        create=_starting_with("HorizontalPodAutoscaler"),
        update=keep_status,
        subresources=_status,
    ),
    "Ingress": _workload("Ingress"),
    "IngressClass": _COUNTED,
    "NetworkPolicy": _COUNTED,
    "Role": _CREATED_ON_UPDATE,
    "ClusterRole": _CREATED_ON_UPDATE,
    "RoleBinding": _CREATED_ON_UPDATE,
    "ClusterRoleBinding": _CREATED_ON_UPDATE,
    "VolumeAttributesClass": _ANSWERED,
    "ResourceClaimTemplate": _ANSWERED,
    "PodDisruptionBudget": _workload("PodDisruptionBudget", unconditional_update=False),
    "PriorityClass": Strategy(subresources=_none, counts_generations=True),
    "EndpointSlice": Strategy(
        update=count_changes("addressType", "endpoints", "ports"),
        subresources=_none,
        counts_generations=True,
    ),
    "RuntimeClass": _CONDITIONAL,
    "StorageClass": _ANSWERED,
    "CSINode": _ANSWERED_CONDITIONAL,
    "CSIDriver": _ANSWERED_CONDITIONAL,
    "CSIStorageCapacity": _CONDITIONAL,
    "VolumeAttachment": Strategy(
        create=_starting_with("VolumeAttachment"),
        update=keep_status,
        subresources=_status_alone,
        answers_object=True,
        unconditional_update=False,
    ),
    "ResourceClaim": Strategy(
        create=_starting_with("ResourceClaim"),
        update=keep_status,
        subresources=_status_alone,
        answers_object=True,
    ),
    "ResourceSlice": Strategy(
        update=count_changes("spec"),
        subresources=_none,
        counts_generations=True,
        answers_object=True,
    ),
    "CustomResourceDefinition": Strategy(
        create=_starting_with("CustomResourceDefinition"),
        update=_counted_spec,
        subresources=_status,
        counts_generations=True,
        unconditional_update=False,
        answers_object=True,
        deletion_finalizer=CLEANUP,
    ),
    "DeviceClass": Strategy(
        update=count_changes("spec"),
        subresources=_none,
        counts_generations=True,
        answers_object=True,
    ),
}


def strategy_of(kind: Kind) -> Strategy:
    """How objects of a kind are written."""
    if isinstance(kind, CustomKind):
        return custom_strategy(kind)
    return _STRATEGIES.get(kind.key, _PLAIN)
