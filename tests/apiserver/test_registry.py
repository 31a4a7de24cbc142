"""Which kinds are served, and in which versions."""

import pytest

from podium.api.kinds.builtin_kinds import KINDS
from podium.apiserver.registry import BUILT_IN


@pytest.mark.parametrize(
    ("api_version", "kind", "served"),
    [
        ("v1", "Event", True),
        ("events.k8s.io/v1", "Event", True),
        ("autoscaling/v2", "HorizontalPodAutoscaler", True),
        ("autoscaling/v1", "HorizontalPodAutoscaler", False),
        ("policy/v1beta1", "PodDisruptionBudget", False),
        ("serving.knative.dev/v1", "Service", False),
    ],
)
def test_a_kind_is_found_in_versions_that_are_served(
    api_version: str, kind: str, served: bool
) -> None:
    found = BUILT_IN.of({"apiVersion": api_version, "kind": kind})
    assert found is (KINDS[kind] if served else None)
