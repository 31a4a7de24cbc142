"""Adjustments of OOM scores."""

import pytest

from podium.kubelet.eviction.oom_score import oom_score_adj

CAPACITY = 4 * 10**9


def container(called: str, memory: str, **more: object) -> dict[str, object]:
    return {"name": called, "resources": {"requests": {"memory": memory}}, **more}


@pytest.mark.parametrize(
    ("request_", "adjustment"),
    [("1", 999), ("40M", 990), ("1G", 750), ("4G", 3), ("8G", 3)],
)
def test_burstable_pods_by_their_requests(request_: str, adjustment: int) -> None:
    one = container("c", request_)
    assert oom_score_adj({"spec": {"containers": [one]}}, one, CAPACITY) == adjustment


def test_critical_pods_are_safe_only_if_critical_to_the_node() -> None:
    bare = {"name": "c"}
    for priority_class, adjustment in (("system-node-critical", -997), ("other", 1000)):
        spec = {
            "containers": [bare],
            "priority": 2_000_001_000,
            "priorityClassName": priority_class,
        }
        assert oom_score_adj({"spec": spec}, bare, CAPACITY) == adjustment


def test_a_sidecar_lives_as_long_as_the_containers_that_it_serves() -> None:
    sidecar = container("s", "100M", restartPolicy="Always")
    spec = {"containers": [container("a", "2G"), container("b", "1G")], "initContainers": [sidecar]}
    assert oom_score_adj({"spec": spec}, sidecar, CAPACITY) == 750


def test_what_a_pod_requests_beyond_its_containers_is_shared() -> None:
    one, other = container("a", "1G"), {"name": "b"}
    spec = {"containers": [one, other], "resources": {"requests": {"memory": "2G"}}}
    assert oom_score_adj({"spec": spec}, one, CAPACITY) == 1000 - 375
    assert oom_score_adj({"spec": spec}, other, CAPACITY) == 1000 - 125
