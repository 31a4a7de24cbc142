"""DynamicResources says what Podium can't do."""

from podium.core.framework import PreFilterResult
from podium.core.status import Code
from podium.plugins.dynamic_resources import DynamicResources
from tests.plugins.small_cluster import cluster, pending, pod

EMPTY = cluster([])


def test_claims_are_refused_by_name() -> None:
    claiming = pending(EMPTY, pod(resourceClaims=[{"name": "gpu"}, {"name": "nic"}]))
    status = DynamicResources(EMPTY).pre_filter(claiming).status
    assert status.code is Code.UNSCHEDULABLE_AND_UNRESOLVABLE
    assert status.reasons == (
        "podium doesn't model dynamic resource claims yet; the pod has spec.resourceClaims: "
        "gpu, nic",
    )


def test_other_pods_are_no_concern() -> None:
    assert DynamicResources(EMPTY).pre_filter(pending(EMPTY, pod())) == PreFilterResult()
