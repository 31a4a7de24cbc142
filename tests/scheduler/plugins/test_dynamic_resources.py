"""DynamicResources says what Podium can't do."""

from podium.scheduler.framework.interface import PreFilterResult
from podium.scheduler.framework.status import Code
from podium.scheduler.plugins.dynamic_resources import DynamicResources
from podium.scheduler.scheduler import Scheduler
from tests.scheduler.plugins.small_cluster import cluster, node, pending, pod, requesting

EMPTY = cluster([])


def test_claims_are_refused_by_name() -> None:
    claiming = pending(EMPTY, pod(resourceClaims=[{"name": "gpu"}, {"name": "nic"}]))
    status = DynamicResources(EMPTY).pre_filter(claiming).status
    assert status.code is Code.UNSCHEDULABLE_AND_UNRESOLVABLE
    assert status.reasons == (
        "podium doesn't model dynamic resource claims yet; the pod has spec.resourceClaims: "
        "gpu, nic",
    )


def test_extended_resources_of_device_classes_are_refused_as_long_as_there_are_such() -> None:
    """Pods of one shape otherwise are told apart, and classes that come and go are seen."""
    gpu = "example.com/gpu"
    scheduler = Scheduler()
    scheduler.load([node("n", cpu="4", pods="10", **{gpu: "4"})], [])
    asking, plain = requesting("a", cpu="1", **{gpu: "1"}), requesting("b", cpu="1")
    gpus = {
        "kind": "DeviceClass",
        "metadata": {"name": "gpus"},
        "spec": {"extendedResourceName": gpu},
    }

    def decided() -> list[str]:
        return [scheduler.decide(scheduler.pending(one)).node_name for one in (plain, asking)]

    assert decided() == ["n", "n"]
    scheduler.listers.set(gpus)
    assert decided() == ["n", ""]
    scheduler.listers.remove(gpus)
    assert decided() == ["n", "n"]


def test_other_pods_are_no_concern() -> None:
    assert DynamicResources(EMPTY).pre_filter(pending(EMPTY, pod())) == PreFilterResult()
