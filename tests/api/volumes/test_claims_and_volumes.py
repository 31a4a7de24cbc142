"""Storage classes: whose claims and volumes are, and which is the default."""

from typing import Any

import pytest

from podium.api.volumes.claims_and_volumes import (
    CLASS_ANNOTATION,
    is_default_class,
    storage_class_name,
)


def noted(**notes: str) -> Any:
    return {"metadata": {"annotations": notes}}


def test_the_annotation_counts_more_than_the_field() -> None:
    claim = {"spec": {"storageClassName": "field"}}
    assert storage_class_name(claim) == "field"
    assert storage_class_name({**claim, **noted(**{CLASS_ANNOTATION: "note"})}) == "note"
    assert storage_class_name({**claim, **noted(**{CLASS_ANNOTATION: ""})}) == ""
    assert storage_class_name({}) == ""


@pytest.mark.parametrize("beta", ["", "beta."])
def test_the_default_is_marked(beta: str) -> None:
    mark = f"storageclass.{beta}kubernetes.io/is-default-class"
    assert is_default_class(noted(**{mark: "true"}))
    assert not is_default_class(noted(**{mark: "false"}))
    assert not is_default_class({})
