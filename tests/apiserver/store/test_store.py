"""What a store shares with its callers, and how it words its errors."""

import pytest

from podium.apiserver.store.errors import AlreadyExistsError, NotFoundError
from podium.apiserver.store.store import Store
from tests.apiserver.store.objects import made


def test_the_given_object_stays_as_it_was_and_its_parts_are_shared() -> None:
    store = Store()
    given = made("a", "ns", spec={"x": 1})
    stored = store.create("Pod", given)
    assert given == made("a", "ns", spec={"x": 1})
    assert stored["spec"] is given["spec"]
    assert store.get("Pod", "ns", "a") is stored


def test_errors_name_kind_and_object() -> None:
    store = Store()
    store.create("Pod", made("a", "ns"))
    with pytest.raises(AlreadyExistsError, match="Pod ns/a already exists"):
        store.create("Pod", made("a", "ns"))
    with pytest.raises(NotFoundError, match="Node /n not found"):
        store.update("Node", made("n"))
    with pytest.raises(NotFoundError):
        store.delete("Node", "", "n")
    assert store.revision == 2
