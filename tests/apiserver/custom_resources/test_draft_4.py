"""Patterns of definitions are RE2's, as Go has them."""

from typing import Any

from podium.apiserver.custom_resources.draft_4 import pattern_fault
from tests.apiserver.custom_resources.crontabs import (
    CRONTABS,
    DEFINITION,
    crontab,
    definition,
    serving,
)
from tests.apiserver.requests.client import MERGE, Client
from tests.apiserver.transcripts import changed

MODE = "spec.versions.0.schema.openAPIV3Schema.properties.spec.properties.mode"


def test_a_wrong_pattern_is_told_in_the_answer_alone(capfd: Any) -> None:
    assert pattern_fault("(")
    assert capfd.readouterr().err == ""


def test_objects_are_matched() -> None:
    client = serving()
    ruled = changed(definition(), {MODE: {"type": "string", "pattern": "^(?i)(a|b)?$"}})
    answer = client.ask("PATCH", DEFINITION, {"spec": ruled["spec"]}, content_type=MERGE)
    assert answer.code == 200
    assert created(client, "B") == 201
    assert created(client, "c") == 422
    assert created(client, "b" * 10_000) == 422


def created(client: Client, mode: str) -> int:
    return client.ask("POST", CRONTABS, crontab(f"m{len(mode)}{ord(mode[0])}", mode=mode)).code
