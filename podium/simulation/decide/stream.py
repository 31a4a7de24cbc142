"""JSON Lines in, JSON Lines out; a bad line costs that line only."""

import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from podium.api.documents.document import InvalidDocumentError, read
from podium.api.errors import PodiumError
from podium.cluster.manifests.input_files import lines, open_file
from podium.simulation.decide.decisions import decide, decision_report
from podium.simulation.decide.eviction.questions import answer as eviction_answer
from podium.simulation.decide.scenario import ScenarioDocument, scenario_of

Json = dict[str, Any]

# What reading an object raises whose fields are of other types or sizes than they can be.
_MISSHAPEN = (PodiumError, TypeError, ValueError, LookupError, AttributeError, ArithmeticError)


LINE_LENGTH_MAX = 2**30
"""In bytes; a cluster of thousands of nodes comes to some millions."""

Refused = Callable[[str], None]
"""Is told why a line can't be answered."""


def lines_of(path: str | Path) -> Iterator[bytes]:
    """The lines of a file, or of standard input for `-`; raises InputFileError."""
    if str(path) == "-":
        yield from lines(sys.stdin.buffer, "stdin", LINE_LENGTH_MAX)
        return
    with open_file(path) as file:
        yield from lines(file, path, LINE_LENGTH_MAX)


def answers(questions: Iterable[bytes], refused: Refused | None = None) -> Iterator[bytes]:
    """The decisions of one scenario a line, without newlines; blank lines are passed over."""
    return _each(questions, _decisions, {"decisions": []}, refused)


def eviction_answers(questions: Iterable[bytes], refused: Refused | None = None) -> Iterator[bytes]:
    """Answer questions about eviction, one JSON line each."""
    return _each(questions, eviction_answer, {}, refused)


def _decisions(raw: object) -> Json:
    document = read(ScenarioDocument, raw)
    try:
        scenario = scenario_of(document)
        decisions = [decision_report(decided) for decided in decide(scenario)]
    except _MISSHAPEN:
        # Types are looked at only now: objects that are as they should be cost nothing.
        if faults := [*document.type_faults()]:
            raise InvalidDocumentError(faults) from None
        raise
    return {"id": scenario.id, "error": "", "decisions": decisions}


class _UnansweredError(Exception):
    def __init__(self, called: str, why: str) -> None:
        self.called, self.why = called, why


def _each(
    lines: Iterable[bytes],
    answer: Callable[[object], Json],
    failed: Json,
    refused: Refused | None,
) -> Iterator[bytes]:
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            found = _answer(line, answer)
        except _UnansweredError as error:
            why = "\n".join(f"line {number}: {one}" for one in error.why.splitlines())
            if refused is not None:
                refused(why)
            found = {"id": error.called, "error": why, **failed}
        yield msgspec.json.encode(found)


def _answer(line: bytes, answer: Callable[[object], Json]) -> Json:
    try:
        raw = msgspec.json.decode(line)
    except ValueError as error:
        raise _UnansweredError("", f"not JSON: {error}") from None
    except RecursionError:
        raise _UnansweredError("", "nested too deeply") from None
    try:
        return answer(raw)
    except _MISSHAPEN as error:
        called = str(raw.get("id", "")) if isinstance(raw, dict) else ""
        why = str(error)
        if not isinstance(error, PodiumError):
            kind = type(error).__name__
            why = f"an object isn't shaped as Kubernetes has it ({kind}: {error})"
        raise _UnansweredError(called, why) from None
