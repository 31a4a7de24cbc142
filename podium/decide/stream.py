"""JSON Lines in, JSON Lines out; a bad line costs that line only."""

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from podium.api.errors import PodiumError
from podium.decide.answer import decision_json
from podium.decide.deciding import decide
from podium.decide.scenario import read_scenario


def answers(lines: Iterable[bytes]) -> Iterator[bytes]:
    """One answer a line, without newlines; blank lines are passed over."""
    for number, line in enumerate(lines, 1):
        if line.strip():
            yield msgspec.json.encode(_answer(line, number))


def _answer(line: bytes, number: int) -> dict[str, Any]:
    try:
        raw = msgspec.json.decode(line)
    except ValueError as error:
        return {"id": "", "error": f"line {number}: not JSON: {error}", "decisions": []}
    scenario_id = str(raw.get("id", "")) if isinstance(raw, dict) else ""
    try:
        decisions = [decision_json(decided) for decided in decide(read_scenario(raw))]
    except (PodiumError, TypeError, ValueError, KeyError, AttributeError) as error:
        message = f"line {number}: {_words(error)}"
        return {"id": scenario_id, "error": message, "decisions": []}
    return {"id": scenario_id, "error": "", "decisions": decisions}


def _words(error: Exception) -> str:
    if isinstance(error, PodiumError):
        return str(error)
    return f"an object isn't shaped as Kubernetes has it ({type(error).__name__}: {error})"
