"""`podium drain` and `podium fail`: the effects of draining nodes, or of their failure."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from podium.ui.commands.question import ClusterAsker, Gated, Question
from podium.ui.inputs.input_error import InputError
from podium.ui.inputs.option import Duration, Texts, option, place, seconds_of, texts
from podium.ui.inputs.request_options import NodeSelection

if TYPE_CHECKING:
    from podium.api.objects import Object
    from podium.ui.answers.whatif_answers import ImpactAnswer
    from podium.whatif.resilience.impact import Disturbance

_UNDRAINED = "undrained"


class DrainQuestion(Gated, NodeSelection, Question["ImpactAnswer"]):
    """Predict what draining nodes would do: where pods go, what is preempted, which budgets block.

    Nothing is drained: the drain is simulated as kubectl drain does it, node after node. Unlike in
    kubectl, --ignore-daemonsets and --delete-emptydir-data are on by default, as almost no node
    could be drained without them.
    """

    nodes: Texts = place(
        "Node to drain; several are drained one after the other.",
        metavar="NODE",
        completes="nodes",
        default=(),
        kw_only=False,
    )
    force: bool = option(default=False).help("""
        Also evict pods that no controller recreates. Without it they keep their node from being
        drained.""")
    ignore_daemonsets: bool = option(
        default=True, flags=("--ignore-daemonsets/--no-ignore-daemonsets",)
    ).help("""
        Leave the pods of DaemonSets where they are. With --no-ignore-daemonsets, the default of
        kubectl, they keep their node from being drained.""")
    delete_emptydir_data: bool = option(
        default=True, flags=("--delete-emptydir-data/--no-delete-emptydir-data",)
    ).help("""
        Also evict pods with emptyDir volumes, whose data is deleted. With
        --no-delete-emptydir-data, the default of kubectl, they keep their node from being
        drained.""")
    grace_period: int = option("SECONDS", default=-1).help("""
        Seconds that each pod gets to terminate; negative for the grace period of the pod.""")
    timeout: Duration = option("DURATION", default="0s").help("""
        How long to wait, in simulated time, before giving up on a node, such as 5m; 0 means without
        another limit than --until.""")

    def answer(self, ask: ClusterAsker) -> "ImpactAnswer":
        # Imported when it is asked, so that help, completion and the library start at once.
        from podium.whatif.resilience.impact import drain_of

        timeout_s = seconds_of("--timeout", self.timeout, zero="no limit")
        settings = {
            "force": self.force,
            "ignore_daemon_sets": self.ignore_daemonsets,
            "delete_empty_dir_data": self.delete_emptydir_data,
            "grace_period_s": None if self.grace_period < 0 else f"{self.grace_period}s",
            "timeout_s": f"{timeout_s}s" if timeout_s else None,
        }

        def disturbance(state: "Sequence[Object]") -> "Disturbance":
            nodes = selected_nodes(state, texts(self.nodes), self.selector)
            return drain_of(state, nodes, **settings)

        return _impact(ask, self, disturbance)


class FailQuestion(Gated, NodeSelection, Question["ImpactAnswer"]):
    """Predict what the failure of nodes or zones would do: which pods are lost, and where they go.

    The nodes stop answering, as in a power cut. The node lifecycle controller taints them, and
    evicts their pods when their tolerations of the taint end: with the default tolerations about
    six minutes after the failure.
    """

    places: Texts = place(
        "Node or zone that fails; several fail at once. node/NAME and zone/NAME tell a node "
        "from a zone of the same name.",
        metavar="NODE|ZONE",
        completes="nodes",
        default=(),
        kw_only=False,
    )

    def answer(self, ask: ClusterAsker) -> "ImpactAnswer":
        from podium.whatif.resilience.impact import failure_of

        def disturbance(state: "Sequence[Object]") -> "Disturbance":
            return failure_of(state, selected_nodes(state, texts(self.places), self.selector))

        return _impact(ask, self, disturbance)


def selected_nodes(state: "Sequence[Object]", names: "list[str]", selector: str) -> "list[str]":
    """Return named nodes or, without names, those that match a selector; raises InputError."""
    # Imported when it is asked, so that help, completion and the library start at once.
    from podium.api.objects import labels, name
    from podium.ui.inputs.inputs import read_selector

    if bool(names) == bool(selector):
        raise InputError("name nodes, or select them with --selector, but not both")
    if names:
        return names
    chosen = read_selector(selector)
    nodes = (one for one in state if one.get("kind") == "Node")
    selected = [f"node/{name(node)}" for node in nodes if chosen.matches(labels(node))]
    if not selected:
        raise InputError(f"--selector {selector}: no node has such labels")
    return sorted(selected)


def _impact(
    ask: ClusterAsker,
    question: DrainQuestion | FailQuestion,
    disturbance_of: "Callable[[Sequence[Object]], Disturbance]",
) -> "ImpactAnswer":
    # Imported when it is called, so that help, completion and the library start at once.
    from podium.ui.answers.whatif_answers import ImpactAnswer
    from podium.whatif.plan.fail_on import Gate, findings
    from podium.whatif.plan.plan_report import time_text
    from podium.whatif.resilience.impact import DisturbanceKind, ImpactReader

    gates = question.conditions()
    asked = ask.read(question)
    request = replace(asked.request, alternatives_max=0)
    disturbance = disturbance_of(request.state.objects)
    is_drain = disturbance.kind is DisturbanceKind.DRAIN
    if gates and is_drain and all(gate.condition != _UNDRAINED for gate in gates):
        # What didn't happen meets no other condition.
        gates = [*gates, Gate(_UNDRAINED, _UNDRAINED)]
    ask.progress.show("playing")
    outcome = ask.play(
        replace(request, changes=disturbance.changes),
        lambda _, at_s: ask.progress.tell(lambda: f"playing: {time_text(at_s)}"),
    )
    if outcome.interrupted:
        raise KeyboardInterrupt
    impact = ImpactReader(request).impact(disturbance, asked.noted_in(outcome))
    return ImpactAnswer.of(impact, failed_on=findings(outcome, gates) if gates else ())
