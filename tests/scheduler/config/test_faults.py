"""What is wrong with a configuration is told with its field, all at once."""

from collections.abc import Iterator
from typing import Any

import pytest
import yaml

# A case is the fields of a configuration, and below them how each fault begins.
FIELDS = """
parallelism: 0
  parallelism: Invalid value: 0: must be at least 1
parallelism: true
  parallelism: Invalid value: true: must be an integer
parallelism: 2147483648
  parallelism: Invalid value: 2147483648: must be from 1 to 2147483647
percentageOfNodesToScore: 101
  percentageOfNodesToScore: Invalid value: 101: must be from 0 to 100
percentageOfNodesToScore: -1
  percentageOfNodesToScore: Invalid value: -1: must be from 0 to 100
podInitialBackoffSeconds: 11
  podMaxBackoffSeconds: Invalid value: 10: must be at least podInitialBackoffSeconds, 11
{podInitialBackoffSeconds: 0, parallelism: 0}
  podInitialBackoffSeconds: Invalid value: 0: must be at least 1
  parallelism: Invalid value: 0: must be at least 1
profiles: [a]
  profiles[0]: Invalid value: "a": must be an object
extenders: {}
  extenders: Invalid value: {}: must be a list
extenders: [{urlPrefix: "http://127.0.0.1"}]
  extenders: Forbidden: Podium calls no extenders; write a plugin
speed: 1
  speed: Forbidden: unknown field; known: apiVersion
clientConnection: {qps: 5, speed: 1}
  clientConnection.speed: Forbidden: unknown field; known: kubeconfig
profiles: [{schedulerName: ""}]
  profiles[0].schedulerName: Required value:
profiles: [{}, {schedulerName: b}, {}]
  profiles[0].schedulerName: Required value:
  profiles[2].schedulerName: Required value:
profiles: [{schedulerName: a}, {schedulerName: a}]
  profiles[1].schedulerName: Duplicate value: "a": also the name of profiles[0]
profiles: [{percentageOfNodesToScore: 101}]
  profiles[0].percentageOfNodesToScore: Invalid value: 101: must be from 0 to 100
profiles: [{plugins: {scores: {}}}]
  profiles[0].plugins.scores: Forbidden: unknown field; known: multiPoint
profiles: [{plugins: {score: {enabled: [{name: Custom, args: 1}]}}}]
  profiles[0].plugins.score.enabled[0].args: Forbidden: unknown field; known: name, weight
profiles: [{plugins: {filter: {enabled: [{name: Nodename}]}}}]
  profiles[0].plugins.filter.enabled[0].name: Unsupported value: "Nodename": supported values:
profiles: [{plugins: {multiPoint: {enabled: [{name: EBSLimits}]}}}]
  profiles[0].plugins.multiPoint.enabled[0].name: Invalid value: "EBSLimits": removed from
profiles: [{plugins: {filter: {enabled: [{}], disabled: [{}]}}}]
  profiles[0].plugins.filter.enabled[0].name: Required value: the name of a plugin
  profiles[0].plugins.filter.disabled[0].name: Required value: the name of a plugin, or * for all
profiles: [{plugins: {multiPoint: {enabled: [{name: Custom, weight: -1}]}}}]
  profiles[0].plugins.multiPoint.enabled[0].weight: Invalid value: -1: must be at least 0
profiles: [{pluginConfig: [{name: NodeAffinity}, {name: NodeAffinity}]}]
  profiles[0].pluginConfig[1].name: Duplicate value: "NodeAffinity"
profiles: [{pluginConfig: [{name: NodeAfinity}, {args: {}}, {name: CinderLimits}]}]
  profiles[0].pluginConfig[0].name: Unsupported value: "NodeAfinity": supported values:
  profiles[0].pluginConfig[1].name: Required value: the name of a plugin
  profiles[0].pluginConfig[2].name: Invalid value: "CinderLimits": removed from Kubernetes
profiles: [{pluginConfig: [{name: Custom, args: 3}]}]
  profiles[0].pluginConfig[0].args: Invalid value: 3: must be an object
profiles: [{plugins: {queueSort: {enabled: [{name: OtherSort}, {name: PrioritySort}]}}}]
  profiles[0].plugins.queueSort.enabled: Invalid value: ["OtherSort","PrioritySort"]: only one
profiles: [{schedulerName: a, plugins: &other {queueSort: {enabled: [{name: OtherSort}]}}},
    {schedulerName: b, plugins: *other}, {schedulerName: c}]
  profiles[2].plugins.queueSort: Invalid value: []: must be the same in all profiles
profiles: [{schedulerName: a, plugins: &other {queueSort: {enabled: [{name: OtherSort}]}},
    pluginConfig: [{name: OtherSort, args: {by: age}}]}, {schedulerName: b, plugins: *other}]
  profiles[1].pluginConfig: Invalid value: "OtherSort": the arguments of OtherSort must be the same
"""

AFFINITY = "requiredDuringSchedulingIgnoredDuringExecution"
PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"
ZONE = "{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: ScheduleAnyway"

# A case is the arguments of a plugin, and below them how each fault begins, relative to them.
ARGUMENTS = """
InterPodAffinity: []
  : Invalid value: []: must be an object
InterPodAffinity: {kind: NodeAffinityArgs}
  kind: Invalid value: "NodeAffinityArgs": must be InterPodAffinityArgs
InterPodAffinity: {apiVersion: kubescheduler.config.k8s.io/v1beta3}
  apiVersion: Unsupported value: "kubescheduler.config.k8s.io/v1beta3": supported values:
InterPodAffinity: {hardPodAffinityWeight: 101, ignorePreferredTermsOfExistingPods: 1}
  hardPodAffinityWeight: Invalid value: 101: must be from 0 to 100
  ignorePreferredTermsOfExistingPods: Invalid value: 1: must be true or false
DefaultPreemption: {minCandidateNodesPercentage: 101, minCandidateNodesAbsolute: -1}
  minCandidateNodesPercentage: Invalid value: 101: must be from 0 to 100
  minCandidateNodesAbsolute: Invalid value: -1: must be at least 0
DefaultPreemption: {minCandidateNodesPercentage: 0, minCandidateNodesAbsolute: 0}
  minCandidateNodesPercentage: Invalid value: 0: can't be 0 together with minCandidateNodesAbsolute
  minCandidateNodesAbsolute: Invalid value: 0: can't be 0 together with minCandidateNodesPercentage
NodeAffinity: {addedAffinity: zone}
  addedAffinity: Invalid value: "zone": must be an object
NodeAffinity: {addedAffinity: {required: {}}}
  addedAffinity.required: Forbidden: unknown field; known:
NodeAffinity: {addedAffinity: {$required: {nodeSelectorTerms: [{matchLabels: {}}]}}}
  addedAffinity.$required.nodeSelectorTerms[0].matchLabels: Forbidden: unknown field; known:
NodeAffinity: {addedAffinity: {$required: {nodeSelectorTerms: [
    {matchExpressions: [{key: zone, operator: In, values: []}]}]}}}
  addedAffinity.$required.nodeSelectorTerms[0].matchExpressions[0].values: Invalid value: []:
NodeAffinity: {addedAffinity: {$required: {nodeSelectorTerms: [
    {matchExpressions: [{key: zone, operator: In, values: []}]}, {matchExpressions: [zone]}]}}}
  addedAffinity.$required.nodeSelectorTerms[1].matchExpressions[0]: Invalid value: "zone": must be
NodeAffinity: {addedAffinity: {$preferred: [
    {weight: "1", preference: {matchExpressions: [{key: zone, operator: Exists}]}}]}}
  addedAffinity.$preferred[0].weight: Invalid value: "1": must be an integer
NodeAffinity: {addedAffinity: {$preferred: [
    {weight: 1, preference: {matchExpressions: [{key: zone, operator: Near, values: [a]}]}}]}}
  addedAffinity.$preferred[0].matchExpressions[0].operator: Unsupported value:
VolumeBinding: {bindTimeoutSeconds: -1}
  bindTimeoutSeconds: Invalid value: -1: must be at least 0
VolumeBinding: {shape: [{utilization: 0, score: 0}]}
  shape: Forbidden: needs the feature gate StorageCapacityScoring
DynamicResources: {filterTimeout: -1s, bindingTimeout: 999ms}
  filterTimeout: Invalid value: "-1s": must be a duration such as 10s, 1m30s or 250ms
  bindingTimeout: Invalid value: "999ms": must be at least 1s
NodeResourcesFit: {ignoredResources: [a b, example.com/gpu]}
  ignoredResources[0]: Invalid value: "a b": name part must consist of
NodeResourcesFit: {ignoredResourceGroups: [example.com/gpu, ""]}
  ignoredResourceGroups[0]: Invalid value: "example.com/gpu": must be what stands before
  ignoredResourceGroups[1]: Invalid value: "": name part must be non-empty
NodeResourcesFit: {scoringStrategy: {}}
  scoringStrategy.type: Unsupported value: "": supported values: "LeastAllocated"
NodeResourcesFit: {scoringStrategy: {type: MostAllocated, resources: [{weight: 101}, {weight: -1}]}}
  scoringStrategy.resources[0].weight: Invalid value: 101: must be from 1 to 100
  scoringStrategy.resources[1].weight: Invalid value: -1: must be from 1 to 100
NodeResourcesFit: {scoringStrategy: {type: LeastAllocated, requestedToCapacityRatio: {}}}
  scoringStrategy.requestedToCapacityRatio: Forbidden: only with type RequestedToCapacityRatio
NodeResourcesFit: {scoringStrategy: {type: RequestedToCapacityRatio}}
  scoringStrategy.requestedToCapacityRatio: Required value: type RequestedToCapacityRatio needs it
NodeResourcesFit: {scoringStrategy: {type: RequestedToCapacityRatio,
    requestedToCapacityRatio: {shape: []}}}
  scoringStrategy.requestedToCapacityRatio.shape: Required value: at least one point is needed
NodeResourcesFit: {scoringStrategy: {type: RequestedToCapacityRatio,
    requestedToCapacityRatio: {shape: [{utilization: 101, score: 11}]}}}
  scoringStrategy.requestedToCapacityRatio.shape[0].utilization: Invalid value: 101: must be
  scoringStrategy.requestedToCapacityRatio.shape[0].score: Invalid value: 11: must be from 0 to 10
NodeResourcesFit: {scoringStrategy: {type: RequestedToCapacityRatio, requestedToCapacityRatio:
    {shape: [{utilization: 0}, {utilization: 50}, {utilization: 50}, {utilization: 40}]}}}
  scoringStrategy.requestedToCapacityRatio.shape[2].utilization: Invalid value: 50: must be greater
  scoringStrategy.requestedToCapacityRatio.shape[3].utilization: Invalid value: 40: must be greater
NodeResourcesBalancedAllocation: {resources: [{name: cpu, weight: 2}, {name: cpu}]}
  resources[0].weight: Invalid value: 2: must be 1: balance knows no weights
  resources[1].name: Duplicate value: "cpu"
PodTopologySpread: {defaultingType: None}
  defaultingType: Unsupported value: "None": supported values: "System", "List"
PodTopologySpread: {defaultConstraints: [$zone}]}
  defaultingType: Invalid value: "System": must be List for the defaultConstraints to count
PodTopologySpread: {defaultingType: List, defaultConstraints: [$zone}, $zone, minDomains: 2}]}
  defaultConstraints[1]: Duplicate value: "{zone, ScheduleAnyway}"
PodTopologySpread: {defaultingType: List, defaultConstraints: [{}]}
  defaultConstraints[0].maxSkew: Required value
  defaultConstraints[0].topologyKey: Required value
  defaultConstraints[0].whenUnsatisfiable: Required value: one of DoNotSchedule, ScheduleAnyway
PodTopologySpread: {defaultingType: List, defaultConstraints: [$zone, labelSelector: {}, skew: 1}]}
  defaultConstraints[0].labelSelector: Forbidden: the selector is deduced from each pod's owners
  defaultConstraints[0].skew: Forbidden: unknown field; known: maxSkew
PodTopologySpread: {defaultingType: List, defaultConstraints: [
    {maxSkew: -1, minDomains: 0, topologyKey: a zone, whenUnsatisfiable: Never}]}
  defaultConstraints[0].maxSkew: Invalid value: -1: must be at least 1
  defaultConstraints[0].topologyKey: Invalid value: "a zone": name part
  defaultConstraints[0].whenUnsatisfiable: Unsupported value: "Never": supported values:
  defaultConstraints[0].minDomains: Invalid value: 0: must be at least 1
PodTopologySpread: {defaultingType: List, defaultConstraints: [
    $zone, nodeAffinityPolicy: honor, nodeTaintsPolicy: Mind}]}
  defaultConstraints[0].nodeAffinityPolicy: Unsupported value: "honor": supported values: "Honor"
  defaultConstraints[0].nodeTaintsPolicy: Unsupported value: "Mind": supported values: "Honor"
"""


def cases(table: str) -> Iterator[Any]:
    """The cases of a table, each a document and how its faults begin."""
    for name, text in (("required", AFFINITY), ("preferred", PREFERRED), ("zone", ZONE)):
        table = table.replace(f"${name}", text)
    document, faults = "", list[str]()
    for line in [*table.strip().splitlines(), ""]:
        if line.startswith("  ") and not line.startswith("    "):
            faults.append(line.strip())
            continue
        if faults:
            yield pytest.param(yaml.safe_load(document), faults, id=document)
            document, faults = "", []
        document += line


def begin_as(found: list[str], expected: list[str]) -> bool:
    starts = [text[: len(start)] for text, start in zip(found, expected, strict=False)]
    return len(found) == len(expected) and starts == expected


@pytest.mark.parametrize(("fields", "expected"), [*cases(FIELDS)])
def test_of_a_configuration(faults, fields: dict[str, Any], expected: list[str]) -> None:
    found = faults(**fields)
    assert begin_as(found, expected), found


@pytest.mark.parametrize(("arguments", "expected"), [*cases(ARGUMENTS)])
def test_of_arguments(args_faults, arguments: dict[str, Any], expected: list[str]) -> None:
    ((plugin, raw),) = arguments.items()
    found = args_faults(plugin, raw)
    assert begin_as(found, expected), found
