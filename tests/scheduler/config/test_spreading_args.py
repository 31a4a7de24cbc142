"""Arguments of PodTopologySpread."""

import pytest

from podium.scheduler.config.args import (
    DefaultingType,
    PodTopologySpreadArgs,
    TopologySpreadConstraint,
)

ZONE = {
    "maxSkew": 1,
    "topologyKey": "topology.kubernetes.io/zone",
    "whenUnsatisfiable": "ScheduleAnyway",
}


def as_list(*constraints: dict[str, object]) -> dict[str, object]:
    return {"defaultingType": "List", "defaultConstraints": list(constraints)}


def test_no_defaults_at_all(args) -> None:
    assert args("PodTopologySpread", as_list()) == PodTopologySpreadArgs(
        defaulting_type=DefaultingType.LIST
    )


def test_constraints(args) -> None:
    full = ZONE | {
        "maxSkew": 4,
        "whenUnsatisfiable": "DoNotSchedule",
        "minDomains": 2,
        "nodeAffinityPolicy": "Ignore",
        "nodeTaintsPolicy": "Honor",
    }
    assert args("PodTopologySpread", as_list(ZONE, full)) == PodTopologySpreadArgs(
        default_constraints=(
            TopologySpreadConstraint(
                max_skew=1,
                topology_key="topology.kubernetes.io/zone",
                when_unsatisfiable="ScheduleAnyway",
            ),
            TopologySpreadConstraint(
                max_skew=4,
                topology_key="topology.kubernetes.io/zone",
                when_unsatisfiable="DoNotSchedule",
                min_domains=2,
                node_affinity_policy="Ignore",
                node_taints_policy="Honor",
            ),
        ),
        defaulting_type=DefaultingType.LIST,
    )


def test_an_empty_type_is_system(args) -> None:
    assert args("PodTopologySpread", {"defaultingType": ""}) == PodTopologySpreadArgs()


def test_match_label_keys_are_noted(load) -> None:
    raw = as_list(ZONE | {"matchLabelKeys": ["app"]})
    config = [{"name": "PodTopologySpread", "args": raw}]
    path = "profiles[0].pluginConfig[0].args.defaultConstraints[0].matchLabelKeys"
    assert load(profiles=[{"pluginConfig": config}]).notes == (f"{path} has no effect",)


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (
            {"defaultingType": "None"},
            ['defaultingType: Unsupported value: "None": supported values: "System", "List"'],
        ),
        (
            {"defaultConstraints": [ZONE]},
            [
                'defaultingType: Invalid value: "System": '
                "must be List for the defaultConstraints to count"
            ],
        ),
        (
            as_list(ZONE, ZONE | {"maxSkew": 2}),
            [
                'defaultConstraints[1]: Duplicate value: "{topology.kubernetes.io/zone, '
                'ScheduleAnyway}"'
            ],
        ),
        (
            as_list({}),
            [
                "defaultConstraints[0].maxSkew: Required value",
                "defaultConstraints[0].topologyKey: Required value",
                "defaultConstraints[0].whenUnsatisfiable: Required value: "
                "one of DoNotSchedule, ScheduleAnyway",
            ],
        ),
        (
            as_list(ZONE | {"labelSelector": {}}),
            [
                "defaultConstraints[0].labelSelector: Forbidden: "
                "the selector is deduced from each pod's owners"
            ],
        ),
        (
            as_list(ZONE | {"whenUnsatisfiable": "Never"}),
            [
                'defaultConstraints[0].whenUnsatisfiable: Unsupported value: "Never": '
                'supported values: "DoNotSchedule", "ScheduleAnyway"'
            ],
        ),
        (
            as_list(ZONE | {"maxSkew": -1, "minDomains": 0, "nodeTaintsPolicy": "Mind"}),
            [
                "defaultConstraints[0].maxSkew: Invalid value: -1: must be at least 1",
                "defaultConstraints[0].minDomains: Invalid value: 0: must be at least 1",
                'defaultConstraints[0].nodeTaintsPolicy: Unsupported value: "Mind": '
                'supported values: "Honor", "Ignore"',
            ],
        ),
        (
            as_list(ZONE | {"nodeAffinityPolicy": "honor"}),
            [
                'defaultConstraints[0].nodeAffinityPolicy: Unsupported value: "honor": '
                'supported values: "Honor", "Ignore"'
            ],
        ),
    ],
)
def test_faulty(args_faults, raw: object, expected: list[str]) -> None:
    assert args_faults("PodTopologySpread", raw) == expected


def test_faulty_topology_key(args_faults) -> None:
    (fault,) = args_faults("PodTopologySpread", as_list(ZONE | {"topologyKey": "a zone"}))
    assert fault.startswith(
        'defaultConstraints[0].topologyKey: Invalid value: "a zone": name part '
    )


def test_unknown_fields(args_faults) -> None:
    (fault,) = args_faults("PodTopologySpread", as_list(ZONE | {"skew": 1}))
    assert fault.startswith(
        "defaultConstraints[0].skew: Forbidden: unknown field; known: maxSkew, "
    )
