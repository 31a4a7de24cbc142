"""Plans and explanations read PodGroups, as a scheduler with the option does."""

from typing import Any

import pytest

from podium.api.values.times import timestamp
from podium.scheduler.config.load import load_configuration
from podium.whatif.explain.explanation import PodExplanation
from podium.whatif.explain.pod_explanations import explain_pod
from podium.whatif.plan.plan_report import Plan
from podium.whatif.plan.planner import plan
from podium.whatif.plan.request import PlanRequest
from tests.objects import Obj, node, pod, priority_class
from tests.replacing import replace
from tests.whatif.plan import plans

KUBERNETES, PLUGINS = "scheduling.k8s.io", "scheduling.x-k8s.io"
OPTIONS = {
    "apiVersion": "podium.dev/v1alpha1",
    "kind": "SchedulerOptions",
    "gangs": {"podGroups": [KUBERNETES, PLUGINS], "timeout": "1m"},
}
NODES = [node("n-1", cpu="1"), node("n-2", cpu="1")]


def group(least: int, api: str = KUBERNETES, **spec: Any) -> Obj:
    if api == KUBERNETES:
        spec, version = {"schedulingPolicy": {"gang": {"minCount": least}}, **spec}, "v1alpha2"
    else:
        spec, version = {"minMember": least, **spec}, "v1alpha1"
    head = {"apiVersion": f"{api}/{version}", "kind": "PodGroup"}
    return {**head, "metadata": {"name": "gang", "namespace": "default"}, "spec": spec}


def member(number: int, api: str = KUBERNETES, **spec: Any) -> Obj:
    if api == KUBERNETES:
        return pod(f"g-{number}", schedulingGroup={"podGroupName": "gang"}, **spec)
    found = pod(f"g-{number}", **spec)
    found["metadata"]["labels"] = {"scheduling.x-k8s.io/pod-group": "gang"}
    return found


def request(state: list[Obj], *changes: Obj, options: Obj = OPTIONS) -> PlanRequest:
    configuration = load_configuration([options], frozenset())
    return plans.request(state, *changes, configuration=configuration)


def planned(*given: Any, **options: Any) -> Plan:
    return plan(request(*given, **options))


def explained(*given: Any) -> PodExplanation:
    return explain_pod(request(*given), "default/g-1")


def placed(found: Plan) -> list[str]:
    return sorted(one.pod for one in found.placements)


@pytest.mark.parametrize("api", [KUBERNETES, PLUGINS])
@pytest.mark.parametrize("where", ["state", "changes"])
def test_a_gang_is_placed_as_a_whole_or_not_at_all(api: str, where: str) -> None:
    members = [member(number, api) for number in (1, 2, 3)]
    for least, expected in ((3, []), (2, ["default/g-1", "default/g-2"])):
        objects = [group(least, api), *members]
        given = [*NODES, *objects] if where == "state" else NODES
        found = planned(given, *(objects if where == "changes" else ()))
        assert placed(found) == expected
        assert not any("PodGroup" in one for one in (*found.warnings, *found.notes))


def test_without_the_option_each_pod_is_for_itself() -> None:
    off = {**OPTIONS, "gangs": None}
    found = planned([*NODES, group(3)], *(member(n) for n in (1, 2, 3)), options=off)
    assert len(found.placements) == 2
    assert any("schedulingGroup is ignored" in note for note in found.notes)


@pytest.mark.parametrize("api", [KUBERNETES, PLUGINS])
def test_a_waiting_member_says_what_its_gang_lacks(api: str) -> None:
    members = [member(number, api) for number in (1, 2, 3)]
    few = explained([*NODES, group(3, api)], *members[:2])
    says = "PodGroup default/gang needs 3 pods at once, and there are only g-1, g-2"
    assert few.decisions[-1].gate is not None
    assert few.decisions[-1].gate.message == says
    narrow = explained([*NODES, group(3, api)], *members)
    assert narrow.decisions[-1].message.startswith(
        "PodGroup default/gang needs places for 3 pods at once, and finds 2 (g-1, g-2). 0/2 nodes"
    )
    assert narrow.decisions[-1].feasible_nodes == ("n-1", "n-2")
    (pending, *_) = planned([*NODES, group(3, api)], *members).pending
    assert pending.message == narrow.decisions[-1].message


def test_what_would_help_one_pod_alone_is_no_remedy_for_a_gang() -> None:
    assert explained(NODES, pod("g-1", "2")).remedies
    members = [member(number, cpu="2") for number in (1, 2)]
    assert not explained([*NODES, group(2)], *members).remedies


def test_a_gang_whose_group_is_missing_waits_for_it() -> None:
    (pending,) = planned(NODES, member(1)).pending
    assert pending.message == "PodGroup default/gang isn't there yet."
    assert placed(planned(NODES, member(1, PLUGINS))) == ["default/g-1"]


def victims(count: int, grace_s: int = 0, **spec: Any) -> list[Obj]:
    spec |= {"terminationGracePeriodSeconds": grace_s, "priorityClassName": "low"}
    low, high = priority_class("low", 10), priority_class("high", 100)
    return [low, high, *(pod(f"v-{n}", on=f"n-{n}", **spec) for n in range(1, count + 1))]


def test_a_gang_preempts_for_all_its_members_or_for_none() -> None:
    high = [member(number, PLUGINS, priorityClassName="high") for number in (1, 2)]
    state = [*NODES, group(2, PLUGINS)]
    found = planned([*state, *victims(2)], *high)
    assert {v.pod for one in found.preemptions for v in one.victims} == {
        "default/v-1",
        "default/v-2",
    }
    assert placed(found) == ["default/g-1", "default/g-2"]
    found = planned([*state, *victims(1), pod("v-2", on="n-2", priority=100)], *high)
    assert not found.preemptions
    assert not found.placements


def test_it_is_said_how_long_a_gang_waits_for_its_room() -> None:
    high = [member(number, PLUGINS, priorityClassName="high") for number in (1, 2)]
    asked = request([*NODES, group(2, PLUGINS), *victims(2, grace_s=3600)], *high)
    start_s = asked.state.start_s
    (first, _) = plan(replace(asked, until_s=10)).pending
    until = timestamp(start_s + 60)
    assert (
        first.message == f"PodGroup default/gang waits until {until} at most for v-1, v-2 to leave."
    )
    assert first.nominated_node
    (late, _) = plan(replace(asked, until_s=70)).pending
    assert f"it makes no room before {timestamp(start_s + 120)}" in late.message
    assert not late.nominated_node


def test_the_priority_of_a_group_counts_for_pods_that_wait() -> None:
    state = [*NODES, *victims(2)]
    assert len(
        planned([*state, group(2, priorityClassName="high")], member(1), member(2)).preemptions
    )
    members = [member(number, priorityClassName="high") for number in (1, 2)]
    assert not planned([*state, group(2)], *members).preemptions


@pytest.mark.parametrize(("mode", "gone"), [("Pod", 1), ("PodGroup", 2)])
def test_a_gang_is_preempted_as_a_whole_if_it_says_so(mode: str, gone: int) -> None:
    running = victims(2, schedulingGroup={"podGroupName": "gang"})
    state = [*NODES, group(2, disruptionMode=mode, priorityClassName="low"), *running]
    found = planned(state, pod("urgent", priorityClassName="high"))
    (preemption,) = found.preemptions
    assert len(preemption.victims) == gone
    assert len(found.disruptions) == gone


@pytest.mark.parametrize("why", ["priority", "protection"])
def test_nobody_of_a_gang_is_taken_if_one_of_it_may_not_be(why: str) -> None:
    running = victims(2, schedulingGroup={"podGroupName": "gang"})
    options = OPTIONS
    if why == "priority":
        whole = group(2, disruptionMode="PodGroup", priorityClassName="high")
    else:
        whole = group(2, disruptionMode="PodGroup", priorityClassName="low")
        running[-1]["metadata"]["annotations"] = {"podium.dev/never-preempt": "true"}
        never = {"never": {"priorityClasses": ["low"]}}
        options = {**OPTIONS, "protection": never}
    found = planned(
        [*NODES, whole, *running], pod("urgent", priorityClassName="high"), options=options
    )
    assert not found.preemptions


@pytest.mark.parametrize(("cpu", "count"), [("2", 2), ("3", 0)])
def test_what_a_group_asks_for_has_to_be_free(cpu: str, count: int) -> None:
    members = [member(number, PLUGINS, cpu="500m") for number in (1, 2)]
    found = planned([*NODES, group(2, PLUGINS, minResources={"cpu": cpu})], *members)
    assert len(found.placements) == count
    says = "PodGroup default/gang asks for minResources of 3000m cpu, and there are 2000m."
    assert {one.message for one in found.pending} == ({says} if not count else set())


def test_more_pods_than_there_must_be_are_scheduled_like_any_others() -> None:
    three = [member(number, PLUGINS, priorityClassName="high") for number in (1, 2, 3)]
    low = victims(3)
    state = [*NODES, node("n-3", cpu="1"), group(2, PLUGINS), *low[:2], low[-1]]
    found = planned(state, *three)
    assert len(found.placements) == 3
    assert [one.preemptor for one in found.preemptions] == ["default/g-3"]
