"""The objects of one kind, and pages of lists of them."""

from podium.apiserver.store.kind_index import KindIndex, ListSegment, find
from tests.apiserver.store.objects import made

PODS = {name: {"metadata": {"name": name}} for name in ("a", "b", "c")}


def test_an_empty_namespace_leaves_nothing_behind() -> None:
    index = KindIndex()
    index.put("ns", "a", made("a", "ns"))
    assert ([part.prefix for part in index.segments(None, ())], index.names("ns")) == (
        ["ns/"],
        ["a"],
    )
    index.remove("ns", "a")
    assert ([*index.segments(None, ())], index.names("ns")) == ([], [])


def test_after_the_last_page_nothing_remains() -> None:
    parts = [ListSegment("default/", tuple(PODS), PODS)]
    assert find(parts, "", 0, None) == ([*PODS.values()], "", 0)
    assert find(parts, "", 3, None) == ([*PODS.values()], "", 0)
    items, after, remaining = find(parts, "", 2, None)
    assert (items, remaining) == ([PODS["a"], PODS["b"]], 1)
    assert find(parts, after, 2, None) == ([PODS["c"]], "", 0)
