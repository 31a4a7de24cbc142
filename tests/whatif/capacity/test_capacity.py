"""How many more pods fit: as many as can be created one by one until one stays pending."""

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium.api.errors import PodiumError
from podium.api.kinds.snapshot_kinds import decisive
from podium.api.objects import Object
from podium.api.presentation import Table
from podium.whatif.capacity.capacity import CapacityRequest, capacity
from podium.whatif.capacity.capacity_inputs import PodTemplate, read_pod_template
from podium.whatif.capacity.capacity_presentation import capacity_presentation
from podium.whatif.capacity.capacity_report import Capacity, Fill
from podium.whatif.plan.changes import Apply
from podium.whatif.plan.plan_report import Return
from podium.whatif.plan.planner import plan
from podium.whatif.plan.request import LoadedState, PlanRequest
from tests.objects import ZONE, Obj, namespace, node, pod, priority_class, resource_quota, workload

HIGH = priority_class("high", 1000)


def found(state: Sequence[Object], *pods: Any, limit: int = 100, **settings: Any) -> Capacity:
    templates = [
        PodTemplate(one["metadata"]["name"], share, one)
        for one, share in (each if isinstance(each, tuple) else (each, 1) for each in pods)
    ]
    return capacity(CapacityRequest(PlanRequest(LoadedState(state)), templates, limit, **settings))


def free(capacity: Capacity) -> Fill:
    assert capacity.without_preemption is not None
    return capacity.without_preemption


def by_node(fill: Fill) -> dict[str, int]:
    return {row.node: row.pods for row in fill.nodes}


def test_pods_that_wait_already_get_their_room_first() -> None:
    state = [node("a", "4"), pod("waits", "3")]
    assert free(found(state, pod("web"))).pods == 1


def test_a_victim_whose_job_fails_loses_its_work() -> None:
    job = workload("Job", "train", uid="job", completionMode="NonIndexed", suspend=False)
    job["spec"] |= {"parallelism": 1, "completions": 1, "backoffLimit": 0}
    job["status"] = {"active": 1, "ready": 1, "startTime": "2026-01-01T00:00:00Z"}
    finalizers = {"finalizers": ["batch.kubernetes.io/job-tracking"]}
    trains = pod("train-0", "1", on="a", owner=job, metadata=finalizers)
    state = [node("a", "1"), HIGH, job, trains]
    capacity = found(state, pod("web", priorityClassName="high"), preempts=True)
    assert capacity.with_preemption is not None
    (victim,) = capacity.with_preemption.victims
    assert (victim.owner, victim.comes_again) == ("Job default/train", Return.NEVER)
    rows = [
        row
        for section in capacity_presentation(capacity).sections
        for block in section.blocks
        if section.title == "Preempted pods" and isinstance(block, Table)
        for row in block.rows
    ]
    assert [str(row[-1]) for row in rows] == ["its work is lost"]


def test_a_quota_stops_what_would_fit() -> None:
    quota = resource_quota("few", {"pods": "2"})
    fill = free(found([node("a", "4"), quota], pod("web")))
    assert (fill.pods, fill.stop.by) == (2, "API")
    assert "exceeded quota: few" in fill.stop.message


def test_a_state_without_namespaces_does_not_say_which_there_are() -> None:
    shop = pod("web", namespace="shop")
    assert free(found([node("a", "4")], shop)).pods == 4
    fill = free(found([node("a", "4"), namespace("default")], shop))
    assert (fill.pods, fill.stop.message) == (0, 'namespaces "shop" not found')


def test_no_more_are_created_than_were_asked_for() -> None:
    fill = free(found([node("a", "4")], pod("web"), limit=2))
    assert (fill.pods, fill.stop.by) == (2, "Limit")


def test_pods_that_would_never_be_decided_are_errors() -> None:
    for fields, why in (
        ({"schedulerName": "other"}, "asks for the scheduler other"),
        ({"schedulingGates": [{"name": "x"}]}, "keep it from any node"),
    ):
        with pytest.raises(PodiumError, match=why):
            found([node("a")], pod("web", **fields))


def test_a_pod_that_a_controller_takes_over_is_an_error() -> None:
    taker = workload("ReplicaSet", "web", replicas=0, uid="1")
    with pytest.raises(PodiumError, match="has the labels of ReplicaSet web"):
        found([node("a"), taker], pod("web"))


def test_a_template_is_a_workload_of_the_state_or_a_pod_in_a_file(tmp_path: Any) -> None:
    web = workload("Deployment", "web", "500m", template={"priority": 5, "nodeName": "x"})
    found = read_pod_template("deploy/web*2", "default", decisive([web]))
    assert (found.source, found.share) == ("deploy/web", 2)
    assert found.pod["spec"] == {"containers": web["spec"]["template"]["spec"]["containers"]}
    file = tmp_path / "pod.yaml"
    text = "kind: {}\napiVersion: {}\nmetadata: {{name: x}}\n{}\n---\n"
    high = text.format("PriorityClass", "scheduling.k8s.io/v1", "value: 1")
    file.write_text(high + text.format("Pod", "v1", "spec: {containers: [{name: c, image: i}]}"))
    found = read_pod_template(str(file), "shop", {})
    assert (found.pod["metadata"]["namespace"], len(found.needs)) == ("shop", 1)
    file.write_text(high)
    with pytest.raises(PodiumError, match=r"must be one of .*, not PriorityClass"):
        read_pod_template(str(file), "default", {})
    with pytest.raises(PodiumError, match=r"with \*COUNT from 1"):
        read_pod_template("deploy/web*0", "default", decisive([web]))


def test_a_stateful_set_leaves_pods_alone_that_it_has_not_numbered() -> None:
    db = workload("StatefulSet", "db", uid="db", replicas=1, serviceName="db")
    state = [node("a", "4"), db]
    template = read_pod_template("sts/db", "default", decisive(state))
    request = PlanRequest(LoadedState(state))
    assert free(capacity(CapacityRequest(request, [template], 100))).pods == 3


def test_of_many_nodes_the_presentation_lists_the_fullest() -> None:
    shown = capacity_presentation(found([node(f"n{n:02}", "2") for n in range(25)], pod("web")))
    assert shown.headline == "50 more pods fit."
    (table,) = (s.blocks[0] for s in shown.filled_sections() if s.title == "Where")
    assert isinstance(table, Table)
    assert (len(table.rows), table.notes) == (
        20,
        ("2 to 2 pods on each of 25 nodes", "5 more, with -o wide."),
    )
    (table,) = (s.blocks[0] for s in shown.filled_sections(wide=True) if s.title == "Where")
    assert isinstance(table, Table)
    assert len(table.rows) == 25


SPREAD = {"maxSkew": 1, "whenUnsatisfiable": "DoNotSchedule", "topologyKey": ZONE}
AWAY = {"topologyKey": "kubernetes.io/hostname"}


@st.composite
def worlds(draw: st.DrawFn) -> tuple[list[Obj], Obj]:
    nodes = [
        node(f"n{n}", draw(st.sampled_from("234")), zone=draw(st.sampled_from(("z1", "z2"))))
        for n in range(draw(st.integers(1, 3)))
    ]
    there = [
        pod(
            f"old-{n}",
            draw(st.sampled_from(("500m", "1"))),
            on=draw(st.sampled_from(nodes))["metadata"]["name"],
        )
        for n in range(draw(st.integers(0, 3)))
    ]
    selector = {"labelSelector": {"matchLabels": {"app": "web"}}}
    apart = {"requiredDuringSchedulingIgnoredDuringExecution": [{**AWAY, **selector}]}
    relations: list[Obj] = [
        {},
        {"topologySpreadConstraints": [{**SPREAD, **selector}]},
        {"affinity": {"podAntiAffinity": apart}},
    ]
    cpu = draw(st.sampled_from(("700m", "1", "1500m")))
    return [*nodes, *there], pod("web", cpu, **draw(st.sampled_from(relations)))


@given(worlds())
def test_a_plan_that_adds_one_more_at_a_time_leaves_only_the_last_one_pending(
    world: tuple[list[Obj], Obj],
) -> None:
    state, template = LoadedState(world[0]), world[1]
    fill = free(found(world[0], template))
    wanted = [
        {**template, "metadata": {**template["metadata"], "name": f"one-{n}"}}
        for n in range(fill.pods + 1)
    ]
    outcome = plan(PlanRequest(state, [Apply((one,)) for one in wanted]))
    (last,) = outcome.pending
    assert last.pod == f"default/one-{fill.pods}"
    assert fill.stop.message == last.message.partition(" no new claims")[0]
