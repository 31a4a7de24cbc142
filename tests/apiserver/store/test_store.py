"""Versions, conflicts and names."""

import pytest

from podium.apiserver.store.errors import AlreadyExistsError, NotFoundError
from podium.apiserver.store.store import Store
from tests.apiserver.store.objects import made, version


def test_what_is_created_can_be_got() -> None:
    store = Store()
    created = store.create("Pod", made("a", "ns", spec={"x": 1}))
    assert created["spec"] == {"x": 1}
    assert store.get("Pod", "ns", "a") is created


def test_an_empty_store_has_a_revision_other_than_0() -> None:
    assert Store().revision == 1


def test_all_kinds_share_one_counter() -> None:
    store = Store()
    versions = [
        version(store.create("Pod", made("a", "ns"))),
        version(store.create("Node", made("a"))),
        version(store.update("Node", made("a"))),
        version(store.delete("Pod", "ns", "a")),
        version(store.create("Pod", made("a", "ns"))),
    ]
    assert versions == ["2", "3", "4", "5", "6"]
    assert store.revision == 6


def test_the_given_object_stays_as_it_was_and_the_rest_of_it_is_shared() -> None:
    store = Store()
    given = made("a", "ns", spec={"x": 1})
    stored = store.create("Pod", given)
    assert given == made("a", "ns", spec={"x": 1})
    assert stored["spec"] is given["spec"]


def test_same_names_in_other_namespaces_and_kinds_are_others() -> None:
    store = Store()
    for kind, namespace in (("Pod", "a"), ("Pod", "b"), ("Secret", "a"), ("Node", "")):
        store.create(kind, made("x", namespace, at=[kind, namespace]))
    assert [
        obj["at"] if obj else None
        for obj in (
            store.get("Pod", "a", "x"),
            store.get("Pod", "b", "x"),
            store.get("Secret", "a", "x"),
            store.get("Node", "", "x"),
            store.get("Secret", "b", "x"),
        )
    ] == [["Pod", "a"], ["Pod", "b"], ["Secret", "a"], ["Node", ""], None]


def test_a_name_is_taken_until_it_is_deleted() -> None:
    store = Store()
    store.create("Pod", made("a", "ns"))
    with pytest.raises(AlreadyExistsError, match="Pod ns/a already exists"):
        store.create("Pod", made("a", "ns"))
    store.delete("Pod", "ns", "a")
    assert store.get("Pod", "ns", "a") is None
    assert version(store.create("Pod", made("a", "ns"))) == "4"


def test_what_is_not_there_can_not_be_changed() -> None:
    store = Store()
    with pytest.raises(NotFoundError, match="Node n not found"):
        store.update("Node", made("n"))
    with pytest.raises(NotFoundError):
        store.delete("Node", "", "n")
    assert store.revision == 1


def test_a_deletion_answers_with_the_last_state() -> None:
    store = Store()
    store.create("Node", made("n", spec={"x": 1}))
    assert store.delete("Node", "", "n") == {
        "metadata": {"name": "n", "resourceVersion": "3"},
        "spec": {"x": 1},
    }
