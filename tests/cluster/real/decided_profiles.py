"""The configuration by which both schedulers decide, with profiles that weigh things otherwise."""

from typing import Any

from tests.cluster.real.server import Json
from tests.properties.clusters import HOST, ZONE

EVERY_NODE = {"minCandidateNodesPercentage": 100, "minCandidateNodesAbsolute": 1000}
CPU_FIRST = [{"name": "cpu", "weight": 3}, {"name": "memory", "weight": 1}]
WITH_GPUS = [*CPU_FIRST, {"name": "example.com/gpu", "weight": 5}]


def _profile(name: str, plugins: Json | None = None, /, **args: Json) -> Json:
    args = {"DefaultPreemption": EVERY_NODE, **args}
    config = [{"name": plugin, "args": given} for plugin, given in args.items()]
    return {"schedulerName": name, "plugins": plugins or {}, "pluginConfig": config}


def _scoring(kind: str, **more: Any) -> Json:
    return {"scoringStrategy": {"type": kind, "resources": WITH_GPUS, **more}}


def _constraint(key: str, skew: int, when: str) -> Json:
    return {"topologyKey": key, "maxSkew": skew, "whenUnsatisfiable": when}


_CONSTRAINTS = [_constraint(ZONE, 1, "ScheduleAnyway"), _constraint(HOST, 2, "DoNotSchedule")]
_SPREAD = {"defaultingType": "List", "defaultConstraints": _CONSTRAINTS}
_POINTS = ((0, 0), (60, 10), (100, 3))
_SHAPE = {"shape": [{"utilization": used, "score": score} for used, score in _POINTS]}
_BALANCED = [{"name": name, "weight": 1} for name in ("cpu", "example.com/gpu")]
_NOT_N0 = {"key": "metadata.name", "operator": "NotIn", "values": ["n0"]}
_IS_SSD = {"matchExpressions": [{"key": "disk", "operator": "In", "values": ["ssd"]}]}
_ADDED = {
    "requiredDuringSchedulingIgnoredDuringExecution": {
        "nodeSelectorTerms": [{"matchFields": [_NOT_N0]}]
    },
    "preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 20, "preference": _IS_SSD}],
}
_WEIGHTS = {
    "multiPoint": {
        "enabled": [
            {"name": "ImageLocality", "weight": 7},
            {"name": "TaintToleration", "weight": 1},
        ],
        "disabled": [{"name": "NodeResourcesBalancedAllocation"}],
    },
    "score": {"disabled": [{"name": "PodTopologySpread"}]},
}

_ALL = (
    _profile("default-scheduler"),
    _profile("most", NodeResourcesFit=_scoring("MostAllocated")),
    _profile(
        "ratio",
        NodeResourcesFit=_scoring("RequestedToCapacityRatio", requestedToCapacityRatio=_SHAPE),
        NodeResourcesBalancedAllocation={"resources": _BALANCED},
    ),
    _profile(
        "ignoring",
        NodeResourcesFit={"ignoredResourceGroups": ["example.com"], **_scoring("LeastAllocated")},
        InterPodAffinity={"hardPodAffinityWeight": 50, "ignorePreferredTermsOfExistingPods": True},
    ),
    _profile("spreading", PodTopologySpread=_SPREAD),
    _profile("added", NodeAffinity={"addedAffinity": _ADDED}),
    _profile("weighing", _WEIGHTS),
)

PROFILES = tuple(profile["schedulerName"] for profile in _ALL)
CONFIGURATION: Json = {
    "apiVersion": "kubescheduler.config.k8s.io/v1",
    "kind": "KubeSchedulerConfiguration",
    "percentageOfNodesToScore": 100,
    "profiles": [*_ALL],
}


def configuration_of(name: str) -> Json:
    """The configuration with one profile only."""
    of_name = [profile for profile in _ALL if profile["schedulerName"] == name]
    return CONFIGURATION | {"profiles": of_name}
