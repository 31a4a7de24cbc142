"""Arguments of plugins: their kinds, and those of the plugins that take few."""

import pytest

from podium.scheduler.config import args as plugin_args

IN_ZONE_A = {"matchExpressions": [{"key": "zone", "operator": "In", "values": ["a"]}]}
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"


@pytest.mark.parametrize(
    "header",
    [
        {"apiVersion": plugin_args.API_VERSION, "kind": "InterPodAffinityArgs"},
        {"kind": "InterPodAffinityArgs"},
        {"apiVersion": plugin_args.API_VERSION},
    ],
)
def test_a_kind_may_be_given(args, header: dict[str, str]) -> None:
    given = args("InterPodAffinity", header | {"hardPodAffinityWeight": 3})
    assert given.hard_pod_affinity_weight == 3


def test_inter_pod_affinity(args) -> None:
    raw = {"hardPodAffinityWeight": 0, "ignorePreferredTermsOfExistingPods": True}
    assert args("InterPodAffinity", raw) == plugin_args.InterPodAffinityArgs(
        hard_pod_affinity_weight=0, ignore_preferred_terms_of_existing_pods=True
    )
    assert args(
        "InterPodAffinity", {"hardPodAffinityWeight": 100}
    ) == plugin_args.InterPodAffinityArgs(hard_pod_affinity_weight=100)


def preemption(args, raw: dict[str, int]) -> tuple[int, int, bool]:
    given = args("DefaultPreemption", raw)
    assert isinstance(given, plugin_args.DefaultPreemptionArgs)
    percentage, absolute = given.min_candidate_nodes_percentage, given.min_candidate_nodes_absolute
    return percentage, absolute, given.limits_candidates


def test_default_preemption_limits_candidates_when_asked_to(args) -> None:
    percentage, absolute = {"minCandidateNodesPercentage": 0}, {"minCandidateNodesAbsolute": 0}
    assert preemption(args, percentage) == (0, 100, True)
    assert preemption(args, absolute) == (10, 0, True)
    assert preemption(args, {}) == (10, 100, False)


@pytest.mark.parametrize(
    "affinity",
    [
        {REQUIRED: {"nodeSelectorTerms": [IN_ZONE_A]}},
        {PREFERRED: [{"weight": 2, "preference": IN_ZONE_A}]},
        {REQUIRED: {"nodeSelectorTerms": []}, PREFERRED: []},
        {
            REQUIRED: {
                "nodeSelectorTerms": [
                    {
                        "matchFields": [
                            {"key": "metadata.name", "operator": "In", "values": ["node2"]}
                        ]
                    }
                ]
            }
        },
    ],
)
def test_node_affinity(args, affinity: dict[str, object]) -> None:
    assert args("NodeAffinity", {"addedAffinity": affinity}) == plugin_args.NodeAffinityArgs(
        added_affinity=affinity
    )


def test_volume_binding(args, args_faults) -> None:
    assert args("VolumeBinding", {"bindTimeoutSeconds": 0}) == plugin_args.VolumeBindingArgs(
        bind_timeout_seconds=0
    )
    assert args("VolumeBinding", {"bindTimeoutSeconds": 2**40}) == plugin_args.VolumeBindingArgs(
        bind_timeout_seconds=2**40
    )
    assert args_faults("VolumeBinding", {"bindTimeoutSeconds": -1}) == [
        "bindTimeoutSeconds: Invalid value: -1: must be at least 0"
    ]
    (fault,) = args_faults("VolumeBinding", {"shape": [{"utilization": 0, "score": 0}]})
    assert fault.startswith("shape: Forbidden: needs the feature gate StorageCapacityScoring")


def test_dynamic_resources_are_read(args) -> None:
    raw = {"filterTimeout": "0", "bindingTimeout": "1m30s"}
    assert args("DynamicResources", raw) == plugin_args.DynamicResourcesArgs(
        filter_timeout="0", binding_timeout="1m30s"
    )
