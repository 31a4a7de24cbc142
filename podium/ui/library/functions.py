"""The functions that ask what isn't about one cluster that is loaded."""

from collections.abc import Callable
from typing import Any

from podium.ui.answers.simulation_answers import ReplayAnswer
from podium.ui.commands.bench import BenchQuestion
from podium.ui.commands.decide import DecideQuestion
from podium.ui.commands.experiments import CompareQuestion, SweepQuestion
from podium.ui.commands.import_trace import ImportQuestion
from podium.ui.commands.lint import LintQuestion
from podium.ui.commands.question import Question
from podium.ui.commands.simulate import ReplayQuestion, SimulateQuestion
from podium.ui.commands.snapshot import SnapshotQuestion
from podium.ui.library.words import asks, asks_either, asks_of_several
from podium.ui.writers.terminal import Progress


class Alone:
    """The asker of questions that are about no loaded cluster; it shows no progress."""

    prepare: Callable[..., None] | None = None

    def __init__(self, *, draws: bool) -> None:
        self.draws = draws
        self.progress = Progress(None)


def _ask(question: Question[Any]) -> Any:
    # Pictures of comparisons take a package more, and playing runs once more.
    return question.answer(Alone(draws=not isinstance(question, CompareQuestion)))


simulate = asks_either(
    SimulateQuestion,
    ReplayQuestion,
    ReplayAnswer,
    "What comes of a scenario, or of a recording that is played again, as `podium simulate` does.",
    _ask,
)
compare = asks(
    CompareQuestion,
    "What differs between two sides over the same scenarios and seeds, as `podium compare` does.",
    _ask,
)
sweep = asks(
    SweepQuestion, "A grid of settings, or a search for the best, as `podium sweep` does.", _ask
)
lint = asks_of_several(
    LintQuestion,
    "What is wrong with manifests, or with a running cluster, as `podium lint` tells it.",
    _ask,
)
decisions = asks_of_several(
    DecideQuestion, "Decide scenarios one after another, as `podium decide` does.", _ask
)
snapshot = asks(
    SnapshotQuestion,
    "The state of a running cluster, as `podium snapshot` saves it; nothing is changed there.",
    _ask,
)
import_trace = asks(
    ImportQuestion, "A cluster's trace as a scenario, as `podium import` makes it.", _ask
)
benchmark = asks_of_several(
    BenchQuestion,
    "Measure workloads, each in a process of its own, as `podium bench` does.\n\n"
    'A script has to ask for it below `if __name__ == "__main__":`, as these processes read it.',
    _ask,
)
