"""The controllers that a cluster may run: one line each, by the names that they act under."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial

from podium.api.errors import PodiumError
from podium.cluster.options import ClusterOptions
from podium.control.machine import Machine
from podium.controllers.daemon_set.controller import DaemonSetController
from podium.controllers.deployment.controller import DeploymentController
from podium.controllers.disruption import DisruptionController
from podium.controllers.endpoint_slices import EndpointSliceController
from podium.controllers.endpoints import EndpointsController
from podium.controllers.garbage_collector import GarbageCollector
from podium.controllers.job.controller import JobController
from podium.controllers.namespace import NamespaceController
from podium.controllers.node_lifecycle.controller import NodeLifecycle
from podium.controllers.pod_gc import PodGarbageCollector
from podium.controllers.quota import QuotaController
from podium.controllers.replica_set import ReplicaSetController
from podium.controllers.stateful_set.controller import StatefulSetController
from podium.controllers.taint_eviction import TaintEviction
from podium.controllers.ttl_after_finished import TtlAfterFinished
from podium.controllers.volumes.binder import VolumeBinder
from podium.controllers.volumes.ephemeral import EphemeralVolumes
from podium.controllers.volumes.protection import VolumeProtection
from podium.controllers.volumes.provisioner import VolumeProvisioner

Make = Callable[[], Machine]

CONTROLLERS: Mapping[str, Make] = {
    "deployment-controller": DeploymentController,
    "replicaset-controller": ReplicaSetController,
    "replication-controller": partial(ReplicaSetController, "ReplicationController"),
    "statefulset-controller": StatefulSetController,
    "daemonset-controller": DaemonSetController,
    "job-controller": JobController,
    "ttl-after-finished-controller": TtlAfterFinished,
    "disruption-controller": DisruptionController,
    "endpointslice-controller": EndpointSliceController,
    "endpoint-controller": EndpointsController,
    "ephemeral-volume-controller": EphemeralVolumes,
    "persistentvolume-controller": VolumeBinder,
    "volume-provisioner": VolumeProvisioner,
    "pvc-protection-controller": VolumeProtection,
    "namespace-controller": NamespaceController,
    "resourcequota-controller": QuotaController,
    "generic-garbage-collector": GarbageCollector,
    "pod-garbage-collector": PodGarbageCollector,
    "node-lifecycle-controller": NodeLifecycle,
    "taint-eviction-controller": TaintEviction,
}
"""How to make each, in the order in which watches tell them of a write."""


class UnknownControllerError(PodiumError):
    """A name that no controller has."""


def controllers(options: ClusterOptions) -> Iterator[tuple[str, Make]]:
    """The controllers that are to run, as the options have them, in the order of `CONTROLLERS`.

    Raises:
        UnknownControllerError: the options name one that there isn't.
    """
    names = options.controllers
    unknown = sorted(set(names or ()) - CONTROLLERS.keys())
    if unknown:
        known = ", ".join(CONTROLLERS)
        raise UnknownControllerError(f"there is no controller {unknown[0]}; there are {known}")
    makers: dict[str, Make] = {
        **CONTROLLERS,
        VolumeProvisioner.name: partial(VolumeProvisioner, options.provisioning_s),
    }
    for name, make in makers.items():
        if names is None or name in names:
            yield name, make
