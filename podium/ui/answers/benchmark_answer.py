"""The answer of `podium bench`."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from podium.api.documents.report import plain
from podium.api.presentation import Presentation
from podium.simulation.benchmarks.results import Measurement, Result, ServerResult
from podium.ui.answers.answer import Answer
from podium.ui.writers.formats import FORMATS


@dataclass(frozen=True, slots=True, repr=False)
class BenchAnswer(Answer):
    """Results of measured workloads; see `podium bench`."""

    results: tuple[Result, ...] | tuple[ServerResult, ...] | tuple[Measurement, ...]
    shown: Presentation
    warnings: Sequence[str] = ()
    rows = "results"
    warns = FORMATS

    def to_dict(self) -> dict[str, Any]:
        return {"results": self.values()}

    def values(self) -> list[dict[str, Any]]:
        return [plain(result) for result in self.results]

    def presentation(self) -> Presentation:
        return self.shown
