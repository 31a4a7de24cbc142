"""Pages of lists."""

from podium.apiserver.store.pages import ListSegment, PageContent, find

PODS = {name: {"metadata": {"name": name}} for name in ("a", "b", "c")}


def test_after_the_last_page_nothing_remains() -> None:
    parts = [ListSegment("default/", tuple(PODS), PODS)]
    assert find(parts, "", 0, None) == PageContent([*PODS.values()], "", 0)
    assert find(parts, "", 3, None) == PageContent([*PODS.values()], "", 0)
    first = find(parts, "", 2, None)
    assert (first.items, first.remaining) == ([PODS["a"], PODS["b"]], 1)
    assert find(parts, first.after, 2, None) == PageContent([PODS["c"]], "", 0)
