"""Who an object is."""

from typing import Any

import pytest

from podium.api.objects import (
    annotations,
    condition_message,
    condition_status,
    controller_kind,
    controller_of,
    controller_uid,
    entries,
    is_terminating,
    key,
    labels,
    name,
    namespace,
    part,
    uid,
)
from podium.api.pods import is_finished


def test_a_full_object() -> None:
    meta = {
        "name": "p",
        "namespace": "shop",
        "uid": "u-1",
        "labels": {"app": "web"},
        "annotations": {"note": "x"},
    }
    obj = {"metadata": meta}
    assert (name(obj), namespace(obj), key(obj), uid(obj)) == ("p", "shop", "shop/p", "u-1")
    assert (labels(obj), annotations(obj)) == ({"app": "web"}, {"note": "x"})


@pytest.mark.parametrize("obj", [{}, {"metadata": None}, {"metadata": {"labels": None}}])
def test_an_object_that_says_nothing(obj: dict[str, Any]) -> None:
    found = (name(obj), namespace(obj), key(obj), uid(obj))
    assert found == ("", "default", "default/", "default/")
    assert (labels(obj), annotations(obj)) == ({}, {})
    assert controller_of(obj) is None
    assert not is_terminating(obj)
    assert not is_finished(obj)


def test_parts_and_entries() -> None:
    obj: dict[str, Any] = {"a": {"b": {"c": 1}, "n": None, "l": [1]}}
    assert part(obj, "a", "b") == {"c": 1}
    assert part(obj, "a", "n", "x") == part(obj, "z") == {}
    assert entries(obj, "z") == []
    assert [*entries(part(obj, "a"), "l")] == [1]


def test_a_condition_and_a_controller_that_may_be_absent() -> None:
    ready = {"type": "Ready", "status": "False", "message": "starts"}
    owner = {"kind": "Job", "uid": "u-1", "controller": True}
    friend = {"uid": "u-0", "controller": False}
    obj = {"metadata": {"ownerReferences": [friend, owner]}, "status": {"conditions": [ready]}}
    assert controller_of(obj) == owner
    assert (condition_status(obj, "Ready"), condition_message(obj, "Ready")) == ("False", "starts")
    assert (controller_uid(obj), controller_kind(obj)) == ("u-1", "Job")
    assert condition_status(obj, "Other") == condition_message({}, "Ready") == ""
    assert controller_uid({}) == controller_kind({}) == ""
