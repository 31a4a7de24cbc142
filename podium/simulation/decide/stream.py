"""The JSON-lines interface; an invalid line doesn't affect other lines."""

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
from podium.simulation.decide.scenario import DecisionScenario

Json = dict[str, Any]

# What reading an object raises whose fields are of other types or sizes than they can be.
_MISSHAPEN = (PodiumError, TypeError, ValueError, LookupError, AttributeError, ArithmeticError)

LINE_LENGTH_MAX = 2**30
"""The longest line, in bytes; a cluster of thousands of nodes takes some millions."""

Refused = Callable[[str], None]
"""Called with the reason why a line can't be answered."""


def lines_of(path: str | Path) -> Iterator[bytes]:
    """Read the lines of a file, or of standard input for `-`; raises InputFileError."""
    if str(path) == "-":
        yield from lines(sys.stdin.buffer, "stdin", LINE_LENGTH_MAX)
        return
    with open_file(path) as file:
        yield from lines(file, path, LINE_LENGTH_MAX)


def answers(questions: Iterable[bytes], refused: Refused | None = None) -> Iterator[bytes]:
    """Yield the decisions about each scenario as a line without newline; skips blank lines."""
    return _answers(questions, _decisions, {"decisions": []}, refused)


def eviction_answers(questions: Iterable[bytes], refused: Refused | None = None) -> Iterator[bytes]:
    """Yield the answer to each eviction question as a line without newline; skips blank lines."""
    return _answers(questions, eviction_answer, {}, refused)


def _decisions(raw: object) -> Json:
    scenario = read(DecisionScenario, raw)
    try:
        decisions = [decision_report(decided) for decided in decide(scenario.filled())]
    except _MISSHAPEN:
        # Types are checked only now, so that valid objects cost nothing.
        if faults := [*scenario.type_faults()]:
            raise InvalidDocumentError(faults) from None
        raise
    return {"id": str(scenario.id), "error": "", "decisions": decisions}


def _answers(
    questions: Iterable[bytes],
    answer: Callable[[object], Json],
    failed: Json,
    refused: Refused | None,
) -> Iterator[bytes]:
    for number, line in enumerate(questions, 1):
        if not line.strip():
            continue
        raw: Any = None
        try:
            raw = msgspec.json.decode(line)
        except ValueError as error:
            why = f"not JSON: {error}"
        except RecursionError:
            why = "nested too deeply"
        else:
            try:
                answered = answer(raw)
            except PodiumError as error:
                why = str(error)
            except _MISSHAPEN as error:
                kind = type(error).__name__
                why = f"an object isn't shaped as Kubernetes has it ({kind}: {error})"
            else:
                yield msgspec.json.encode(answered)
                continue
        why = "\n".join(f"line {number}: {line}" for line in why.splitlines())
        if refused is not None:
            refused(why)
        question_id = str(raw.get("id", "")) if isinstance(raw, dict) else ""
        yield msgspec.json.encode({"id": question_id, "error": why, **failed})
