"""Priorities and what follows from them."""

from typing import Any

import pytest

from podium.api.priority import (
    HIGHEST_USER_DEFINABLE,
    NEVER,
    PREEMPT_LOWER_PRIORITY,
    SYSTEM_CRITICAL,
    SYSTEM_PRIORITY_CLASSES,
    is_critical,
    is_mirror,
    is_node_critical,
    is_static,
    pod_priority,
    preemption_policy,
)

SOURCE = "kubernetes.io/config.source"
MIRROR = "kubernetes.io/config.mirror"


def pod(annotations: dict[str, str] | None = None, **spec: Any) -> dict[str, Any]:
    return {"metadata": {"annotations": annotations}, "spec": spec}


def test_the_system_classes() -> None:
    assert SYSTEM_PRIORITY_CLASSES == {
        "system-cluster-critical": 2_000_000_000,
        "system-node-critical": 2_000_001_000,
    }
    assert (HIGHEST_USER_DEFINABLE, SYSTEM_CRITICAL) == (1_000_000_000, 2_000_000_000)


def test_priority_and_policy() -> None:
    assert [pod_priority(p) for p in ({}, pod(), pod(priority=None), pod(priority=-5))] == [
        0,
        0,
        0,
        -5,
    ]
    assert preemption_policy(pod()) == PREEMPT_LOWER_PRIORITY
    assert preemption_policy(pod(preemptionPolicy="Never")) == NEVER


@pytest.mark.parametrize(
    ("given_pod", "critical", "static", "mirror"),
    [
        (pod(), False, False, False),
        (pod({SOURCE: "api"}), False, False, False),
        (pod({SOURCE: "file"}), True, True, False),
        (pod({MIRROR: "hash"}), True, False, True),
        (pod(priority=SYSTEM_CRITICAL), True, False, False),
        (pod(priority=SYSTEM_CRITICAL - 1), False, False, False),
    ],
)
def test_pods_that_the_kubelet_spares(
    given_pod: dict[str, Any], critical: bool, static: bool, mirror: bool
) -> None:
    found = (is_critical(given_pod), is_static(given_pod), is_mirror(given_pod))
    assert found == (critical, static, mirror)


def test_node_critical_pods_are_critical_ones_of_the_class() -> None:
    named = "system-node-critical"
    assert is_node_critical(pod(priorityClassName=named, priority=SYSTEM_CRITICAL + 1000))
    assert not is_node_critical(pod(priorityClassName=named))
    assert not is_node_critical(pod(priority=SYSTEM_CRITICAL + 1000))
