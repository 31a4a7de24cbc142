"""The class of claims that don't say."""

from typing import Any

import pytest

from podium.apiserver.admission.storage_plugins import default_class, with_class
from tests.apiserver.admission.shelf import Door, stored

Obj = dict[str, Any]


def storage_class(name: str, default: bool = True, created: str = "2026-01-01T00:00:00Z") -> Obj:
    marks = {"storageclass.kubernetes.io/is-default-class": str(default).lower()}
    return {"metadata": {"name": name, "annotations": marks, "creationTimestamp": created}}


@pytest.mark.parametrize(
    ("classes", "spec", "expected"),
    [
        ([], {}, None),
        ([storage_class("a", default=False)], {}, None),
        ([storage_class("b"), storage_class("a")], {}, "a"),
        ([storage_class("a"), storage_class("b", created="2026-01-02T00:00:00Z")], {}, "b"),
        ([storage_class("a")], {"storageClassName": ""}, ""),
        ([storage_class("a")], {"storageClassName": "c"}, "c"),
    ],
)
def test_class_of_a_claim(classes: list[Obj], spec: Obj, expected: str | None) -> None:
    claim = with_class({"spec": spec}, default_class(classes))
    assert claim["spec"].get("storageClassName") == expected


def test_an_annotation_names_a_class_too() -> None:
    claim = {
        "metadata": {"annotations": {"volume.beta.kubernetes.io/storage-class": "x"}},
        "spec": {},
    }
    assert with_class(claim, "a") is claim


def test_new_claims_are_given_the_default() -> None:
    door = Door({"kind": "StorageClass", **storage_class("a")})
    assert door.admit(stored("PersistentVolumeClaim", "c"))["spec"]["storageClassName"] == "a"
