"""Selectors on columns say what they say node by node."""

from typing import Any

import pytest

from podium.api.selectors.node_selector import NodeSelector, node_selector, required_node_affinity
from podium.scheduler.snapshot.snapshot import Snapshot


def expression(key: str, operator: str, *values: str) -> dict[str, Any]:
    return {"key": key, "operator": operator, "values": [*values]}


@pytest.fixture
def snapshot() -> Snapshot:
    made = Snapshot()
    labels = {"a": {"zone": "1"}, "b": {"zone": "2", "disk": "ssd"}, "gone": {"zone": "1"}, "c": {}}
    made.set_nodes([{"metadata": {"name": n, "labels": of}} for n, of in labels.items()])
    made.remove_node("gone")
    return made


def names(snapshot: Snapshot, selector: Any) -> set[str]:
    rows = snapshot.columns.matching(selector)
    assert rows.shape == (snapshot.node_count,)
    return {snapshot.names[row] for row in rows.nonzero()[0]}


@pytest.mark.parametrize(
    ("term", "matching"),
    [
        ({"matchExpressions": [expression("zone", "In", "1", "2")]}, {"a", "b"}),
        ({"matchExpressions": [expression("zone", "NotIn", "1")]}, {"b", "c"}),
        ({"matchExpressions": [expression("zone", "DoesNotExist")]}, {"c"}),
        ({"matchExpressions": [expression("zone", "Gt", "1")]}, {"b"}),
        ({"matchFields": [expression("metadata.name", "NotIn", "a")]}, {"b", "c"}),
        ({"matchFields": [expression("metadata.name", "In", "gone")]}, set()),
        ({"matchFields": [expression("metadata.other", "NotIn", "x")]}, {"a", "b", "c"}),
        ({"matchFields": [expression("metadata.other", "In", "x")]}, set()),
        ({"matchFields": [expression("metadata.name", "In", "a", "b")]}, set()),
    ],
)
def test_terms(snapshot: Snapshot, term: dict[str, Any], matching: set[str]) -> None:
    selector = node_selector({"nodeSelectorTerms": [term]})
    assert names(snapshot, selector) == matching
    assert names(snapshot, selector.terms[0]) == matching


def test_terms_are_alternatives(snapshot: Snapshot) -> None:
    of_a = {"matchFields": [expression("metadata.name", "In", "a")]}
    with_disk = {"matchExpressions": [expression("disk", "Exists")]}
    assert names(snapshot, node_selector({"nodeSelectorTerms": [of_a, with_disk]})) == {"a", "b"}
    assert names(snapshot, NodeSelector()) == set()


def test_the_node_selector_and_the_affinity_must_both_match(snapshot: Snapshot) -> None:
    term = {"matchExpressions": [expression("zone", "Exists")]}
    required = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [term]}}
    spec = {"nodeSelector": {"disk": "ssd"}, "affinity": {"nodeAffinity": required}}
    assert names(snapshot, required_node_affinity({"spec": spec})) == {"b"}
    assert names(snapshot, required_node_affinity({"spec": {}})) == {"a", "b", "c"}
