"""Arguments of PodTopologySpread."""

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
