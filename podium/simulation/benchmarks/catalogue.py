"""All workloads: names, shapes and sizes of scheduler_perf, v1.36, and some of our own.

Left out are sizes that differ in feature gates alone, which change nothing in process (how API
calls are dispatched, queueing hints). `PreemptionBasic/5000Nodes` is commented out upstream,
because it fails there.
"""

from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from fnmatch import fnmatchcase

from podium.api.errors import PodiumError
from podium.simulation.benchmarks import diverse, templates
from podium.simulation.benchmarks.measured_workloads import Case, Size, Workload, WorkloadPods

_ONE_ZONE = ("zone1",)
_THREE_ZONES = ("moon-1", "moon-2", "moon-3")
_AFFINITY_SIZES = {
    "5Nodes": Size(5, 5, 10),
    "500Nodes": Size(500, 500, 1_000),
    "5000Nodes": Size(5_000, 5_000, 1_000),
    "5000Nodes_5000Pods": Size(5_000, 5_000, 5_000, by_default=True),
}
_SPREADING_SIZES = {
    "5Nodes": Size(5, 10, 10),
    "500Nodes": Size(500, 1_000, 1_000),
    "5000Nodes": Size(5_000, 5_000, 2_000),
    "5000Nodes_5000Pods": Size(5_000, 5_000, 5_000, by_default=True),
}
_INIT, _MEASURED, _MEASURED_AFTER_CHURN = "namespace-1", "namespace-2", "namespace-3"
_EARLY, _LATE = templates.AFFINITY_NAMESPACES


class UnknownWorkloadError(PodiumError):
    """No workload has such a name."""


def _affinity(
    name: str, template: templates.Object, sizes: dict[str, Size], zones: tuple[str, ...] = ()
) -> Case:
    return Case(
        name,
        WorkloadPods(template, _LATE),
        sizes,
        init=(WorkloadPods(template, _EARLY),),
        zones=zones,
    )


def _spreading(name: str, template: templates.Object) -> Case:
    return Case(
        name,
        WorkloadPods(template, _MEASURED),
        _SPREADING_SIZES,
        init=(WorkloadPods(templates.POD_DEFAULT, _INIT),),
        zones=_THREE_ZONES,
    )


REFERENCE_CASES = (
    Case(
        "SchedulingBasic",
        WorkloadPods(templates.POD_DEFAULT, _MEASURED),
        {
            "5Nodes": Size(5, 5, 10),
            "500Nodes": Size(500, 500, 1_000),
            "5000Nodes": Size(5_000, 1_000, 1_000),
            "5000Nodes_10000Pods": Size(5_000, 1_000, 10_000, by_default=True),
            "5000Nodes_50000Pods": Size(5_000, 5_000, 50_000),
        },
        init=(WorkloadPods(templates.POD_DEFAULT, _INIT),),
    ),
    Case(
        "SchedulingDaemonset",
        WorkloadPods(templates.POD_OF_DAEMON_SET, _MEASURED),
        {
            "5Nodes": Size(5, 0, 10),
            "15000Nodes": Size(15_000, 0, 30_000, by_default=True),
        },
        extra_nodes=(templates.NODE_WITH_NAME,),
    ),
    Case(
        "SchedulingNodeAffinity",
        WorkloadPods(templates.POD_WITH_NODE_AFFINITY, _MEASURED),
        {
            "5Nodes": Size(5, 5, 10),
            "500Nodes": Size(500, 500, 1_000),
            "5000Nodes": Size(5_000, 5_000, 1_000),
            "5000Nodes_10000Pods": Size(5_000, 5_000, 10_000, by_default=True),
        },
        init=(WorkloadPods(templates.POD_WITH_NODE_AFFINITY, _INIT),),
        zones=_ONE_ZONE,
    ),
    _affinity("SchedulingPodAffinity", templates.POD_WITH_POD_AFFINITY, _AFFINITY_SIZES, _ONE_ZONE),
    _affinity(
        "SchedulingPodAntiAffinity",
        templates.POD_WITH_POD_ANTI_AFFINITY,
        {
            "5Nodes": Size(5, 1, 4),
            "500Nodes": Size(500, 100, 400),
            "5000Nodes": Size(5_000, 1_000, 1_000),
            "5000Nodes_2000Pods": Size(5_000, 1_000, 2_000, by_default=True),
        },
    ),
    _affinity(
        "SchedulingPreferredPodAffinity",
        templates.POD_WITH_PREFERRED_POD_AFFINITY,
        _AFFINITY_SIZES,
    ),
    _affinity(
        "SchedulingPreferredPodAntiAffinity",
        templates.POD_WITH_PREFERRED_POD_ANTI_AFFINITY,
        _AFFINITY_SIZES,
    ),
    _spreading("TopologySpreading", templates.POD_WITH_TOPOLOGY_SPREADING),
    _spreading("PreferredTopologySpreading", templates.POD_WITH_PREFERRED_TOPOLOGY_SPREADING),
    Case(
        "MixedSchedulingBasePod",
        WorkloadPods(templates.POD_DEFAULT, _MEASURED),
        {
            "5Nodes": Size(5, 2, 10),
            "500Nodes": Size(500, 200, 1_000),
            "5000Nodes": Size(5_000, 2_000, 1_000),
            "5000Nodes_5000Pods": Size(5_000, 2_000, 5_000, by_default=True),
        },
        init=tuple(
            WorkloadPods(template, _EARLY)
            for template in (
                templates.POD_DEFAULT,
                templates.POD_WITH_POD_AFFINITY,
                templates.POD_WITH_POD_ANTI_AFFINITY,
                templates.POD_WITH_PREFERRED_POD_AFFINITY,
                templates.POD_WITH_PREFERRED_POD_ANTI_AFFINITY,
            )
        ),
        zones=_ONE_ZONE,
    ),
    Case(
        "Unschedulable",
        WorkloadPods(templates.POD_DEFAULT, _MEASURED_AFTER_CHURN),
        {
            "5Nodes/1Init/10Pods": Size(5, 1, 10),
            "500Nodes/10Init/1kPods": Size(500, 10, 1_000),
            "5kNodes/100Init/1kPods": Size(5_000, 100, 1_000),
            "5kNodes/100Init/10kPods": Size(5_000, 100, 10_000, by_default=True),
            "5kNodes/20kInit/10kPods": Size(5_000, 20_000, 10_000, by_default=True),
        },
        init=(WorkloadPods(templates.POD_DEFAULT, _INIT),),
        churn=WorkloadPods(templates.POD_HIGH_PRIORITY_LARGE_CPU, _MEASURED),
    ),
    Case(
        "PreemptionBasic",
        WorkloadPods(templates.POD_HIGH_PRIORITY, _MEASURED),
        {
            "5Nodes": Size(5, 20, 5),
            "500Nodes": Size(500, 2_000, 500),
            "1000Nodes": Size(1_000, 4_000, 1_000, by_default=True),
            "5000Nodes": Size(5_000, 20_000, 5_000, by_default=True),
        },
        init=(WorkloadPods(templates.POD_LOW_PRIORITY, _INIT),),
    ),
    Case(
        "PreemptionAsync",
        WorkloadPods(templates.POD_DEFAULT, _MEASURED_AFTER_CHURN),
        {
            "5Nodes": Size(5, 20, 5),
            "500Nodes": Size(500, 2_000, 500),
            "5000Nodes": Size(5_000, 20_000, 5_000, by_default=True),
        },
        init=(WorkloadPods(templates.POD_LOW_PRIORITY, _INIT),),
        churn=WorkloadPods(templates.POD_HIGH_PRIORITY, _MEASURED),
    ),
)

CASES = (*REFERENCE_CASES, *diverse.CASES)
WORKLOADS = tuple(Workload(case, size_name) for case in CASES for size_name in case.sizes)


def select(patterns: Sequence[str]) -> list[Workload]:
    """The workloads that are meant, each once.

    Args:
        patterns: each a name, the beginning of names, or a glob; without any, the default set.

    Raises:
        UnknownWorkloadError: a pattern means no workload.
    """
    if not patterns:
        return [workload for workload in WORKLOADS if workload.size.by_default]
    found = {workload.name: workload for pattern in patterns for workload in _matching(pattern)}
    return [*found.values()]


def _matching(pattern: str) -> Iterable[Workload]:
    exact = [workload for workload in WORKLOADS if workload.name == pattern]
    found = exact or [
        workload
        for workload in WORKLOADS
        if workload.name.startswith(pattern) or fnmatchcase(workload.name, pattern)
    ]
    if not found:
        names = [*(case.name for case in CASES), *(workload.name for workload in WORKLOADS)]
        close = get_close_matches(pattern, names, n=1)
        hint = f"did you mean {close[0]}?" if close else "podium bench --list names them all"
        raise UnknownWorkloadError(f"no workload is called {pattern}: {hint}")
    return found
