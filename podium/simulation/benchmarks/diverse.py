"""Workloads in which every pod has different requests, labels and affinity terms.

The pods of the reference suite are equal, so that Podium reuses results of one pod for the next.
Here no results can be reused.
"""

from typing import Any

from podium.api.objects import Object
from podium.api.well_known import HOSTNAME_LABEL, PREFERRED, REQUIRED, ZONE_LABEL
from podium.simulation.benchmarks.measured_workloads import (
    NODES,
    PODS,
    Case,
    Size,
    Vary,
    WorkloadPods,
)

APPS = 200
CLASSES = 500
_NAMESPACE = "diverse"
_ZONES = ("zone-a", "zone-b", "zone-c")
# Earlier pods are numbered from here, so that they differ from the measured ones.
_EARLIER = 100_000
_PRIORITIES = (0, 10, 20)
_SIZES = {
    "5Nodes": Size(5, 5, 10),
    "5000Nodes": Size(5_000, 1_000, 1_000),
    "5000Nodes_5000Pods": Size(5_000, 1_000, 5_000, by_default=True),
    "15000Nodes_5000Pods": Size(15_000, 1_000, 5_000),
}
_PREEMPTION_SIZES = {
    "5Nodes": Size(5, 100, 5),
    "1000Nodes": Size(1_000, 20_000, 500, by_default=True),
    "5000Nodes": Size(5_000, 100_000, 500, by_default=True),
    "15000Nodes": Size(15_000, 300_000, 500),
}


def _request(pod: Object, cpu_milli: int, memory_mib: int) -> None:
    amounts = {"cpu": f"{cpu_milli}m", "memory": f"{memory_mib}Mi"}
    pod["spec"]["containers"][0]["resources"] = {"requests": amounts}


def _differ(pod: Object, number: int) -> None:
    _request(pod, 100 + number % 7_919, 128 + number % 1_021)
    pod["metadata"]["labels"] = {"app": f"app-{number % APPS}"}


def _take_turns(pod: Object, number: int) -> None:
    _differ(pod, number % CLASSES)


def _spread(pod: Object, number: int) -> None:
    _differ(pod, number)
    constraint = {"maxSkew": 1, "topologyKey": ZONE_LABEL, "whenUnsatisfiable": "ScheduleAnyway"}
    pod["spec"]["topologySpreadConstraints"] = [{**constraint, **_selecting_itself(pod)}]


def _stay_apart(pod: Object, number: int) -> None:
    _differ(pod, number)
    term = {"topologyKey": HOSTNAME_LABEL, **_selecting_itself(pod)}
    required = {REQUIRED: [term]}
    pod["spec"]["affinity"] = {"podAntiAffinity": required}


def _prefer(pod: Object, number: int) -> None:
    _differ(pod, number)
    term = {"topologyKey": HOSTNAME_LABEL, **_selecting_itself(pod)}
    zone = {"key": ZONE_LABEL, "operator": "In", "values": [_ZONES[number % len(_ZONES)]]}
    pod["spec"]["affinity"] = {
        "podAntiAffinity": _preferred(podAffinityTerm=term),
        "nodeAffinity": _preferred(preference={"matchExpressions": [zone]}),
    }


def _preferred(**what: Object) -> Object:
    return {PREFERRED: [{"weight": 10, **what}]}


def _selecting_itself(pod: Object) -> dict[str, Any]:
    return {"labelSelector": {"matchLabels": pod["metadata"]["labels"]}}


def _fill(pod: Object, number: int) -> None:
    _differ(pod, number)
    _request(pod, 1_500 + number * 7 % 101, 256 + number % 1_021)
    pod["spec"]["priority"] = _PRIORITIES[number * 13 // 7 % len(_PRIORITIES)]
    started = f"2026-01-01T{number // 3600 % 24:02}:{number // 60 % 60:02}:00Z"
    pod["status"]["startTime"] = started


def _preempt(pod: Object, number: int) -> None:
    _differ(pod, number)
    _request(pod, 9_000 + number * 7_001 % 7_000, 256 + number % 1_021)
    pod["spec"]["priority"] = 100


def _case(name: str, vary: Vary) -> Case:
    group = WorkloadPods(PODS["default"], _NAMESPACE, vary)
    earlier = WorkloadPods(PODS["default"], _NAMESPACE, vary, _EARLIER)
    return Case(name, group, _SIZES, init=(earlier,), zones=_ZONES, node=NODES["large"])


_RUNNING = {**PODS["default"], "status": {"phase": "Running"}}

CASES = (
    _case("DiverseBasic", _differ),
    _case("DiversePreferredSpreading", _spread),
    _case("DiversePreferredAntiAffinity", _prefer),
    _case("DiverseAntiAffinity", _stay_apart),
    _case("DiverseClasses", _take_turns),
    Case(
        "DiversePreemption",
        WorkloadPods(PODS["default"], _NAMESPACE, _preempt),
        _PREEMPTION_SIZES,
        placed=WorkloadPods(_RUNNING, _NAMESPACE, _fill),
        zones=_ZONES,
        node=NODES["large"],
    ),
)
