"""The controllers of a cluster, by the names under which they act."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib import import_module

from podium.api.errors import PodiumError
from podium.cluster.virtual.cluster_options import ClusterOptions
from podium.machines.machine import Machine

Make = Callable[[], Machine]


def _maker(module: str, class_name: str, *arguments: object) -> Make:
    """Return the constructor of a controller, whose module is imported by its first call."""

    def make() -> Machine:
        controller = getattr(import_module(f"podium.controllers.{module}"), class_name)
        machine: Machine = controller(*arguments)
        return machine

    return make


CONTROLLERS: Mapping[str, Make] = {
    "deployment-controller": _maker("deployment.deployment_controller", "DeploymentController"),
    "replicaset-controller": _maker("replica_set", "ReplicaSetController"),
    "replication-controller": _maker(
        "replica_set", "ReplicaSetController", "ReplicationController"
    ),
    "statefulset-controller": _maker("stateful_set", "StatefulSetController"),
    "daemonset-controller": _maker("daemon_set.daemon_set_controller", "DaemonSetController"),
    "job-controller": _maker("job.job_controller", "JobController"),
    "cronjob-controller": _maker("cron_job", "CronJobController"),
    "ttl-after-finished-controller": _maker("ttl_after_finished", "TTLAfterFinishedController"),
    "disruption-controller": _maker("disruption", "DisruptionController"),
    "endpointslice-controller": _maker("endpoints", "EndpointSliceController"),
    "endpoint-controller": _maker("endpoints", "EndpointsController"),
    "ephemeral-volume-controller": _maker("volumes.pod_claims", "EphemeralVolumeController"),
    "persistentvolume-controller": _maker(
        "volumes.persistent_volumes", "PersistentVolumeController"
    ),
    "volume-provisioner": _maker("volumes.volume_provisioner", "VolumeProvisioner"),
    "pvc-protection-controller": _maker("volumes.pod_claims", "VolumeProtectionController"),
    "namespace-controller": _maker("namespace", "NamespaceController"),
    "resourcequota-controller": _maker("resource_quota", "ResourceQuotaController"),
    "generic-garbage-collector": _maker("garbage_collector", "GarbageCollector"),
    "pod-garbage-collector": _maker("pod_gc", "PodGCController"),
    "node-lifecycle-controller": _maker(
        "node_lifecycle.node_lifecycle_controller", "NodeLifecycleController"
    ),
    "taint-eviction-controller": _maker("taint_eviction", "TaintEvictionController"),
    "serviceaccount-controller": _maker("service_accounts", "ServiceAccountsController"),
    "clusterrole-aggregation-controller": _maker(
        "cluster_role_aggregation", "ClusterRoleAggregationController"
    ),
}
"""Constructors, in the order in which watches deliver a write to the controllers."""

_UPSTREAM_NAMES: Mapping[str, str] = {
    "endpoints-controller": "endpoint-controller",
    "garbage-collector-controller": "generic-garbage-collector",
    "persistentvolume-binder-controller": "persistentvolume-controller",
    "persistentvolumeclaim-protection-controller": "pvc-protection-controller",
    "pod-garbage-collector-controller": "pod-garbage-collector",
    "replicationcontroller-controller": "replication-controller",
}
"""kube-controller-manager's names of the controllers that act under other names."""


class UnknownControllerError(PodiumError):
    """A name of no controller."""


def controller_makers(options: ClusterOptions) -> Iterator[tuple[str, Make]]:
    """Yield name and constructor of each controller that runs, in the order of `CONTROLLERS`.

    Raises:
        UnknownControllerError: the options have a name of no controller.
    """
    names = options.controllers
    _check_names(names or ())
    provisioner = "volume-provisioner"
    made = _maker("volumes.volume_provisioner", "VolumeProvisioner", options.provisioning_s)
    makers: dict[str, Make] = {**CONTROLLERS, provisioner: made}
    for name, make in makers.items():
        if names is None or name in names:
            yield name, make


def chosen_controllers(words: Iterable[str]) -> frozenset[str]:
    """Choose controllers by words, as kube-controller-manager's `--controllers` does.

    Args:
        words: `*` for all, a name, or `-` and a name; the first word about a controller counts.

    Raises:
        UnknownControllerError: a word has a name of no controller.
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
        raise UnknownControllerError(f"there is no controller {unknown[0]}; there are {known}")
