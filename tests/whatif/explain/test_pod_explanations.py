"""One pod's decision, all of it."""

from typing import Any

import pytest

from podium.api.errors import PodiumError
from podium.api.policy.disruption_target import BY_KUBELET
from podium.whatif.explain.explanation import DecisionView, FreedPort, PodExplanation
from podium.whatif.explain.pod_explanations import explain_named, explain_pod, explain_workload
from podium.whatif.plan.changes import parse_workload
from podium.whatif.plan.planner import plan
from tests.objects import (
    UNKNOWN,
    ZONE,
    Obj,
    container,
    near,
    node,
    pod,
    priority_class,
    required,
    running,
    workload,
)
from tests.whatif.plan.plans import planned, request

HIGH = priority_class("high", 1000)
GOING = {"deletionTimestamp": "2026-01-01T00:00:00Z"}


def explained(name: str, state: list[Obj], *applied: Obj, delete: str = "") -> PodExplanation:
    return explain_pod(request(state, *applied, delete=delete), f"default/{name}")


def only(explanation: PodExplanation) -> DecisionView:
    (view,) = explanation.decisions
    return view


def apart_from(app: str) -> Obj:
    return {"affinity": required("podAntiAffinity", near(app, ZONE))}


def test_a_pod_is_explained_at_its_turn() -> None:
    first = pod("first", priorityClassName="high")
    view = only(explained("second", [HIGH, node("n", "1")], pod("second"), first))
    assert "Insufficient cpu" in view.message


def test_a_bound_pod_is_explained_as_if_it_werent() -> None:
    state = [node("a", "1"), node("b", "1"), pod("p", on="b"), pod("waits", priority=9)]
    explanation = explained("p", state)
    assert explanation.bound_to == "b"
    # Nobody who waits comes before it, and its own room counts as free.
    assert only(explanation).best == ("a", "b")
    assert only(explanation).node == "a"


def test_who_is_nominated_counts_for_a_bound_pod() -> None:
    nominated = pod("big", priority=9, status={"nominatedNodeName": "a"})
    view = only(explained("p", [node("a", "1"), node("b", "1"), pod("p", on="b"), nominated]))
    assert view.feasible_nodes == ("b",)


def test_new_pods_that_name_their_node_are_there_for_a_bound_pod() -> None:
    state = [node("a", "1"), node("b", "1"), pod("p", on="b")]
    assert only(explained("p", state, pod("fixed", on="a"))).feasible_nodes == ("b",)


def test_no_scheduler_decides_about_an_applied_pod_that_names_its_node() -> None:
    explanation = explained("p", [node("a"), node("b")], pod("p", on="b"))
    assert (explanation.bound_to, explanation.decisions) == ("b", ())
    assert explanation.admission is not None
    assert explanation.admission.admitted


@pytest.mark.parametrize(
    ("is_own", "here"), [(True, {}), (False, apart_from("p"))], ids=["its own rule", "theirs"]
)
def test_a_pod_on_another_node_of_the_domain_that_blocks_is_named(is_own: bool, here: Obj) -> None:
    state = [
        HIGH,
        node("a", zone="z"),
        node("b", unschedulable=True, zone="z"),
        node("elsewhere", unschedulable=True, zone="y"),
        pod("rival-1", on="b", **here),
        pod("rival-2", on="elsewhere", **here),
    ]
    new = pod("p", priorityClassName="high", **(apart_from("rival") if is_own else {}))
    view = only(explained("p", state, new))
    (blocker,) = view.blockers
    assert (blocker.node, blocker.pod, blocker.on) == ("a", "default/rival-1", "b")
    assert (blocker.topology_key, blocker.anti_affinity_of == "incoming") == (ZONE, is_own)
    assert view.preemption is not None
    assert list(view.preemption.rejected) == ["a"]


def test_a_pod_on_the_node_itself_is_no_blocker() -> None:
    state = [HIGH, node("a", zone="z"), pod("rival-1", on="a")]
    new = pod("p", priorityClassName="high", **apart_from("rival"))
    first, *_ = explained("p", state, new).decisions
    assert first.blockers == ()
    assert first.preemption is not None
    assert first.preemption.outcome is not None


def test_gates_and_refusals_of_pre_filter() -> None:
    gated = only(explained("p", [node("n")], pod("p", schedulingGates=[{"name": "a.b/c"}])))
    assert gated.gate is not None
    assert gated.gate.message == "waiting for scheduling gates: [a.b/c]"
    volume = {"name": "v", "persistentVolumeClaim": {"claimName": "gone"}}
    refused = only(explained("p", [node("n")], pod("p", volumes=[volume])))
    assert refused.pre_filter is not None
    assert refused.pre_filter.plugin == "VolumeRestrictions"
    assert refused.message.startswith(
        '0/1 nodes are available: persistentvolumeclaim "gone" not found.'
    )


def test_later_tries_are_told_too() -> None:
    shy = pod("shy", affinity=required("podAffinity", near("friend", ZONE)))
    first, second = explained("shy", [node("n", zone="z")], shy, pod("friend")).decisions
    assert (first.node, second.node) == ("", "n")


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("weh-1", "there is no pod default/weh-1; is default/web-1 meant?"),
        # Of the same name in two namespaces.
        ("twin", "there is no pod default/twin; is a/twin or b/twin meant?"),
        ("zebra", "there is no pod default/zebra"),
        ("done", "default/done has finished: there is nothing to schedule any more"),
        ("going", "default/going is being deleted and won't be scheduled"),
        ("other", "default/other asks for the scheduler mine; the profiles are default-scheduler"),
        ("cut", "default/cut is deleted"),
        ("bad", 'pods "bad" is forbidden: no PriorityClass with name nope was found'),
    ],
)
def test_pods_that_cant_be_explained(name: str, why: str) -> None:
    state = [
        node("n"),
        pod("web-1", on="n"),
        *(pod("twin", on="n", metadata={"namespace": place}) for place in ("a", "b")),
        pod("done", on="n", status={"phase": "Succeeded"}),
        pod("going", metadata=GOING),
        pod("other", schedulerName="mine"),
        pod("cut", on="n"),
    ]
    with pytest.raises(PodiumError) as error:
        explained(name, state, pod("bad", priorityClassName="nope"), delete="pod/cut")
    assert str(error.value) == why


def test_a_port_that_counts_as_free_is_told_with_its_holder() -> None:
    """kube-scheduler frees the port with the victim, although the other pod still has it."""
    ports = {"containers": [container("1", ports=[{"containerPort": 80, "hostPort": 80}])]}
    state = [
        HIGH,
        node("a"),
        pod("stays", on="a", priorityClassName="high", **ports),
        pod("goes", on="a", **ports),
        pod("p", priority=9, **ports),
    ]
    first, second = explained("p", state).decisions
    assert first.freed_ports == ()
    assert (second.node, second.freed_ports) == ("a", (FreedPort("a", "80/TCP", "default/stays"),))


def test_pods_that_stay_though_a_victim_outranks_them_are_told() -> None:
    """All of lower priority are taken away, and given back from the most important on."""
    state = [
        HIGH,
        node("a", "4"),
        pod("big", "3", on="a", priority=5),
        pod("tiny", "1", on="a", priority=1),
    ]
    view = explained("new", state, pod("new", "3", priorityClassName="high")).decisions[0]
    assert view.preemption is not None
    assert [one.pod for one in view.preemption.candidates[0].victims] == ["default/big"]
    assert [(one.pod, one.priority) for one in view.preemption.spared] == [("default/tiny", 1)]
    state = [HIGH, node("a", "4"), pod("one", "2", on="a"), pod("two", "2", on="a", priority=1)]
    view = explained("new", state, pod("new", "2", priorityClassName="high")).decisions[0]
    assert view.preemption is not None
    assert view.preemption.spared == ()


WEB = workload("StatefulSet", "web", replicas=3, podManagementPolicy="Parallel")


@pytest.mark.parametrize(
    ("named", "state", "applied", "found", "which"),
    [
        *(
            (text, [node("n", "2")], [WEB], "web-2", "that waits")
            for text in ("sts/web", "statefulsets.apps/web", "default/sts/web")
        ),
        (
            "sts/web",
            [node("n"), *running("StatefulSet", "web", "n")],
            [],
            "web-0",
            "that has its place",
        ),
        # A new one comes before an old one.
        (
            "sts/web",
            [node("n"), *running("StatefulSet", "web", "n")],
            [workload("StatefulSet", "web", replicas=2)],
            "web-1",
            "that has its place",
        ),
    ],
)
def test_one_pod_stands_for_a_workload(
    named: str, state: list[Obj], applied: list[Obj], found: str, which: str
) -> None:
    explanation = explain_named(request(state, *applied), named, "default")
    assert explanation.pod == f"default/{found}"
    assert explanation.notes[0] == f"It is the first pod of StatefulSet default/web {which}."


def test_pods_belong_to_their_replica_set_and_its_deployment() -> None:
    asked = request([node("n")], workload("Deployment", "web", replicas=1))
    found = explain_named(asked, "deploy/web", "default").pod
    replica_set = found.removeprefix("default/").rpartition("-")[0]
    assert explain_named(asked, f"rs/{replica_set}", "default").pod == found


def test_a_workload_without_pods() -> None:
    sought = parse_workload("ds/gone", "default")
    assert sought is not None
    with pytest.raises(PodiumError, match="DaemonSet default/gone has no pods, or isn't there"):
        explain_workload(request([node("n")]), sought)


@pytest.mark.parametrize("text", ["web-0", "default/web-0", "pod/web-0", "node/n", "a/b/deploy/c"])
def test_what_is_no_workload(text: str) -> None:
    assert parse_workload(text, "default") is None


def test_a_replacement_that_the_plan_names() -> None:
    low = priority_class("low", 1)
    web = running("ReplicaSet", "web", "n", priorityClassName="low")
    asked = request([low, HIGH, node("n", "1"), *web], pod("first", priorityClassName="high"))
    (replacement,) = plan(asked).pending
    assert replacement.replaces == "default/web-0"
    *_, last = explain_pod(asked, replacement.pod).decisions
    assert last.message == replacement.message


def test_a_critical_pod_that_names_its_node_has_another_stopped_by_its_qos_class() -> None:
    best_effort = pod("cache", on="n", priorityClassName="system-cluster-critical")
    best_effort["spec"]["containers"] = [{"name": "c", "image": "i"}]
    # The scheduler would take the other pod.
    state = [node("n", "4", pods="2"), best_effort, pod("batch", on="n")]
    new = pod("new", "100m", on="n", priorityClassName="system-node-critical")
    explanation = explained("new", state, new)
    admission = explanation.admission
    assert admission is not None
    assert admission.admitted
    assert [(one.pod, one.qos_class) for one in admission.stopped] == [
        ("default/cache", "BestEffort")
    ]
    assert explanation.decisions == ()
    outcome = planned(state, new)
    assert not outcome.preemptions
    assert [(one.pod, one.cause) for one in outcome.disruptions] == [("default/cache", BY_KUBELET)]


@pytest.mark.parametrize(
    ("machine", "admitted", "message"),
    [
        (node("n"), True, ""),
        (node("n", "500m"), False, "Node didn't have enough resource: cpu, requested: 1000"),
        (node("n", status=UNKNOWN), False, "node n doesn't answer: its kubelet starts it only"),
        (node("m"), False, "node n isn't there: no kubelet starts it"),
    ],
    ids=["taken", "refused", "silent", "missing"],
)
def test_what_the_node_says_of_a_pod_that_names_it(
    machine: Any, message: str, *, admitted: bool
) -> None:
    admission = explained("new", [machine], pod("new", on="n")).admission
    assert admission is not None
    assert admission.admitted is admitted
    assert admission.message.startswith(message)
    assert bool(admission.reason) is ("Node" in message)


def test_a_workload_whose_pods_are_refused_is_explained_by_the_first() -> None:
    pinned = workload("Deployment", "pinned", replicas=1, template={"nodeName": "n"})
    asked = request([node("n", "500m")], pinned, until_s=5.0)
    explanation = explain_named(asked, "deploy/pinned", "default")
    assert explanation.admission is not None
    assert explanation.admission.reason == "OutOfcpu"
    assert "that its node refuses" in explanation.notes[0]
