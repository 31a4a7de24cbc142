"""The metrics of the resource claim controller, named as in kube-controller-manager v1.36."""

from collections import Counter
from collections.abc import Iterator

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.registry import Collector

from podium.api.devices.resource_claims import (
    allocation_of,
    asks_for_admin_access,
    is_for_extended_resources,
)
from podium.api.objects import Object, annotations
from podium.cluster.virtual import Cluster
from podium.controllers.resource_claim import POD_CLAIM_NAME, ResourceClaimController

_CREATES = "Creations of ResourceClaims for pods, by status and admin access."
_CLAIMS = "ResourceClaims, by allocation, admin access and what they were made for."


class ClaimMetrics(Collector):
    """Counts the creations of the controller, and the ResourceClaims of the cluster."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster

    def collect(self) -> Iterator[CounterMetricFamily | GaugeMetricFamily]:
        handle = self._cluster.controllers.get(ResourceClaimController.name)
        controller = None if handle is None else handle.machine
        if not isinstance(controller, ResourceClaimController):
            return
        creates = CounterMetricFamily(
            "resourceclaim_controller_creates", _CREATES, labels=["status", "admin_access"]
        )
        for (is_made, is_admin), count in sorted(controller.creates.items()):
            creates.add_metric(["success" if is_made else "failure", _boolean(is_admin)], count)
        yield creates
        labels = ["allocated", "admin_access", "source"]
        claims = GaugeMetricFamily(
            "resourceclaim_controller_resource_claims", _CLAIMS, labels=labels
        )
        counts = Counter(map(_labels_of, self._cluster.store.list("ResourceClaim").items))
        for values, count in sorted(counts.items()):
            claims.add_metric(values, count)
        yield claims


def _labels_of(claim: Object) -> tuple[str, str, str]:
    source = ""
    if POD_CLAIM_NAME in annotations(claim):
        source = "resource_claim_template"
    elif is_for_extended_resources(claim):
        source = "extended_resource"
    is_allocated = allocation_of(claim) is not None
    return _boolean(is_allocated), _boolean(asks_for_admin_access(claim)), source


def _boolean(value: bool) -> str:
    return "true" if value else "false"
