"""Pages of lists."""

from podium.apiserver.store.pages import ListSegment, find

PODS = {name: {"metadata": {"name": name}} for name in ("a", "b", "c")}


def test_after_the_last_page_nothing_remains() -> None:
    parts = [ListSegment("default/", tuple(PODS), PODS)]
    assert find(parts, "", 0, None) == ([*PODS.values()], "", 0)
    assert find(parts, "", 3, None) == ([*PODS.values()], "", 0)
    items, after, remaining = find(parts, "", 2, None)
    assert (items, remaining) == ([PODS["a"], PODS["b"]], 1)
    assert find(parts, after, 2, None) == ([PODS["c"]], "", 0)
