"""DaemonSets have one pod on each node that may have one."""

from typing import Any

import pytest

from podium.controllers.expanding.templates import ClusterView, expand

Obj = dict[str, Any]


def taint(key: str, effect: str = "NoSchedule") -> Obj:
    return {"key": key, "effect": effect}


def targets(expansion: Any) -> list[str]:
    return [
        pod["spec"]["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"][
            "nodeSelectorTerms"
        ][0]["matchFields"][0]["values"][0]
        for pod in expansion.pods
    ]


def daemon_set(make: Any, **pod_spec: Any) -> Obj:
    owner: Obj = make.workload("DaemonSet")
    owner["spec"]["template"]["spec"].update(pod_spec)
    return owner


@pytest.mark.parametrize(
    ("labels", "taints", "pod_spec", "gets_one"),
    [
        ({}, [], {}, True),
        ({}, [taint("k")], {}, False),
        ({}, [taint("k", "PreferNoSchedule")], {}, True),
        ({}, [taint("k")], {"tolerations": [{"key": "k", "operator": "Exists"}]}, True),
        ({}, [taint("node.kubernetes.io/unschedulable")], {}, True),
        ({}, [taint("node.kubernetes.io/memory-pressure")], {}, True),
        ({}, [taint("node.kubernetes.io/not-ready", "NoExecute")], {}, True),
        ({}, [taint("node.kubernetes.io/not-ready")], {}, False),
        ({}, [taint("node.kubernetes.io/network-unavailable")], {}, False),
        ({}, [taint("node.kubernetes.io/network-unavailable")], {"hostNetwork": True}, True),
        ({}, [], {"nodeSelector": {"a": "b"}}, False),
        ({"a": "b"}, [], {"nodeSelector": {"a": "b"}}, True),
        ({}, [], {"nodeName": "n"}, True),
        ({}, [], {"nodeName": "m"}, False),
    ],
)
def test_which_nodes_get_one(
    make: Any, labels: Obj, taints: list[Obj], pod_spec: Obj, gets_one: bool
) -> None:
    view = ClusterView.of([make.node("n", labels, *taints)])
    assert targets(expand(daemon_set(make, **pod_spec), view)) == ["n"] * gets_one


def test_pods_are_meant_for_one_node(make: Any) -> None:
    preferred = [{"weight": 1, "preference": {}}]
    required = {"nodeSelectorTerms": [{"matchExpressions": [{"key": "a", "operator": "Exists"}]}]}
    affinity = {
        "nodeAffinity": {
            "preferredDuringSchedulingIgnoredDuringExecution": preferred,
            "requiredDuringSchedulingIgnoredDuringExecution": required,
        },
        "podAntiAffinity": {},
    }
    owner = daemon_set(make, affinity=affinity)
    view = ClusterView.of([make.node("n", {"a": "b"}), make.node("m"), make.node("o", {"a": ""})])
    expansion = expand(owner, view)
    assert targets(expansion) == ["n", "o"]
    node_affinity = expansion.pods[0]["spec"]["affinity"]["nodeAffinity"]
    assert node_affinity["preferredDuringSchedulingIgnoredDuringExecution"] == preferred
    assert len(set(make.names(expansion.pods))) == 2


def test_tolerations_are_added_once(make: Any) -> None:
    own = [
        {"key": "k", "operator": "Exists"},
        {
            "key": "node.kubernetes.io/not-ready",
            "operator": "Exists",
            "effect": "NoExecute",
            "tolerationSeconds": 5,
        },
    ]
    (pod,) = expand(daemon_set(make, tolerations=own), ClusterView.of([make.node("n")])).pods
    found = [(t["key"], t.get("tolerationSeconds")) for t in pod["spec"]["tolerations"]]
    names = ["not-ready", "unreachable", "disk-pressure", "memory-pressure", "pid-pressure"]
    expected = [f"node.kubernetes.io/{name}" for name in (*names, "unschedulable")]
    assert found == [("k", None), *((key, None) for key in expected)]


def test_existing_pods(make: Any) -> None:
    owner = daemon_set(make)
    made = expand(owner, ClusterView.of([make.node("waiting")])).pods
    nodes = [make.node(name) for name in ("waiting", "running", "failed", "going", "new")]
    going = {"deletionTimestamp": "2026-01-01T00:00:00Z"}
    there = [
        *made,
        make.pod("running", owner, node="running"),
        make.pod("failed", owner, node="failed", phase="Failed"),
        make.pod("going", owner, node="going", metadata=going),
        make.pod("lost", owner, node="gone"),
    ]
    expansion = expand(owner, ClusterView.of([*nodes, *there]))
    assert targets(expansion) == ["failed", "new"]
    assert make.names(expansion.surplus) == ["failed", "lost"]


def test_pods_stay_where_new_ones_would_not_start(make: Any) -> None:
    owner = daemon_set(make)
    nodes = [make.node("a", {}, taint("k")), make.node("b", {}, taint("k", "NoExecute"))]
    there = [make.pod("on-a", owner, node="a"), make.pod("on-b", owner, node="b")]
    expansion = expand(owner, ClusterView.of([*nodes, *there]))
    assert make.names(expansion.surplus) == ["on-b"]
    assert not expansion.pods


def test_of_several_the_most_senior_stays(make: Any) -> None:
    owner = daemon_set(make)

    def pod(called: str, created: str, **fields: Any) -> Any:
        return make.pod(called, owner, metadata={"creationTimestamp": created}, **fields)

    there = [
        pod("young", "2026-01-02T00:00:00Z", node="n"),
        pod("old", "2026-01-01T00:00:00Z", node="n"),
    ]
    expansion = expand(owner, ClusterView.of([make.node("n"), *there]))
    assert make.names(expansion.surplus) == ["young"]
