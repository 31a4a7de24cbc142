"""The list of controllers, by the names that they act under."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial

from podium.api.errors import PodiumError
from podium.cluster.options import ClusterOptions
from podium.control.machine import Machine
from podium.controllers.cluster_role_aggregation import ClusterRoleAggregationController
from podium.controllers.cron_job.cron_job_controller import CronJobController
from podium.controllers.daemon_set.daemon_set_controller import DaemonSetController
from podium.controllers.deployment.deployment_controller import DeploymentController
from podium.controllers.disruption import DisruptionController
from podium.controllers.endpoint_slices import EndpointSliceController
from podium.controllers.endpoints import EndpointsController
from podium.controllers.garbage_collector import GarbageCollector
from podium.controllers.job.job_controller import JobController
from podium.controllers.namespace import NamespaceController
from podium.controllers.node_lifecycle.node_lifecycle_controller import NodeLifecycleController
from podium.controllers.pod_gc import PodGCController
from podium.controllers.replica_set import ReplicaSetController
from podium.controllers.resource_quota import ResourceQuotaController
from podium.controllers.service_accounts import ServiceAccountsController
from podium.controllers.stateful_set.stateful_set_controller import StatefulSetController
from podium.controllers.taint_eviction import TaintEvictionController
from podium.controllers.ttl_after_finished import TTLAfterFinishedController
from podium.controllers.volumes.ephemeral_volumes import EphemeralVolumeController
from podium.controllers.volumes.persistent_volumes import PersistentVolumeController
from podium.controllers.volumes.volume_protection import VolumeProtectionController
from podium.controllers.volumes.volume_provisioner import VolumeProvisioner

Make = Callable[[], Machine]

CONTROLLERS: Mapping[str, Make] = {
    "deployment-controller": DeploymentController,
    "replicaset-controller": ReplicaSetController,
    "replication-controller": partial(ReplicaSetController, "ReplicationController"),
    "statefulset-controller": StatefulSetController,
    "daemonset-controller": DaemonSetController,
    "job-controller": JobController,
    "cronjob-controller": CronJobController,
    "ttl-after-finished-controller": TTLAfterFinishedController,
    "disruption-controller": DisruptionController,
    "endpointslice-controller": EndpointSliceController,
    "endpoint-controller": EndpointsController,
    "ephemeral-volume-controller": EphemeralVolumeController,
    "persistentvolume-controller": PersistentVolumeController,
    "volume-provisioner": VolumeProvisioner,
    "pvc-protection-controller": VolumeProtectionController,
    "namespace-controller": NamespaceController,
    "resourcequota-controller": ResourceQuotaController,
    "generic-garbage-collector": GarbageCollector,
    "pod-garbage-collector": PodGCController,
    "node-lifecycle-controller": NodeLifecycleController,
    "taint-eviction-controller": TaintEvictionController,
    "serviceaccount-controller": ServiceAccountsController,
    "clusterrole-aggregation-controller": ClusterRoleAggregationController,
}
"""How to make each, in the order in which watches tell them of a write."""

_UPSTREAM_NAMES: Mapping[str, str] = {
    "endpoints-controller": "endpoint-controller",
    "garbage-collector-controller": "generic-garbage-collector",
    "persistentvolume-binder-controller": "persistentvolume-controller",
    "persistentvolumeclaim-protection-controller": "pvc-protection-controller",
    "pod-garbage-collector-controller": "pod-garbage-collector",
    "replicationcontroller-controller": "replication-controller",
}
"""kube-controller-manager's names of those that act under others."""


class UnknownControllerError(PodiumError):
    """Somebody names a controller that doesn't exist."""


def controller_makers(options: ClusterOptions) -> Iterator[tuple[str, Make]]:
    """Yield name and constructor of each controller that runs, in the order of `CONTROLLERS`.

    Raises:
        UnknownControllerError: the options name one that there isn't.
    """
    names = options.controllers
    _check_names(names or ())
    makers: dict[str, Make] = {
        **CONTROLLERS,
        VolumeProvisioner.name: partial(VolumeProvisioner, options.provisioning_s),
    }
    for name, make in makers.items():
        if names is None or name in names:
            yield name, make


def chosen_controllers(words: Iterable[str]) -> frozenset[str]:
    """The names of the controllers that run, by a list as kube-controller-manager takes it.

    Args:
        words: `*` for all, a name, or `-` and a name; of one controller the first word counts.

    Raises:
        UnknownControllerError: there is none of a name.
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
