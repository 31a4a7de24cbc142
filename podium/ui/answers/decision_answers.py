"""The answer of `podium decide`."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from podium.api.objects import Object
from podium.api.presentation import Bullets, Presentation, Section, Table
from podium.api.values.message_words import count
from podium.simulation.decide.decisions import ScenarioAnswer
from podium.simulation.decide.eviction.rounds import EvictionAnswer
from podium.ui.answers.answer import Answer


@dataclass(frozen=True, slots=True, repr=False)
class DecisionsAnswer(Answer):
    """Decisions in scenarios, or evictions of nodes under pressure; see `podium decide`."""

    answers: tuple[ScenarioAnswer | EvictionAnswer, ...]
    """One answer for each scenario, in order; either a decision or an `error`."""
    rows = "answers"

    def to_dict(self) -> dict[str, Any]:
        return {"answers": [*self.answers]}

    def presentation(self) -> Presentation:
        answers: Sequence[Object] = self.to_dict()["answers"]
        rows: list[tuple[str, str, str, str]] = []
        for answer in answers:
            for decision in answer.get("decisions", ()):
                place = decision["bound"] or min(decision["best"], default="-")
                nominated = (decision["preemption"] or {}).get("nominated")
                why = f"nominated to {nominated}" if nominated else decision.get("error", "")
                rows.append((str(answer["id"]), decision["pod"], place, why))
        decided = Table(("Scenario", "Pod", "Node", "Otherwise"), rows)
        others = [msgspec.json.encode(one).decode() for one in answers if "decisions" not in one]
        errors = [one["error"] for one in answers if one.get("error")]
        sections = [
            Section("Decisions", [decided]),
            Section("Answers", [Bullets(others)]),
            Section("Errors", [Bullets(errors)]),
        ]
        return Presentation("Podium decide", count(len(self.answers), "answer"), sections)
