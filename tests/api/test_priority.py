"""Priorities and what follows from them."""

from typing import Any

from podium.api.priority import (
    NEVER,
    PREEMPT_LOWER_PRIORITY,
    SYSTEM_CRITICAL,
    is_node_critical,
    pod_priority,
    preemption_policy,
)


def pod(annotations: dict[str, str] | None = None, **spec: Any) -> dict[str, Any]:
    return {"metadata": {"annotations": annotations}, "spec": spec}


def test_priority_and_policy() -> None:
    priorities = [pod_priority(p) for p in ({}, pod(), pod(priority=None), pod(priority=-5))]
    assert priorities == [0, 0, 0, -5]
    assert preemption_policy(pod()) == PREEMPT_LOWER_PRIORITY
    assert preemption_policy(pod(preemptionPolicy="Never")) == NEVER


def test_node_critical_pods_are_critical_ones_of_the_class() -> None:
    named = "system-node-critical"
    assert is_node_critical(pod(priorityClassName=named, priority=SYSTEM_CRITICAL + 1000))
    assert not is_node_critical(pod(priorityClassName=named))
    assert not is_node_critical(pod(priority=SYSTEM_CRITICAL + 1000))
