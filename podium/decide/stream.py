"""JSON Lines in, JSON Lines out; a bad line costs that line only."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import msgspec

from podium.api.errors import PodiumError
from podium.decide.answer import decision_report
from podium.decide.deciding import decide
from podium.decide.eviction.questions import answer as eviction_answer
from podium.decide.scenario import ScenarioDocument, scenario_of
from podium.documents import InvalidDocumentError, read

Json = dict[str, Any]

# What reading an object raises whose fields are of other types or sizes than they can be.
_MISSHAPEN = (PodiumError, TypeError, ValueError, LookupError, AttributeError, ArithmeticError)


def answers(lines: Iterable[bytes]) -> Iterator[bytes]:
    """The decisions of one scenario a line, without newlines; blank lines are passed over."""
    return _each(lines, _decisions, {"decisions": []})


def eviction_answers(lines: Iterable[bytes]) -> Iterator[bytes]:
    """The answer to one question about eviction a line, likewise."""
    return _each(lines, eviction_answer, {})


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


def _each(
    lines: Iterable[bytes], answer: Callable[[object], Json], failed: Json
) -> Iterator[bytes]:
    for number, line in enumerate(lines, 1):
        if line.strip():
            yield msgspec.json.encode(_answer(line, number, answer, failed))


def _answer(line: bytes, number: int, answer: Callable[[object], Json], failed: Json) -> Json:
    try:
        raw = msgspec.json.decode(line)
    except ValueError as error:
        return {"id": "", "error": f"line {number}: not JSON: {error}", **failed}
    except RecursionError:
        return {"id": "", "error": f"line {number}: nested too deeply", **failed}
    try:
        return answer(raw)
    except _MISSHAPEN as error:
        called = str(raw.get("id", "")) if isinstance(raw, dict) else ""
        return {"id": called, "error": f"line {number}: {_words(error)}", **failed}


def _words(error: Exception) -> str:
    if isinstance(error, PodiumError):
        return str(error)
    return f"an object isn't shaped as Kubernetes has it ({type(error).__name__}: {error})"
