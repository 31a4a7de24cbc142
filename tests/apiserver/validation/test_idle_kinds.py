"""Kinds that nobody acts on: roles, ingresses, network policies, cron jobs, autoscalers."""

import pytest

from podium.apiserver.validation import validate
from podium.apiserver.validation.idle import CHECKS
from tests.apiserver.validation.samples import an_object


@pytest.mark.parametrize("kind", sorted(CHECKS))
def test_only_their_metadata_is_judged(kind: str) -> None:
    assert validate({**an_object(kind), "spec": {"whatever": 1}, "rules": [{}]}) == []
    (fault,) = validate(an_object(kind, "metadata.labels", {"a b": "c"}))
    assert fault.field == "metadata.labels"


def test_names_of_roles_are_parts_of_paths() -> None:
    assert validate(an_object("ClusterRole", "metadata.name", "system:node")) == []
    (fault,) = validate(an_object("ClusterRole", "metadata.name", "a/b"))
    assert fault.message == "may not contain '/'"
