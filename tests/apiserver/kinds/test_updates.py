"""What updates may change of each kind, in kube-apiserver v1.36's order and words.

A case has two mappings, with an arrow between them: what the stored object has beside a small
sample of its kind, and what is changed of that. Faults stand there as often as they are found.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from podium.api.kinds.builtin_kinds import ALL_KINDS
from podium.apiserver.decoding.typed import typed
from podium.apiserver.kinds.registration.registrations import completed, validate_update
from tests.apiserver.transcripts import Case, Obj, assert_answers, changed
from tests.apiserver.validation.samples import VALID, an_object

FILES = sorted(Path(__file__).with_name("updates").glob("*.txt"))
METADATA = {
    "uid": "u",
    "resourceVersion": "1",
    "generation": 1,
    "creationTimestamp": "2026-01-01T00:00:00Z",
}


def stored(kind: str) -> Obj:
    sample = an_object(kind)
    return {**sample, "metadata": {**METADATA, **sample["metadata"]}}


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_changes_are_refused_and_worded_as_by_kube_apiserver(file: Path) -> None:
    def answer(case: Case) -> Iterable[str]:
        kind = ALL_KINDS[case.kind]
        old = completed(kind, case.obj)
        new, _ = typed(kind, changed(old, case.changes))
        return map(str, validate_update(kind, new, old, case.subresource) or ["allowed"])

    assert_answers(file, stored, answer)


def paths(value: Any, depth: int) -> Iterator[str]:
    if isinstance(value, dict) and depth:
        # A key with dots isn't a path.
        for field in (field for field in value if "." not in field):
            yield field
            yield from (f"{field}.{path}" for path in paths(value[field], depth - 1))


@pytest.mark.parametrize("kind", sorted(VALID))
@pytest.mark.parametrize("subresource", ["", "status"])
def test_whatever_an_update_leaves_out_is_judged(kind: str, subresource: str) -> None:
    old = {**completed(ALL_KINDS[kind], stored(kind)), "status": {"phase": "Active"}}
    for path in paths(old, 3):
        if path.partition(".")[0] not in ("apiVersion", "kind") and path != "metadata":
            new = changed(old, {path: None})
            assert isinstance(validate_update(ALL_KINDS[kind], new, old, subresource), list)


@pytest.mark.parametrize("kind", sorted(VALID))
def test_an_update_that_changes_nothing_is_valid(kind: str) -> None:
    old = completed(ALL_KINDS[kind], stored(kind))
    assert validate_update(ALL_KINDS[kind], old, old) == []
