"""Replacements of evicted pods, kept from the nodes that evicted them."""

from typing import Any

from podium.api.selectors.node_selector import required_node_affinity
from podium.machines.events import Change
from podium.scheduler.machine.eviction_guard import EvictionGuard
from podium.simulation.runner.scenario_runner import simulate
from podium.simulation.scenario.scenario_document import read_scenario
from tests.objects import Obj

EVICTED_S = 1_767_225_600.0


def pod(name: str, owner: str = "rs", **spec: Any) -> Obj:
    return {
        "kind": "Pod",
        "metadata": {
            "name": name,
            "namespace": "default",
            "uid": name,
            "ownerReferences": [{"uid": owner, "controller": True}] if owner else [],
        },
        "spec": spec,
    }


def evicted(name: str, node: str, owner: str = "rs", reason: str = "TerminationByKubelet") -> Obj:
    condition = {
        "type": "DisruptionTarget",
        "status": "True",
        "reason": reason,
        "lastTransitionTime": "2026-01-01T00:00:00Z",
    }
    status = {"phase": "Failed", "reason": "Evicted", "conditions": [condition]}
    return {**pod(name, owner, nodeName=node), "status": status}


def guard(*gone: Obj, now_s: float = EVICTED_S) -> EvictionGuard:
    made = EvictionGuard(60.0)
    for one in gone:
        made.shown(Change("Pod", None, one), now_s)
    return made


def open_nodes(shown: Change) -> list[str]:
    assert shown.new is not None
    affinity = required_node_affinity(shown.new)
    return [node for node in ("n1", "n2") if affinity.matches({"disk": "ssd"}, node)]


def test_a_replacement_is_kept_from_the_node() -> None:
    made = guard(evicted("a", "n1"))
    new = pod("b")
    assert open_nodes(made.shown(Change("Pod", None, new), EVICTED_S + 59)) == ["n2"]
    assert new == pod("b")
    assert made.next_wakeup_s() == EVICTED_S + 60


def test_others_may_go_there() -> None:
    for other in (pod("b", "other"), pod("b", "")):
        shown = guard(evicted("a", "n1")).shown(Change("Pod", None, other), EVICTED_S)
        assert shown.new is other


def test_only_evictions_under_pressure_count_and_only_for_a_while() -> None:
    change = Change("Pod", None, pod("b"))
    limit = evicted("a", "n1", reason="EvictionByEvictionAPI")
    assert guard(limit).shown(change, EVICTED_S).new is change.new
    late = guard(evicted("a", "n1"), now_s=EVICTED_S + 60)
    assert late.shown(change, EVICTED_S + 60).new is change.new


def test_its_own_affinity_stays() -> None:
    term = {"matchExpressions": [{"key": "disk", "operator": "In", "values": ["ssd"]}]}
    other = {"matchExpressions": [{"key": "disk", "operator": "In", "values": ["hdd"]}]}
    required = {"nodeSelectorTerms": [other, term]}
    affinity = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": required}}
    shown = guard(evicted("a", "n1")).shown(Change("Pod", None, pod("b", affinity=affinity)), 0)
    assert open_nodes(shown) == ["n2"]


def test_it_comes_anew_when_the_time_is_over() -> None:
    made = guard(evicted("a", "n1"), evicted("c", "n2"))
    new = pod("b")
    shown = made.shown(Change("Pod", None, new), EVICTED_S)
    assert open_nodes(shown) == []
    assert list(made.released(EVICTED_S + 59)) == []
    away, back = made.released(EVICTED_S + 60)
    assert (away.old, away.new, back.old) == (shown.new, None, None)
    assert back.new is new
    assert made.next_wakeup_s() is None


def test_the_same_pod_is_shown_the_same() -> None:
    made = guard(evicted("a", "n1"))
    change = Change("Pod", None, pod("b"))
    assert made.shown(change, EVICTED_S).new is made.shown(change, EVICTED_S).new


def test_who_is_bound_or_gone_is_forgotten() -> None:
    for end in (pod("b", nodeName="n2"), None):
        made = guard(evicted("a", "n1"))
        made.shown(Change("Pod", None, pod("b")), EVICTED_S)
        made.shown(Change("Pod", pod("b"), end), EVICTED_S)
        assert made.next_wakeup_s() is None


STORY = """
apiVersion: podium.dev/v1alpha1
kind: Scenario
spec:
  until: 8m
  nodes: [{name: n1, capacity: {cpu: "4", memory: 4Gi}}]
  schedulers:
    - configuration:
        {apiVersion: podium.dev/v1alpha1, kind: SchedulerOptions, evictionGuard: 90s}
  kubelet: {evictionHard: {memory.available: 500Mi}}
  manifests:
    - apiVersion: apps/v1
      kind: ReplicaSet
      metadata: {name: greedy}
      spec:
        replicas: 1
        selector: {matchLabels: {app: greedy}}
        template:
          metadata:
            labels: {app: greedy}
            annotations: {podium.dev/usage-memory: "0s=1Gi,30s=3900Mi,1m=3900Mi"}
          spec:
            tolerations: [{key: node.kubernetes.io/memory-pressure, operator: Exists}]
            containers: [{name: c, image: i, resources: {requests: {memory: 1Gi}}}]
  steps:
    - {at: 90s, assert: [{pods: app=greedy, is: pending, count: 1}]}
    - {at: 3m, assert: [{event: Evicted, count: 2}]}
"""


def test_with_one_node_it_waits_and_then_goes_back() -> None:
    assert simulate(read_scenario("s.yaml", STORY)).failures == 0
    unguarded = STORY.replace("evictionGuard: 90s", "evictionGuard: 0s")
    assert simulate(read_scenario("s.yaml", unguarded)).failures > 0
