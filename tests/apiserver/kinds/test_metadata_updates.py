"""Metadata: what the server alone decides, and what is said twice."""

from typing import Any

import pytest

from tests.apiserver.kinds.updates import METADATA, faults, stored

Obj = dict[str, Any]

CONFIG_MAP = stored("ConfigMap")
BUDGET = stored("PodDisruptionBudget", spec={"minAvailable": 1})
IMMUTABLE = "field is immutable"


@pytest.mark.parametrize(
    ("path", "value", "fault"),
    [
        ("uid", "v", f'metadata.uid: Invalid value: "v": {IMMUTABLE}'),
        ("name", "y", f'metadata.name: Invalid value: "y": {IMMUTABLE}'),
        ("generation", 0, "metadata.generation: Invalid value: 0: must not be decremented"),
        (
            "resourceVersion",
            None,
            'metadata.resourceVersion: Invalid value: "": must be specified for an update',
        ),
        (
            "deletionTimestamp",
            "2026-01-02T00:00:00Z",
            f'metadata.deletionTimestamp: Invalid value: "2026-01-02T00:00:00Z": {IMMUTABLE}',
        ),
        (
            "deletionGracePeriodSeconds",
            5,
            f"metadata.deletionGracePeriodSeconds: Invalid value: 5: {IMMUTABLE}",
        ),
        (
            "ownerReferences",
            [{"apiVersion": "v1", "kind": "Pod", "name": "p"}],
            'metadata.ownerReferences.uid: Invalid value: "": must not be empty',
        ),
    ],
)
def test_what_may_not_change(path: str, value: Any, fault: str) -> None:
    found = faults(CONFIG_MAP, f"metadata.{path}", value)
    assert found[:2] == [fault, fault]
    # Budgets don't ask a second time.
    assert faults(BUDGET, f"metadata.{path}", value)[0] == fault
    assert faults(BUDGET, f"metadata.{path}", value).count(fault) < len(found) or path == "name"


@pytest.mark.parametrize(
    ("path", "value"),
    [("labels", {"a": "b"}), ("annotations", {"a": "b"}), ("finalizers", ["a/b"])],
)
def test_what_may(path: str, value: Any) -> None:
    assert faults(CONFIG_MAP, f"metadata.{path}", value) == []


def test_labels_are_judged_when_they_change() -> None:
    broken = {"a b": "c"}
    assert len(faults(CONFIG_MAP, "metadata.labels", broken)) >= 2
    old = stored("ConfigMap", metadata={"labels": broken})
    assert all("finalizers" not in text for text in faults(old, "metadata.finalizers", ["a/b"]))


@pytest.mark.parametrize(
    ("kind", "times"),
    [("PodDisruptionBudget", 2), ("LimitRange", 3), ("Deployment", 3), ("Job", 4), ("Node", 4)],
)
def test_a_label_is_judged_as_often_as_upstream(kind: str, times: int) -> None:
    found = faults(stored(kind), "metadata.labels", {"a": "b c"})
    assert sum(text.startswith("metadata.labels: Invalid") for text in found) == times


def test_no_finalizer_comes_once_the_object_is_going() -> None:
    going = stored(
        "ConfigMap",
        metadata={"deletionTimestamp": METADATA["creationTimestamp"], "finalizers": ["a/b"]},
    )
    (first, second) = faults(going, "metadata.finalizers", ["a/b", "c/e", "c/d"])
    assert (
        first
        == second
        == (
            "metadata.finalizers: Forbidden: no new finalizers can be added if the object is being "
            'deleted, found new finalizers []string{"c/d", "c/e"}'
        )
    )
    assert faults(going, "metadata.finalizers", None) == []
