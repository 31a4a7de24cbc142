"""Nodes whose pods count for constraints of topology spread."""

from typing import Any

import pytest

from podium.scheduler.snapshot.pod_classes import PodClasses
from podium.scheduler.snapshot.pod_info import pending_pod
from podium.scheduler.snapshot.topology_spread import own_constraints, standing
from tests.objects import ZONE, node, pod

TAINT = {"key": "k", "effect": "NoSchedule"}


@pytest.mark.parametrize(
    ("policies", "spec", "counts"),
    [
        ({}, {}, True),
        ({"nodeTaintsPolicy": "Honor"}, {}, False),
        ({"nodeTaintsPolicy": "Honor"}, {"tolerations": [{"operator": "Exists"}]}, True),
        ({}, {"nodeSelector": {"disk": "ssd"}}, False),
        ({"nodeAffinityPolicy": "Ignore"}, {"nodeSelector": {"disk": "ssd"}}, True),
    ],
)
def test_policies_say_whether_nodes_that_the_pod_avoids_count(
    policies: dict[str, str], spec: dict[str, Any], *, counts: bool
) -> None:
    constraint = {"topologyKey": ZONE, "whenUnsatisfiable": "DoNotSchedule", **policies}
    spread = pod("web", topologySpreadConstraints=[{**constraint, "maxSkew": 1}], **spec)
    cls = pending_pod(spread, PodClasses()).cls
    tainted = {**node("n", zone="z1"), "spec": {"taints": [TAINT]}}
    assert standing(cls, own_constraints(cls, "DoNotSchedule"), tainted) == [("z1", counts)]
