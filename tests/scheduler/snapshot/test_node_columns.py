"""Terms about fields of nodes, which records don't have."""

import pytest

from podium.api.selectors.node_selector import node_selector
from podium.scheduler.snapshot.snapshot import Snapshot
from tests.objects import node


@pytest.mark.parametrize(
    ("key", "operator", "values", "matching"),
    [
        ("metadata.name", "NotIn", ["a"], {"b", "c"}),
        ("metadata.name", "In", ["gone"], set()),
        ("metadata.name", "In", ["a", "b"], set()),
        ("metadata.other", "NotIn", ["x"], {"a", "b", "c"}),
        ("metadata.other", "In", ["x"], set()),
    ],
)
def test_terms_on_fields(key: str, operator: str, values: list[str], matching: set[str]) -> None:
    snapshot = Snapshot()
    snapshot.set_nodes(map(node, ("a", "b", "gone", "c")))
    snapshot.remove_node("gone")
    field = {"key": key, "operator": operator, "values": values}
    rows = snapshot.columns.matching(
        node_selector({"nodeSelectorTerms": [{"matchFields": [field]}]})
    )
    assert {snapshot.names[row] for row in rows.nonzero()[0]} == matching
