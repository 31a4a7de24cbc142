"""What is wrong with definitions, and what of them never changes."""

from collections.abc import Iterable
from pathlib import Path

from podium.apiserver.kinds.registration.registrations import faults_of_manifest
from tests.apiserver.custom_resources.crontabs import DEFINITION, definition, serving
from tests.apiserver.requests.client import MERGE
from tests.apiserver.transcripts import Case, assert_answers


def test_faults_are_found_and_worded_as_kube_apiserver_does() -> None:
    file = Path(__file__).with_name("definitions.txt")

    def answer(case: Case) -> Iterable[str]:
        return map(str, faults_of_manifest(case.obj) or ["valid"])

    assert_answers(file, lambda _: definition(), answer)


def test_what_never_changes() -> None:
    client = serving()
    patch = {"spec": {"scope": "Cluster", "names": {"kind": "X"}}}
    answer = client.ask("PATCH", DEFINITION, patch, content_type=MERGE)
    told = [f"{one['field']}: {one['message']}" for one in answer.body["details"]["causes"]]
    assert told == [
        'spec.scope: Invalid value: "Cluster": field is immutable',
        'spec.names.kind: Invalid value: "X": field is immutable',
    ]
