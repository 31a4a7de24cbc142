"""Plans and explanations of nodes under pressure."""

from pathlib import Path
from typing import Any

import pytest

from podium.api.documents.report import plain
from podium.api.errors import PodiumError
from podium.api.policy.disruption_target import BY_PRESSURE
from podium.kubelet.eviction.eviction_ranking import EvictionOrder
from podium.kubelet.eviction.signals import Signal
from podium.kubelet.kubelet_config import read_eviction_config
from podium.ui.inputs.configurations import read_kubelet_config
from podium.ui.inputs.input_error import InputError
from podium.whatif.explain.eviction_rankings import EvictionRanking, rank_evictions
from podium.whatif.plan.planner import plan
from podium.whatif.plan.request import LoadedState, PlanRequest
from podium.whatif.plan.resource_pressure import parse_pressure
from tests import objects
from tests.objects import Obj, container, node
from tests.replacing import replace


def machine(name: str, **amounts: str) -> Obj:
    capacity = {"memory": "8Gi", **amounts}
    return node(name, allocatable=capacity, status={"capacity": capacity})


def pod(name: str, memory: str = "", *, priority: int = 0, uses: str = "") -> Obj:
    annotations = {"podium.dev/usage-memory": uses} if uses else {}
    resources = {"requests": {"memory": memory}} if memory else {}
    containers = [container(resources=resources)]
    fields = {"annotations": annotations, "priority": priority, "containers": containers}
    return objects.pod(name, on="n1", **fields)


STATE = [machine("n1"), pod("within", "4Gi"), pod("above", "1Gi", priority=1000, uses="2Gi")]


def request(*pressures: str, state: list[Obj] = STATE) -> PlanRequest:
    return PlanRequest(state=LoadedState(state), pressures=tuple(map(parse_pressure, pressures)))


def test_who_exceeds_its_requests_is_evicted() -> None:
    (lost,) = plan(request("n1:memory.available=50Mi")).disruptions
    assert (lost.pod, lost.cause) == ("default/above", BY_PRESSURE)
    assert lost.message.startswith("The node was low on resource: memory. Threshold quantity: ")
    assert plain(lost)["message"] == lost.message


def test_what_is_above_the_threshold_costs_nobody_anything() -> None:
    assert plan(request("n1:memory.available=1Gi")).disruptions == ()


def test_a_percentage_and_a_disk() -> None:
    state = [machine("n1", **{"ephemeral-storage": "100Gi"}), pod("only")]
    state[1]["metadata"]["annotations"] = {"podium.dev/usage-logs": "40Gi"}
    lost = plan(request("n1:nodefs.available=5%", state=state)).disruptions
    assert [one.pod for one in lost] == ["default/only"]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("n1", "must be NODE:SIGNAL=AMOUNT"),
        ("n1:memory.available", "must be NODE:SIGNAL=AMOUNT"),
        ("n1:pid.available=5", "signals are memory.available, nodefs.available"),
        ("n1:memory.available=lots", "quantities must match"),
        ("n2:memory.available=5Mi", "there is no node n2"),
        ("n1:nodefs.available=5Gi", "doesn't say how much ephemeral-storage it has"),
        ("n1:memory.available=4Gi", "its pods use 6Gi, which leaves 2Gi less than that"),
        ("n1:memory.available=nan%", "nan% isn't a number"),
    ],
)
def test_pressure_that_cant_be(text: str, fault: str) -> None:
    with pytest.raises(PodiumError, match=fault):
        plan(request(text))


def test_usage_that_cant_be_read() -> None:
    state = [machine("n1"), pod("p", uses="lots")]
    with pytest.raises(PodiumError, match="must be an amount"):
        plan(request("n1:memory.available=5Mi", state=state))
    with pytest.raises(PodiumError, match="must be an amount"):
        rank_evictions(PlanRequest(state=LoadedState(state)), "n1")


def ranked(signal: Signal = Signal.MEMORY_AVAILABLE, **settings: Any) -> EvictionRanking:
    return rank_evictions(PlanRequest(state=LoadedState(STATE), **settings), "n1", signal)


def test_the_order_on_a_node() -> None:
    ranking = ranked()
    assert [one.pod for one in ranking.pods] == ["default/above", "default/within"]
    assert dict(ranking.pods[1].keys)["usage beyond requests"] == "+0"
    assert plain(ranking)["pods"][0]["keys"][1] == {"key": "above requests", "value": "yes"}
    by_pid = ranked(Signal.PID_AVAILABLE)
    assert [one.pod for one in by_pid.pods] == ["default/within", "default/above"]
    eviction = replace(read_eviction_config({}), order=EvictionOrder.USAGE_SHARE)
    by_share = ranked(eviction=eviction)
    assert [title for title, _ in by_share.pods[0].keys][-1] == "usage / requests"


def test_a_node_that_isnt_there() -> None:
    with pytest.raises(PodiumError, match="there is no node n9; there are: n1"):
        rank_evictions(PlanRequest(state=LoadedState(STATE)), "n9")


def test_thresholds_may_be_others() -> None:
    asked = request("n1:memory.available=1Gi")
    eviction = read_eviction_config({"evictionHard": {"memory.available": "2Gi"}})
    (lost,) = plan(replace(asked, eviction=eviction)).disruptions
    assert lost.pod == "default/above"


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("kind: Pod", 'kind: Unsupported value: "Pod": supported values: "KubeletConfiguration"'),
        ("a: 1\n---\nb: 2", "must hold one document, a KubeletConfiguration"),
        ("a: [", "not valid YAML"),
        ("kind: KubeletConfiguration\nevictionHard: {x: '1'}", "unsupported eviction signal x"),
    ],
)
def test_a_kubelet_configuration_that_cant_be_read(tmp_path: Path, text: str, fault: str) -> None:
    path = tmp_path / "kubelet.yaml"
    path.write_text(text)
    with pytest.raises(InputError, match=fault):
        read_kubelet_config(str(path))
