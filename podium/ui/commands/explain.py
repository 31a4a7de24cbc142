"""`podium explain`: why a pod is where it is, or isn't."""

from dataclasses import fields
from typing import TYPE_CHECKING, Any

from podium.kubelet.eviction.signals import Signal
from podium.ui.commands.question import ClusterAsker, Question
from podium.ui.inputs.option import option, place
from podium.ui.inputs.request_options import Changes

if TYPE_CHECKING:
    from podium.ui.answers.whatif_answers import ExplanationAnswer, RankingAnswer

_SIGNAL_HELP = f"Eviction signal under which the pods are ranked: {', '.join(Signal)}."


class ExplainQuestion(Changes, Question["ExplanationAnswer"]):
    """Explain the scheduling decision for one pod."""

    pod: str = place(
        "Pod to explain, or a workload such as deploy/web for its first pending or new pod. With "
        "--eviction: node to explain.",
        metavar="[NAMESPACE/]POD|KIND/NAME|NODE",
        completes="pods",
        kw_only=False,
    )

    def answer(self, ask: ClusterAsker) -> "ExplanationAnswer":
        # Imported when it is asked, so that help, completion and the library start at once.
        from podium.ui.answers.whatif_answers import ExplanationAnswer
        from podium.whatif.explain.pod_explanations import explain_named

        asked = ask.read(self)
        ask.progress.show("deciding")
        found = explain_named(asked.request, self.pod, self.namespace)
        return ExplanationAnswer.of(asked.noted_in(found))


class RankingQuestion(Changes, Question["RankingAnswer"]):
    """Explain in which order a node under pressure evicts its pods."""

    node: str = place(
        "Node whose pods are ranked.", metavar="NODE", is_argument=False, kw_only=False
    )
    signal: Signal | str = place(
        _SIGNAL_HELP,
        metavar="SIGNAL",
        is_argument=False,
        default=Signal.MEMORY_AVAILABLE,
        kw_only=False,
    )

    def answer(self, ask: ClusterAsker) -> "RankingAnswer":
        from podium.ui.answers.whatif_answers import RankingAnswer
        from podium.whatif.explain.eviction_rankings import rank_evictions

        asked = ask.read(self)
        found = rank_evictions(asked.request, self.node.removeprefix("node/"), Signal(self.signal))
        return RankingAnswer.of(found, warnings=asked.warnings)


class ExplainCommand(ExplainQuestion):
    """Explain the scheduling decision for a pod: nodes, filters, scores, preemption candidates.

    A pending pod is explained at the moment at which it is scheduled in a simulation, as by podium
    plan. A pod that is bound to a node is explained as if it were pending. With --eviction,
    explains in which order the kubelet of a node evicts pods under pressure.
    """

    eviction: bool = option(default=False).help("""
        Explain in which order the kubelet of a node evicts pods under pressure.""")
    signal: Signal = option("SIGNAL", default=Signal.MEMORY_AVAILABLE).help(f"""
        With --eviction: {_SIGNAL_HELP[0].lower()}{_SIGNAL_HELP[1:]}""")

    def answer(self, ask: ClusterAsker) -> Any:
        if not self.eviction:
            return super().answer(ask)
        changes = {field.name: getattr(self, field.name) for field in fields(Changes)}
        return RankingQuestion(self.pod, self.signal, **changes).answer(ask)
