"""The objects of one kind."""

from podium.store.shelf import Shelf
from tests.store.objects import made


def test_an_empty_namespace_leaves_nothing_behind() -> None:
    shelf = Shelf()
    shelf.put("ns", "a", made("a", "ns"))
    assert (shelf.namespaces(), shelf.names("ns")) == (["ns"], ["a"])
    shelf.remove("ns", "a")
    assert (shelf.namespaces(), shelf.names("ns"), shelf.objects("ns")) == ([], [], {})
