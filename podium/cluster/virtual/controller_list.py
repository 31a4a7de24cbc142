"""The controllers of a cluster, by the names under which they act."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from importlib import import_module

from podium.api.errors import PodiumError
from podium.cluster.virtual.cluster_options import ClusterOptions
from podium.machines.machine import Machine

Make = Callable[[], Machine]


_CLASSES: Mapping[str, tuple[str, ...]] = {
    "deployment-controller": ("deployment.deployment_controller", "DeploymentController"),
    "replicaset-controller": ("replica_set", "ReplicaSetController"),
    "replication-controller": ("replica_set", "ReplicaSetController", "ReplicationController"),
    "statefulset-controller": ("stateful_set", "StatefulSetController"),
    "daemonset-controller": ("daemon_set.daemon_set_controller", "DaemonSetController"),
    "job-controller": ("job.job_controller", "JobController"),
    "cronjob-controller": ("cron_job", "CronJobController"),
    "ttl-after-finished-controller": ("ttl_after_finished", "TTLAfterFinishedController"),
    "disruption-controller": ("disruption", "DisruptionController"),
    "endpointslice-controller": ("endpoints", "EndpointSliceController"),
    "endpoint-controller": ("endpoints", "EndpointsController"),
    "ephemeral-volume-controller": ("volumes.pod_claims", "EphemeralVolumeController"),
    "persistentvolume-controller": ("volumes.persistent_volumes", "PersistentVolumeController"),
    "volume-provisioner": ("volumes.volume_provisioner", "VolumeProvisioner"),
    "pvc-protection-controller": ("volumes.pod_claims", "VolumeProtectionController"),
    "resource-claim-controller": ("resource_claim", "ResourceClaimController"),
    "namespace-controller": ("namespace", "NamespaceController"),
    "resourcequota-controller": ("resource_quota", "ResourceQuotaController"),
    "generic-garbage-collector": ("garbage_collector", "GarbageCollector"),
    "pod-garbage-collector": ("pod_gc", "PodGCController"),
    "node-lifecycle-controller": (
        "node_lifecycle.node_lifecycle_controller",
        "NodeLifecycleController",
    ),
    "taint-eviction-controller": ("taint_eviction", "TaintEvictionController"),
    "device-taint-eviction-controller": (
        "device_taint_eviction",
        "DeviceTaintEvictionController",
    ),
    "serviceaccount-controller": ("service_accounts", "ServiceAccountsController"),
    "clusterrole-aggregation-controller": (
        "cluster_role_aggregation",
        "ClusterRoleAggregationController",
    ),
}
"""Module in `podium.controllers`, class and further arguments of each controller."""


def _make(module: str, class_name: str, *arguments: object) -> Machine:
    # A module is imported with its first controller.
    controller = getattr(import_module(f"podium.controllers.{module}"), class_name)
    machine: Machine = controller(*arguments)
    return machine


CONTROLLERS: Mapping[str, Make] = {name: partial(_make, *made) for name, made in _CLASSES.items()}
"""Constructors, in the order in which watches deliver a write to the controllers."""

_UPSTREAM_NAMES: Mapping[str, str] = {
    "endpoints-controller": "endpoint-controller",
    "garbage-collector-controller": "generic-garbage-collector",
    "persistentvolume-binder-controller": "persistentvolume-controller",
    "persistentvolumeclaim-protection-controller": "pvc-protection-controller",
    "pod-garbage-collector-controller": "pod-garbage-collector",
    "replicationcontroller-controller": "replication-controller",
    "resourceclaim-controller": "resource-claim-controller",
}
"""kube-controller-manager's names of the controllers that act under other names."""


def controller_makers(options: ClusterOptions) -> Iterator[tuple[str, Make]]:
    """Yield name and constructor of each controller to run; raises PodiumError."""
    names = options.controllers
    _check_names(names or ())
    for name, made in _CLASSES.items():
        if names is None or name in names:
            timed = (options.provisioning_s,) if name == "volume-provisioner" else ()
            yield name, partial(_make, *made, *timed)


def chosen_controllers(words: Iterable[str]) -> frozenset[str]:
    """Choose controllers by the words of kube-controller-manager's `--controllers`.

    A word is `*` for all, `NAME`, or `-NAME`; the first word about a controller counts.
    """
    listed: dict[str, bool] = {}
    for word in words:
        name = word.removeprefix("-")
        listed.setdefault(_UPSTREAM_NAMES.get(name, name), not word.startswith("-"))
    has_all = listed.pop("*", False)
    _check_names(listed)
    return frozenset(name for name in CONTROLLERS if listed.get(name, has_all))


def _check_names(names: Iterable[str]) -> None:
    unknown = sorted(set(names) - CONTROLLERS.keys())
    if unknown:
        known = ", ".join(CONTROLLERS)
        raise PodiumError(f"there is no controller {unknown[0]}; there are {known}")
