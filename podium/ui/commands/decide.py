"""`podium decide`: the scheduler's decisions in recorded scenarios."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from podium.ui.commands.question import Asker, Question
from podium.ui.inputs.option import Sources, option, place, several

if TYPE_CHECKING:
    from podium.ui.answers.decision_answers import DecisionsAnswer


class DecideQuestion(Question["DecisionsAnswer"]):
    """Decide recorded scenarios."""

    scenarios: Sources = place(
        "File with scenarios, one JSON object per line. [default: standard input]",
        metavar="FILE",
        default=(),
        kw_only=False,
    )
    eviction: bool = option(default=False).help("""
        Read questions about node-pressure eviction instead of scenarios.""")

    def answer(self, ask: Asker) -> "DecisionsAnswer":
        # Imported when it is asked, so that help, completion and the library start at once.
        import msgspec

        from podium.simulation.decide.stream import answers, eviction_answers, lines_of
        from podium.ui.answers.decision_answers import DecisionsAnswer

        decided = eviction_answers if self.eviction else answers
        sources = (
            [msgspec.json.encode(one)] if isinstance(one, Mapping) else lines_of(one)
            for one in several(self.scenarios)
        )
        return DecisionsAnswer(
            tuple(msgspec.json.decode(line) for source in sources for line in decided(source))
        )
