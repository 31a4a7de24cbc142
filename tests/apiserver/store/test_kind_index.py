"""The objects of one kind."""

from podium.apiserver.store.kind_index import KindIndex
from tests.apiserver.store.objects import made


def test_an_empty_namespace_leaves_nothing_behind() -> None:
    index = KindIndex()
    index.put("ns", "a", made("a", "ns"))
    assert (index.namespaces(), index.names("ns")) == (["ns"], ["a"])
    index.remove("ns", "a")
    assert (index.namespaces(), index.names("ns"), index.objects("ns")) == ([], [], {})
