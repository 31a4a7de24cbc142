"""`podium resilience`: which drains and failures a cluster withstands."""

from dataclasses import replace
from typing import TYPE_CHECKING

from podium.ui.commands.question import ClusterAsker, Gated, Question
from podium.ui.inputs.option import Texts, local_option, option, place, question, texts
from podium.ui.inputs.request_options import Rules

if TYPE_CHECKING:
    from podium.ui.answers.resilience_answers import ResilienceAnswer


@question
class ResilienceQuestion(Gated, Rules, Question["ResilienceAnswer"]):
    """Try every drain and every failure of a node or a zone, and rank what they do.

    It tells the worst of them with the pods that are left without a place, the pods that no
    failure spares, the budgets that make upgrades impossible, and how many nodes of which shape
    would do.
    """

    nodes: Texts = place(
        "Try only these nodes, and no zones. [default: all]",
        metavar="NODE",
        completes="nodes",
        shows_default=False,
        default=(),
        kw_only=False,
    )
    pairs: bool = option("Also have each two nodes fail at once.", default=False)
    drains: bool = option(
        "Whether to drain each node, too.", flags=("--drains/--no-drains",), default=True
    )
    spare_room: bool = option(
        "Whether to look for nodes to add for the pods that are left waiting.",
        flags=("--spare-room/--no-spare-room",),
        default=True,
    )
    worst: int = option("How many of the worst to tell in full.", min=0, default=10)
    workers: int | None = local_option("How many processes play; one a core unless given.", min=1)

    def answer(self, ask: ClusterAsker) -> "ResilienceAnswer":
        """Try all of them; raises PodiumError."""
        # Imported when it is asked, so that help, completion and the library start at once.
        from podium.api.process.concurrency import core_count
        from podium.ui.answers.resilience_answers import ResilienceAnswer
        from podium.whatif.resilience.resilience import ResilienceRequest, resilience

        gates = self.conditions()
        asked = ask.read(self)
        tried = ResilienceRequest(
            asked.request,
            tuple(texts(self.nodes)),
            self.drains,
            self.pairs,
            self.spare_room,
            self.worst,
            gates,
        )
        ask.progress.show("loading")

        def tell(what: str, done: int, total: int) -> None:
            of = f" of {total}" if total else ""
            ask.progress.tell(lambda: f"playing {what}: {done}{of}")

        found, findings = resilience(tried, self.workers or core_count(), tell)
        found = replace(found, warnings=asked.warnings, notes=asked.notes)
        return ResilienceAnswer.of(found, failed_on=findings)
