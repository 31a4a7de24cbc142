"""Patterns of definitions are RE2's, as Go has them."""

from typing import Any

import pytest

from podium.apiserver.custom_resources.draft_4 import pattern_fault
from podium.apiserver.kinds.registration.registrations import validate
from tests.apiserver.custom_resources.crontabs import CRONTABS, crontab, definition, serving
from tests.apiserver.custom_resources.test_definitions import changed
from tests.apiserver.requests.client import MERGE, Client

MODE = "spec.versions.0.schema.openAPIV3Schema.properties.spec.properties.mode"
FLAG_INSIDE = "^(?i)(a|b)?$"


def with_mode(**schema: Any) -> Any:
    return changed(definition(), MODE.split("."), {"type": "string", **schema})


@pytest.mark.parametrize("schema", [{}, {"default": "A"}])
def test_a_flag_may_stand_inside(schema: dict[str, Any]) -> None:
    assert validate(with_mode(pattern=FLAG_INSIDE, **schema)) == []


def test_a_default_has_to_match() -> None:
    (fault,) = validate(with_mode(pattern=FLAG_INSIDE, default="c"))
    assert "should match '^(?i)(a|b)?$'" in str(fault)


@pytest.mark.parametrize("pattern", ["(", "(?<=a)b", "(?=a)", r"(a)\1", "a{1001}"])
def test_what_re2_does_not_know_is_refused(pattern: str, capfd: Any) -> None:
    assert pattern_fault(pattern)
    (fault,) = validate(with_mode(pattern=pattern))
    assert "must be a valid regular expression, but isn't" in str(fault)
    assert capfd.readouterr().err == ""


def test_objects_are_matched() -> None:
    client = serving()
    name = definition()["metadata"]["name"]
    path = f"/apis/apiextensions.k8s.io/v1/customresourcedefinitions/{name}"
    answer = client.ask(
        "PATCH", path, {"spec": with_mode(pattern=FLAG_INSIDE)["spec"]}, content_type=MERGE
    )
    assert answer.code == 200
    assert created(client, "B") == 201
    assert created(client, "c") == 422
    assert created(client, "b" * 10_000) == 422


def created(client: Client, mode: str) -> int:
    return client.ask("POST", CRONTABS, crontab(f"m{len(mode)}{ord(mode[0])}", mode=mode)).code
