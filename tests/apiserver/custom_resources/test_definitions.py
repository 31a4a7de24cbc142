"""What is wrong with definitions, what of them never changes, and what they refuse of objects."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from podium.apiserver.custom_resources.draft_4 import pattern_fault
from podium.apiserver.kinds.registration.registrations import faults_of_manifest
from tests.apiserver.custom_resources import crontabs
from tests.apiserver.requests.client import MERGE, Client
from tests.apiserver.transcripts import Case, assert_answers, changed


def test_faults_are_found_and_worded_as_kube_apiserver_does() -> None:
    file = Path(__file__).with_name("definitions.txt")

    def answer(case: Case) -> Iterable[str]:
        return map(str, faults_of_manifest(case.obj) or ["valid"])

    assert_answers(file, lambda _: crontabs.definition(), answer)


def test_what_never_changes() -> None:
    client = crontabs.serving()
    patch = {"spec": {"scope": "Cluster", "names": {"kind": "X"}}}
    answer = client.ask("PATCH", crontabs.DEFINITION, patch, content_type=MERGE)
    told = [f"{one['field']}: {one['message']}" for one in answer.body["details"]["causes"]]
    assert told == [
        'spec.scope: Invalid value: "Cluster": field is immutable',
        'spec.names.kind: Invalid value: "X": field is immutable',
    ]


MODE = "spec.versions.0.schema.openAPIV3Schema.properties.spec.properties.mode"


def test_a_wrong_pattern_is_told_in_the_answer_alone(capfd: Any) -> None:
    assert pattern_fault("(")
    assert capfd.readouterr().err == ""


def test_objects_are_matched() -> None:
    client = crontabs.serving()
    ruled = changed(crontabs.definition(), {MODE: {"type": "string", "pattern": "^(?i)(a|b)?$"}})
    answer = client.ask("PATCH", crontabs.DEFINITION, {"spec": ruled["spec"]}, content_type=MERGE)
    assert answer.code == 200
    assert created(client, "B") == 201
    assert created(client, "c") == 422
    assert created(client, "b" * 10_000) == 422


def created(client: Client, mode: str) -> int:
    return client.ask(
        "POST", crontabs.CRONTABS, crontabs.crontab(f"m{len(mode)}{ord(mode[0])}", mode=mode)
    ).code


@pytest.fixture(scope="module")
def client() -> Client:
    return crontabs.serving()


@pytest.mark.parametrize(
    ("spec", "field"),
    [
        ({"replicas": "2"}, "spec.replicas"),
        ({"replicas": 0}, "spec.replicas"),
        ({"replicas": 11}, "spec.replicas"),
        ({"ratio": 0.3}, "spec.ratio"),
        ({"mode": "c"}, "spec.mode"),
        ({"when": "x"}, "spec.when"),
        ({"labels": {"a": "", "b": "", "c": ""}}, "spec.labels"),
        ({"set": []}, "spec.set"),
        ({"set": ["a", "a"]}, "spec.set[1]"),
        ({"image": "x"}, "spec.image"),
        ({"image": "x" * 21}, "spec.image"),
        ({"image": None}, "spec.image"),
        ({"port": True}, "spec.port"),
        ({"list": [{"name": "a"}] * 2}, "spec.list[1]"),
        ({"list": [{}]}, "spec.list[0].name"),
        ({"template": {"kind": "X"}}, "spec.template.apiVersion"),
        ({"choice": {"p": "a", "q": "b"}}, "<nil>"),
    ],
)
def test_a_fault_names_its_field(client: Client, spec: Any, field: str) -> None:
    answer = client.ask("POST", crontabs.CRONTABS, crontabs.crontab("b", **spec))
    assert answer.code == 422
    assert [cause["field"] for cause in answer.body["details"]["causes"]] == [field]


def test_what_fits(client: Client) -> None:
    spec = {"note": None, "port": "http", "addr": "10.0.0.1", "ratio": 1.5, "any": {"x": 1}}
    spec["when"] = "1970-01-01T00:00:00Z"
    assert client.ask("POST", crontabs.CRONTABS, crontabs.crontab("good", **spec)).code == 201
