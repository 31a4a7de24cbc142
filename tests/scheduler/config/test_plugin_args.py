"""Arguments of plugins: their kinds, and those of the plugins that take few."""

import pytest

from podium.scheduler.config.args import (
    API_VERSION,
    DefaultPreemptionArgs,
    DynamicResourcesArgs,
    InterPodAffinityArgs,
    NodeAffinityArgs,
    VolumeBindingArgs,
)

IN_ZONE_A = {"matchExpressions": [{"key": "zone", "operator": "In", "values": ["a"]}]}
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"


@pytest.mark.parametrize(
    "header",
    [
        {"apiVersion": API_VERSION, "kind": "InterPodAffinityArgs"},
        {"kind": "InterPodAffinityArgs"},
        {"apiVersion": API_VERSION},
    ],
)
def test_a_kind_may_be_given(args, header: dict[str, str]) -> None:
    given = args("InterPodAffinity", header | {"hardPodAffinityWeight": 3})
    assert given.hard_pod_affinity_weight == 3


@pytest.mark.parametrize(
    ("raw", "fault"),
    [
        (
            {"kind": "NodeAffinityArgs"},
            'kind: Invalid value: "NodeAffinityArgs": must be InterPodAffinityArgs',
        ),
        (
            {"apiVersion": "kubescheduler.config.k8s.io/v1beta3"},
            'apiVersion: Unsupported value: "kubescheduler.config.k8s.io/v1beta3": '
            'supported values: "kubescheduler.config.k8s.io/v1"',
        ),
        (
            {"hardPodAffinitySymmetricWeight": 1},
            "hardPodAffinitySymmetricWeight: Forbidden: unknown field; known: apiVersion, kind, "
            "hardPodAffinityWeight, ignorePreferredTermsOfExistingPods",
        ),
        ([], ": Invalid value: []: must be an object"),
        (
            {"hardPodAffinityWeight": 101},
            "hardPodAffinityWeight: Invalid value: 101: must be from 0 to 100",
        ),
        (
            {"hardPodAffinityWeight": -1},
            "hardPodAffinityWeight: Invalid value: -1: must be from 0 to 100",
        ),
        (
            {"ignorePreferredTermsOfExistingPods": 1},
            "ignorePreferredTermsOfExistingPods: Invalid value: 1: must be true or false",
        ),
    ],
)
def test_faulty_inter_pod_affinity(args_faults, raw: object, fault: str) -> None:
    assert args_faults("InterPodAffinity", raw) == [fault]


def test_inter_pod_affinity(args) -> None:
    raw = {"hardPodAffinityWeight": 0, "ignorePreferredTermsOfExistingPods": True}
    assert args("InterPodAffinity", raw) == InterPodAffinityArgs(
        hard_pod_affinity_weight=0, ignore_preferred_terms_of_existing_pods=True
    )
    assert args("InterPodAffinity", {"hardPodAffinityWeight": 100}) == InterPodAffinityArgs(
        hard_pod_affinity_weight=100
    )


def preemption(args, raw: dict[str, int]) -> tuple[int, int, bool]:
    given = args("DefaultPreemption", raw)
    assert isinstance(given, DefaultPreemptionArgs)
    percentage, absolute = given.min_candidate_nodes_percentage, given.min_candidate_nodes_absolute
    return percentage, absolute, given.limits_candidates


def test_default_preemption_limits_candidates_when_asked_to(args) -> None:
    percentage, absolute = {"minCandidateNodesPercentage": 0}, {"minCandidateNodesAbsolute": 0}
    assert preemption(args, percentage) == (0, 100, True)
    assert preemption(args, absolute) == (10, 0, True)
    assert preemption(args, {}) == (10, 100, False)


def test_faulty_default_preemption(args_faults) -> None:
    assert args_faults(
        "DefaultPreemption",
        {"minCandidateNodesPercentage": 101, "minCandidateNodesAbsolute": -1},
    ) == [
        "minCandidateNodesPercentage: Invalid value: 101: must be from 0 to 100",
        "minCandidateNodesAbsolute: Invalid value: -1: must be at least 0",
    ]
    assert args_faults(
        "DefaultPreemption",
        {"minCandidateNodesPercentage": 0, "minCandidateNodesAbsolute": 0},
    ) == [
        "minCandidateNodesPercentage: Invalid value: 0: "
        "can't be 0 together with minCandidateNodesAbsolute",
        "minCandidateNodesAbsolute: Invalid value: 0: "
        "can't be 0 together with minCandidateNodesPercentage",
    ]


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
    assert args("NodeAffinity", {"addedAffinity": affinity}) == NodeAffinityArgs(
        added_affinity=affinity
    )


def wrong(operator: str, *values: str) -> dict[str, object]:
    return {"matchExpressions": [{"key": "zone", "operator": operator, "values": list(values)}]}


@pytest.mark.parametrize(
    ("affinity", "fault"),
    [
        ("zone", ': Invalid value: "zone": must be an object'),
        ({"required": {}}, ".required: Forbidden: unknown field; known: "),
        ({REQUIRED: []}, f".{REQUIRED}: Invalid value: []: must be an object"),
        (
            {REQUIRED: {"nodeSelectorTerms": [{"matchLabels": {}}]}},
            f".{REQUIRED}.nodeSelectorTerms[0].matchLabels: Forbidden: unknown field; known: "
            "matchExpressions, matchFields",
        ),
        (
            {REQUIRED: {"nodeSelectorTerms": [IN_ZONE_A, wrong("In")]}},
            f".{REQUIRED}.nodeSelectorTerms[1].matchExpressions[0].values: Invalid value: []: ",
        ),
        (
            {REQUIRED: {"nodeSelectorTerms": [{"matchFields": [{"key": "a", "operator": "In"}]}]}},
            f".{REQUIRED}.nodeSelectorTerms[0].matchFields[0].values: Invalid value: null: ",
        ),
        (
            {REQUIRED: {"nodeSelectorTerms": [{"matchExpressions": [{"key": 3}]}]}},
            f".{REQUIRED}.nodeSelectorTerms[0].matchExpressions[0].key: Invalid value: 3: "
            "must be a string",
        ),
        (
            {PREFERRED: [{"weight": "1", "preference": IN_ZONE_A}]},
            f'.{PREFERRED}[0].weight: Invalid value: "1": must be an integer',
        ),
        (
            {PREFERRED: [{"weight": 1, "preference": wrong("Near", "a")}]},
            f".{PREFERRED}[0].matchExpressions[0].operator: Unsupported value: ",
        ),
        (
            {PREFERRED: [{"weight": 1, "preference": wrong("Gt", "a", "b")}]},
            f".{PREFERRED}[0].matchExpressions[0].values: Invalid value: ",
        ),
    ],
)
def test_faulty_node_affinity(args_faults, affinity: object, fault: str) -> None:
    found = args_faults("NodeAffinity", {"addedAffinity": affinity})
    assert found[0].startswith(f"addedAffinity{fault}")


def test_the_meaning_of_a_misshapen_affinity_is_not_judged(args_faults) -> None:
    affinity = {REQUIRED: {"nodeSelectorTerms": [wrong("In"), {"matchExpressions": ["zone"]}]}}
    assert args_faults("NodeAffinity", {"addedAffinity": affinity}) == [
        f"addedAffinity.{REQUIRED}.nodeSelectorTerms[1].matchExpressions[0]: "
        'Invalid value: "zone": must be an object'
    ]


def test_volume_binding(args, args_faults) -> None:
    assert args("VolumeBinding", {"bindTimeoutSeconds": 0}) == VolumeBindingArgs(
        bind_timeout_seconds=0
    )
    assert args("VolumeBinding", {"bindTimeoutSeconds": 2**40}) == VolumeBindingArgs(
        bind_timeout_seconds=2**40
    )
    assert args_faults("VolumeBinding", {"bindTimeoutSeconds": -1}) == [
        "bindTimeoutSeconds: Invalid value: -1: must be at least 0"
    ]
    (fault,) = args_faults("VolumeBinding", {"shape": [{"utilization": 0, "score": 0}]})
    assert fault.startswith("shape: Forbidden: needs the feature gate StorageCapacityScoring")


def test_dynamic_resources_are_read_and_noted(load, args) -> None:
    raw = {"filterTimeout": "0", "bindingTimeout": "1m30s"}
    assert args("DynamicResources", raw) == DynamicResourcesArgs(
        filter_timeout="0", binding_timeout="1m30s"
    )
    config = [{"name": "DynamicResources", "args": raw}]
    assert load(profiles=[{"pluginConfig": config}]).notes == (
        "profiles[0].pluginConfig[0].args has no effect: resource claims aren't modelled",
    )


def test_faulty_dynamic_resources(args_faults) -> None:
    raw = {"filterTimeout": "-1s", "bindingTimeout": "999ms"}
    assert args_faults("DynamicResources", raw) == [
        'filterTimeout: Invalid value: "-1s": must be a duration such as 10s, 1m30s or 250ms',
        'bindingTimeout: Invalid value: "999ms": must be at least 1s',
    ]
    assert args_faults("DynamicResources", {"filterTimeout": "soon"}) == [
        'filterTimeout: Invalid value: "soon": must be a duration such as 10s, 1m30s or 250ms'
    ]
    assert args_faults("DynamicResources", {"filterTimeout": 10}) == [
        "filterTimeout: Invalid value: 10: must be a duration such as 10s, 1m30s or 250ms"
    ]
