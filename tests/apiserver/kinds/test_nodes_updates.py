"""What may be told of nodes."""

from typing import Any

import pytest

from tests.apiserver.kinds.updates import faults, stored

Obj = dict[str, Any]

RULE = "must start with an UpperCamelCase segment"


@pytest.mark.parametrize(
    "status",
    [
        {"conditions": [{"type": "", "status": "zzz"}]},
        {"conditions": [{"type": "Ready", "status": ""}]},
        {"images": [{"names": [], "sizeBytes": -5}]},
        {"capacity": {"": "1"}, "allocatable": {"a b": "1"}},
    ],
)
def test_what_was_told_of_a_node_does_not_keep_it_from_being_changed(status: Obj) -> None:
    node = stored("Node", spec={}, status=status)
    assert faults(node, "spec.unschedulable", True) == []


@pytest.mark.parametrize(
    ("features", "expected"),
    [
        (["A", "Ab/c1/D"], None),
        (["a"], f'declaredFeatures[0]: Invalid value: "a": invalid feature name "a": {RULE}'),
        (["A/"], f'declaredFeatures[0]: Invalid value: "A/": invalid feature name "A/": {RULE}'),
        (["A", "A"], 'declaredFeatures[1]: Duplicate value: "A"'),
        (["B", "A"], 'declaredFeatures[1]: Invalid value: "A": list must be sorted'),
    ],
)
def test_features_have_names_in_order(features: list[str], expected: str | None) -> None:
    node = stored("Node", spec={}, status={})
    found = faults(node, "status.declaredFeatures", features, "status")
    assert len(found) == (expected is not None)
    assert all(fault.startswith(f"status.{expected}") for fault in found)
