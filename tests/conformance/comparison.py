"""When an answer of `podium decide` agrees with a recorded one.

It agrees to the letter, except that a plugin without a score scored 0, that lists which are sets
come in any order, and that of errors only the fact counts. `nominatedOnly` says nothing that
`filter` and `feasible` don't say together.
"""

import gzip
import json
from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path
from typing import Any, NamedTuple

Json = dict[str, Any]


class Difference(NamedTuple):
    """Where an answer first departs from the record."""

    path: str
    recorded: object
    answered: object

    def __str__(self) -> str:
        recorded, answered = (_shortened(side) for side in (self.recorded, self.answered))
        return f"{self.path}\n    recorded: {recorded}\n    answered: {answered}"


class _Absent:
    def __repr__(self) -> str:
        return "(absent)"


ABSENT = _Absent()


def read_records(path: Path) -> list[Json]:
    """The records of a gzipped JSON Lines file."""
    with gzip.open(path, "rt") as lines:
        return [json.loads(line) for line in lines]


def difference(recorded: Json, answered: Json) -> Difference | None:
    """The first difference of an answer; None if it agrees."""
    return next(_differences(_comparable(recorded), _comparable(answered), ""), None)


def _differences(recorded: object, answered: object, path: str) -> Iterator[Difference]:
    if isinstance(recorded, dict) and isinstance(answered, dict):
        for key in sorted({**recorded, **answered}):
            sides = recorded.get(key, ABSENT), answered.get(key, ABSENT)
            yield from _differences(*sides, f"{path}.{key}" if path else key)
    elif isinstance(recorded, list) and isinstance(answered, list):
        for index, sides in enumerate(zip_longest(recorded, answered, fillvalue=ABSENT)):
            yield from _differences(*sides, f"{path}[{index}]")
    elif type(recorded) is not type(answered) or recorded != answered:
        yield Difference(path, recorded, answered)


def _comparable(answer: Json) -> Json:
    return {
        "failed": bool(answer.get("error")),
        "decisions": [_decision(decision) for decision in answer["decisions"] or []],
    }


def _decision(decision: Json) -> Json:
    return {
        "pod": decision["pod"],
        "failed": bool(decision.get("error")),
        "preenqueue": _verdict(decision.get("preenqueue")),
        "prefilter": _verdict(decision.get("prefilter")),
        "filter": _verdicts(decision.get("filter")),
        "feasible": sorted(decision.get("feasible") or []),
        "scores": {
            node: {plugin: score for plugin, score in (scores or {}).items() if score}
            for node, scores in (decision.get("scores") or {}).items()
        },
        "best": sorted(decision.get("best") or []),
        "preemption": _preemption(decision.get("preemption")),
        "bound": decision.get("bound") or "",
    }


def _preemption(preemption: Json | None) -> Json | None:
    if preemption is None:
        return None
    return {
        "eligible": preemption["eligible"],
        "message": preemption.get("message") or "",
        "candidates": {
            candidate["node"]: [candidate["victims"], candidate["pdbViolations"]]
            for candidate in preemption.get("candidates") or []
        },
        "selected": sorted(preemption.get("selected") or []),
        "nominated": preemption.get("nominated") or "",
        "rejected": _verdicts(preemption.get("rejected")),
        "clearsNomination": bool(preemption.get("clearsNomination")),
        "clearedPods": sorted(preemption.get("clearedPods") or []),
    }


def _verdicts(verdicts: Json | None) -> Json:
    return {node: _verdict(verdict) for node, verdict in (verdicts or {}).items()}


def _verdict(verdict: Json | None) -> Json | None:
    """Reasons keep their order."""
    if not verdict:
        return None
    return {
        "plugin": verdict.get("plugin", ""),
        "code": verdict.get("code", ""),
        "reasons": verdict.get("reasons") or [],
    }


def _shortened(side: object) -> str:
    text = repr(side) if side is ABSENT else json.dumps(side)
    return text if len(text) <= 400 else f"{text[:400]} ..."
