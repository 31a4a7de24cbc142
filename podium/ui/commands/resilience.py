"""`podium resilience`: which drains and failures a cluster withstands."""

from dataclasses import replace
from typing import TYPE_CHECKING

from podium.ui.commands.disturbances import selected_nodes
from podium.ui.commands.question import ClusterAsker, Gated, Question
from podium.ui.inputs.option import Texts, local_option, option, place, texts
from podium.ui.inputs.request_options import NodeSelection

if TYPE_CHECKING:
    from podium.ui.answers.whatif_answers import ResilienceAnswer


class ResilienceQuestion(Gated, NodeSelection, Question["ResilienceAnswer"]):
    """Simulate each drain and each failure of a node or a zone, and rank them by their effects.

    Prints the worst ones with the pods that stay pending, the pods that are hit most often, the
    PodDisruptionBudgets that make drains impossible, and how many more nodes would help.
    """

    nodes: Texts = place(
        "Node to try; with nodes, no zone is tried. [default: all nodes and zones]",
        metavar="NODE",
        completes="nodes",
        default=(),
        kw_only=False,
    )
    pairs: bool = option(default=False).help("""
        Also simulate the failure of each pair of nodes; of N nodes these are about N²/2 more
        simulations.""")
    drains: bool = option(default=True, flags=("--drains/--no-drains",)).help("""
        Simulate the drain of each node besides failures.""")
    spare_room: bool = option(default=True, flags=("--spare-room/--no-spare-room",)).help("""
        Find how many nodes to add, like the most common ones of the cluster, so that no pod stays
        pending.""")
    worst: int = option(default=10, min=0).help("""
        Number of the worst drains and failures to describe in full.""")
    workers: int | None = local_option(min=1).help("""
        Number of processes to simulate with. [default: one per CPU core]""")

    def answer(self, ask: ClusterAsker) -> "ResilienceAnswer":
        # Imported when it is asked, so that help, completion and the library start at once.
        from podium.api.process.concurrency import core_count
        from podium.ui.answers.whatif_answers import ResilienceAnswer
        from podium.whatif.resilience.resilience import ResilienceRequest, resilience

        gates = self.conditions()
        asked = ask.read(self)
        nodes = texts(self.nodes)
        if self.selector:
            chosen = selected_nodes(asked.request.state.objects, nodes, self.selector)
            nodes = [one.removeprefix("node/") for one in chosen]
        tried = ResilienceRequest(
            asked.request, tuple(nodes), self.drains, self.pairs, self.spare_room, self.worst, gates
        )
        ask.progress.show("loading")

        def tell(what: str, done: int, total: int) -> None:
            of = f" of {total}" if total else ""
            ask.progress.tell(lambda: f"playing {what}: {done}{of}")

        report, findings = resilience(tried, self.workers or core_count(), tell)
        report = replace(report, warnings=asked.warnings, notes=asked.notes)
        return ResilienceAnswer.of(report, failed_on=findings)
