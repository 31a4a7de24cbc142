"""An explanation as tables and sentences."""

from collections.abc import Mapping

from rich.console import Console
from rich.text import Text

from podium.cli.choice_text import candidate_table, choice_sentence
from podium.cli.output import Cell, count, print_lines, print_section
from podium.cli.timeline_text import time_text
from podium.core.status import Status
from podium.node.pressure.signals import EPHEMERAL_STORAGE, MEMORY, Signal
from podium.plan.evicting import EvictionRanking
from podium.plan.explanation import DecisionView, PodExplanation, PreemptionView

_GOOD, _BAD = "green", "red"
_REFUSAL_HEADINGS = ("NODE", "PLUGIN", "CODE", "REASONS")
_CROSS_NODE = (
    "Preemption takes no pods off other nodes, as in kube-scheduler v1.36: these stay, whatever "
    "their priority, and keep the nodes closed."
)


def print_explanation(out: Console, explanation: PodExplanation) -> None:
    """Print an explanation."""
    out.print(_heading(explanation))
    if explanation.was_on:
        out.print(f"It is on {explanation.was_on}; this is how it is decided as if it weren't.")
    out.print()
    total = len(explanation.decisions)
    for number, view in enumerate(explanation.decisions, 1):
        if total > 1 or view.at_s >= 1:
            when = f"DECISION {number} OF {total}, {time_text(view.at_s)}"
            out.print(Text(when, style="bold"))
            out.print()
        _print_decision(out, view)
    rows = [(one.change, one.node, ", ".join(one.victims) or "-") for one in explanation.remedies]
    print_section(out, "IT WOULD FIT WITH", ("CHANGE", "NODE", "WHO WOULD HAVE TO GO"), rows)
    print_lines(out, "NOTES", explanation.notes)


def _heading(explanation: PodExplanation) -> Text:
    return Text.assemble(
        (explanation.pod, "bold"),
        f", priority {explanation.priority}, {explanation.preemption_policy}, "
        f"profile {explanation.scheduler_name}",
    )


def _print_decision(out: Console, view: DecisionView) -> None:
    if view.gate is not None:
        out.print(f"It isn't queued: {view.gate.plugin} says {view.gate.message}.")
        out.print()
        return
    if view.pre_filter is not None:
        refusal = view.pre_filter
        out.print(f"{refusal.plugin} refuses it for all nodes ({refusal.code}): {refusal.message}.")
        out.print()
    _print_obstacles(out, view)
    _print_scores(out, view)
    _print_freed_ports(out, view)
    _print_verdict(out, view)
    if view.preemption is not None:
        _print_preemption(out, view.preemption)
    _print_blockers(out, view)


def _print_obstacles(out: Console, view: DecisionView) -> None:
    """All objections to all nodes; the node's name stands at the first one."""
    rows: list[tuple[Cell, ...]] = []
    before = ""
    for one in view.obstacles:
        node = "" if one.node == before else one.node
        why = Text("; ".join(one.reasons), style=_BAD)
        rows.append((node, one.plugin or "-", one.code, why, "; ".join(one.details)))
        before = one.node
    print_section(out, "NODES THAT DON'T FIT", (*_REFUSAL_HEADINGS, "IN DETAIL"), rows)


def _print_refusals(out: Console, title: str, statuses: Mapping[str, Status]) -> None:
    rows = [
        (node, status.plugin or "-", str(status.code), Text("; ".join(status.reasons), style=_BAD))
        for node, status in sorted(statuses.items())
    ]
    print_section(out, title, _REFUSAL_HEADINGS, rows)


def _print_scores(out: Console, view: DecisionView) -> None:
    if view.is_nominated_only:
        return
    scored = sorted(view.scored, key=lambda one: (-one.total, one.node))
    plugins = list(scored[0].scores) if scored else []
    rows: list[tuple[Cell, ...]] = [
        (
            Text(one.node, style=_GOOD if one.node == view.node else ""),
            *(str(one.scores[plugin]) for plugin in plugins),
            str(one.total),
        )
        for one in scored
    ]
    print_section(out, "WEIGHTED SCORES", ("NODE", *plugins, "TOTAL"), rows)


def _print_freed_ports(out: Console, view: DecisionView) -> None:
    for freed in view.freed_ports:
        out.print(
            f"{freed.port} of {freed.node} counts as free, though {freed.pod} still holds it: the "
            "scheduler keeps a node's ports as a set, and another pod with this port has left."
        )
    if view.freed_ports:
        out.print()


def _print_verdict(out: Console, view: DecisionView) -> None:
    if view.node:
        out.print(Text(_why_chosen(view), style=_GOOD))
    else:
        out.print(Text(view.message, style=_BAD))
    out.print()


def _why_chosen(view: DecisionView) -> str:
    best = view.best
    if view.is_nominated_only:
        return f"{view.node}: it is nominated there and fits, so that no other node was looked at."
    if len(view.feasible) == 1:
        return f"{view.node}: the only node that fits."
    if len(best) == 1:
        return f"{view.node}: it alone has the highest total."
    equals = ", ".join(best)
    return (
        f"{view.node}: {count(len(best), 'node')} have the highest total ({equals}), and its name "
        "is the smallest; kube-scheduler takes any of them."
    )


def _print_preemption(out: Console, view: PreemptionView) -> None:
    if not view.is_eligible:
        out.print(f"Preemption: {view.message}")
        out.print()
        return
    if view.outcome is not None:
        headings, rows = candidate_table(view.outcome)
        print_section(out, "CANDIDATES FOR PREEMPTION", headings, rows)
        victims = [
            (
                candidate.node,
                victim.pod,
                str(victim.priority),
                Text(", ".join(victim.broken), style=_BAD),
            )
            for candidate in view.candidates
            for victim in candidate.victims
        ]
        headings = ("NODE", "VICTIM", "PRIORITY", "VIOLATED BUDGETS")
        print_section(out, "VICTIMS, THE MOST IMPORTANT FIRST", headings, victims)
        out.print(Text(choice_sentence(view.outcome), style=_GOOD))
        out.print()
    _print_refusals(out, "NODES WHERE PREEMPTION DOESN'T HELP", view.rejected)


def _print_blockers(out: Console, view: DecisionView) -> None:
    rows = [
        (
            blocker.node,
            blocker.pod,
            blocker.on,
            str(blocker.priority),
            blocker.topology_key,
            "its own" if blocker.is_own_rule else "the other pod's",
        )
        for blocker in view.blockers
    ]
    headings = ("NODE", "POD IN THE WAY", "ON", "PRIORITY", "SAME", "WHOSE ANTI-AFFINITY")
    print_section(out, "CLOSED BY PODS ON OTHER NODES", headings, rows)
    if rows:
        out.print(_CROSS_NODE)
        out.print()


def print_ranking(out: Console, ranking: EvictionRanking) -> None:
    """Print a ranking: a row for each pod, a column for each key."""
    if not ranking.pods:
        out.print(f"There are no pods on {ranking.node}.")
        return
    titles = [title.upper() for title, _ in ranking.pods[0].keys]
    headings = ("POD", "QOS CLASS", *titles, "")
    rows = [
        (
            one.pod,
            one.qos_class,
            *(value for _, value in one.keys),
            "critical: never evicted" if one.is_spared else "",
        )
        for one in ranking.pods
    ]
    title = f"{ranking.node} evicts in this order when {ranking.signal} falls below a threshold"
    print_section(out, title, headings, rows)
    assumed = [one.pod for one in ranking.pods if one.is_assumed]
    if assumed:
        who = "any pod" if len(assumed) == len(ranking.pods) else ", ".join(assumed)
        out.print(f"{_assumption(who, ranking.signal)}; annotations can say it.")


def _assumption(who: str, signal: Signal) -> str:
    resource = signal.resource
    taken_for = "what is requested" if resource in (MEMORY, EPHEMERAL_STORAGE) else "none"
    return f"The state doesn't say what {who} uses of {resource}: taken for {taken_for}"
