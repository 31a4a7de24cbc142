"""Presentations of the decisions about a pod, and of the order of evictions."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import attrgetter

from podium.api.presentation import (
    Block,
    Bullets,
    Cell,
    Paragraph,
    Presentation,
    Section,
    Table,
    Tone,
    Toned,
)
from podium.api.values.message_words import count, listed
from podium.scheduler.explain.obstacles import Obstacle, Shortage, amount_text, bare_amount
from podium.whatif.explain.eviction_rankings import EvictionRanking
from podium.whatif.explain.explanation import DecisionView, PodExplanation, PreemptionView
from podium.whatif.plan.plan_report import time_text
from podium.whatif.plan.presentation.choice_text import candidate_table, choice_sentence

_CANDIDATES_MAX = 1_000
_SPARED_MAX = 5
_BY_QOS = (
    "A kubelet chooses by QoS class, among pods that aren't critical or are of lower priority: as "
    "few Guaranteed ones as will do, then Burstable, then BestEffort ones. Budgets don't count."
)
_CROSS_NODE = (
    "Preemption takes no pods off other nodes, as in kube-scheduler v1.36: these stay, whatever "
    "their priority, and keep the nodes closed."
)


def explanation_presentation(explanation: PodExplanation) -> Presentation:
    """Present all decisions about a pod, with decisions before the last two as details."""
    views, total = explanation.decisions, len(explanation.decisions)
    about, *place = _pod_sentences(explanation)
    verdict = _verdict(views[-1]) if views else Paragraph("")
    sections = []
    for number, view in enumerate(views, 1):
        title = _decision_title(view, number, total).capitalize() or "Decision"
        # The last but one is often the preemption that the last one follows from; what would be
        # decided about a pod that has its node answers no question that it raises by itself.
        is_detail = number < total - 1 or bool(explanation.bound_to)
        is_headed = total == 1 and not place
        blocks = [block for block in _decision_blocks(view) if not is_headed or block != verdict]
        sections.append(Section(title, blocks, is_detail=is_detail))
    obstacles = views[-1].obstacles if views else ()
    each = refusal_table(obstacles, wide=True)
    if len(each.rows) > len(refusal_table(obstacles, wide=False).rows):
        sections.append(Section("Each node that doesn't fit", [each], is_detail=True, is_long=True))
    first: list[Block] = [_remedy_table(explanation), *map(Paragraph, (explanation.sleep, about))]
    # A pod that has a node isn't headed by the node that it would get now, or by none.
    headline = place[0] if place else verdict.text
    notes = Section("Notes", [Bullets(explanation.notes)])
    warnings = Section("Warnings", [Bullets(explanation.warnings)])
    admission = Section("", [*_admission_blocks(explanation)])
    title = f"Podium explain {explanation.pod}"
    return Presentation(
        title, headline, [warnings, Section("", first), admission, *sections, notes]
    )


def printed_explanation(explanation: PodExplanation, *, wide: bool) -> Presentation:
    """Present an explanation for a terminal, with each part in a section."""
    about, *place = _pod_sentences(explanation)
    total = len(explanation.decisions)
    blocks = [_remedy_table(explanation), *_admission_blocks(explanation)]
    for number, view in enumerate(explanation.decisions, 1):
        title = _decision_title(view, number, total)
        blocks += [Paragraph(title, Tone.STRONG), *_decision_blocks(view, wide=wide)]
    blocks.append(Paragraph(explanation.sleep))
    sections = [
        Section("", [Paragraph(f"{explanation.pod}, {about}"), *map(Paragraph, place)]),
        *(Section("", [block]) for block in blocks),
        Section("Notes", [Bullets(explanation.notes)]),
    ]
    return Presentation("", "", sections)


def _pod_sentences(explanation: PodExplanation) -> Iterator[str]:
    if explanation.admission is not None:
        yield f"priority {explanation.priority}"
        return
    yield (
        f"priority {explanation.priority}, {explanation.preemption_policy}, "
        f"profile {explanation.scheduler_name}"
    )
    if explanation.bound_to:
        yield f"It is on {explanation.bound_to}; this is how it is decided as if it weren't."


def _admission_blocks(explanation: PodExplanation) -> Iterator[Block]:
    admission = explanation.admission
    if admission is None:
        return
    node = admission.node
    yield Paragraph(f"It names its node, {node}: no scheduler decides about it, its kubelet does.")
    if not admission.admitted:
        refusal = f"{node} refuses it ({admission.reason}): {admission.message}."
        yield Paragraph(refusal if admission.reason else f"{admission.message}.", Tone.BAD)
        return
    if not admission.stopped:
        yield Paragraph(f"{node} takes it.", Tone.GOOD)
        return
    stops = f"{node} takes it, as it is critical, and stops {count(len(admission.stopped), 'pod')}"
    yield Paragraph(f"{stops} to make room.", Tone.GOOD)
    yield Paragraph(_BY_QOS)
    rows = [(one.pod, one.qos_class, str(one.priority)) for one in admission.stopped]
    yield Table(("Victim", "QoS class", "Priority"), rows, title="Pods that the kubelet stops")


def _decision_title(view: DecisionView, number: int, total: int) -> str:
    if total == 1 and view.at < 1:
        return ""
    return f"DECISION {number} OF {total}, {time_text(view.at)}"


def _decision_blocks(view: DecisionView, *, wide: bool = False) -> Iterator[Block]:
    if view.gate is not None:
        yield Paragraph(f"It isn't queued: {view.gate.plugin} says {view.gate.message}.")
        return
    if (refusal := view.pre_filter) is not None:
        why = f"({refusal.code}): {refusal.message}."
        yield Paragraph(f"{refusal.plugin} refuses it for all nodes {why}")
        yield Bullets(view.pre_filter_details)
    yield _verdict(view)
    for freed in view.freed_ports:
        yield Paragraph(
            f"{freed.port} of {freed.node} counts as free, though {freed.pod} still holds it: the "
            "scheduler keeps a node's ports as a set, and another pod with this port has left."
        )
    if view.preemption is not None:
        yield from _preemption(view.preemption, wide=wide)
    yield refusal_table(view.obstacles, wide=wide, title="Nodes that don't fit")
    scored = sorted(view.feasible, key=lambda one: (-one.total, one.node))
    plugins = list(scored[0].scores) if scored else []
    rows: list[tuple[Cell, ...]] = [
        (
            Toned(one.node, Tone.GOOD if one.node == view.node else Tone.NONE),
            *(str(one.scores[plugin]) for plugin in plugins),
            str(one.total),
        )
        for one in (() if view.nominated_only else scored)
    ]
    yield Table(("Node", *plugins, "Total"), rows, title="Weighted scores")
    blockers = [
        (
            blocker.node,
            blocker.pod,
            blocker.on,
            str(blocker.priority),
            blocker.topology_key,
            "its own" if blocker.anti_affinity_of == "incoming" else "the other pod's",
        )
        for blocker in view.blockers
    ]
    headers = ("Node", "Pod in the way", "On", "Priority", "Same", "Anti-affinity of")
    yield Table(headers, blockers, title="Closed by pods on other nodes")
    yield Paragraph(_CROSS_NODE if view.blockers else "")


def _remedy_table(explanation: PodExplanation) -> Table:
    rows = [
        (remedy.change, remedy.node, ", ".join(victim.pod for victim in remedy.victims) or "-")
        for remedy in explanation.remedies
    ]
    return Table(("Change", "Node", "Victims"), rows, title="It would fit with")


def _verdict(view: DecisionView) -> Paragraph:
    if not view.node:
        return Paragraph(view.message, Tone.BAD)
    why = (
        f"{count(len(view.best), 'node')} have the highest total ({', '.join(view.best)}), and its "
        "name is the smallest; kube-scheduler takes any of them."
    )
    if view.nominated_only:
        why = "it is nominated there and fits, so that no other node was looked at."
    elif len(view.feasible_nodes) == 1:
        why = "the only node that fits."
    elif len(view.best) == 1:
        why = "it alone has the highest total."
    return Paragraph(f"{view.node}: {why}", Tone.GOOD)


def _preemption(view: PreemptionView, *, wide: bool) -> Iterator[Block]:
    if not view.eligible:
        yield Paragraph(f"Preemption: {view.message}")
        return
    if view.outcome is not None:
        yield Paragraph(choice_sentence(view.outcome), Tone.GOOD)
        yield candidate_table(view.outcome, _CANDIDATES_MAX, "Candidates for preemption")
        victims = [
            (one.node, victim.pod, str(victim.priority), Toned(", ".join(victim.broken), Tone.BAD))
            for one in view.candidates
            for victim in one.victims
        ]
        headers = ("Node", "Victim", "Priority", "Violated budgets")
        yield Table(headers, victims, title="Victims, the most important first")
        if view.spared:
            spared = [f"{one.pod} (priority {one.priority})" for one in view.spared]
            verb = "stays" if len(spared) == 1 else "stay"
            yield Paragraph(
                f"On {view.node} {listed(spared, _SPARED_MAX)} {verb} although a victim's priority "
                "is higher: all pods of lower priority are taken away, and given back as long as "
                "the preemptor still fits, those first whose budget would be violated, and then "
                "the most important ones."
            )
    title = "Nodes where preemption doesn't help"
    rejected = [
        Obstacle(node, one.plugin, str(one.code), one.reasons)
        for node, one in sorted(view.rejected.items())
    ]
    yield refusal_table(rejected, wide=wide, title=title)


def ranking_presentation(ranking: EvictionRanking) -> Presentation:
    """Present the order of evictions, with a column for each key."""
    title = f"Podium explain --eviction {ranking.node}"
    if not ranking.pods:
        return Presentation(title, f"There are no pods on {ranking.node}.", [])
    headers = ("Pod", "QoS class", *(key.capitalize() for key, _ in ranking.pods[0].keys), "")
    rows = [
        (
            pod.pod,
            pod.qos_class,
            *(value for _, value in pod.keys),
            "critical: never evicted" if pod.spared else "",
        )
        for pod in ranking.pods
    ]
    notes = []
    if assumed := [pod.pod for pod in ranking.pods if pod.usage_assumed]:
        who = "any pod" if len(assumed) == len(ranking.pods) else ", ".join(assumed)
        resource = ranking.signal.resource
        taken_for = "what is requested" if ranking.signal.starved.is_requestable else "none"
        notes.append(
            f"The state doesn't say what {who} uses of {resource}: taken for {taken_for}; "
            "annotations can say it."
        )
    headline = f"{ranking.node} evicts in this order when {ranking.signal} falls below a threshold"
    return Presentation(title, headline, [Section("", [Table(headers, rows, notes)])])


_HEADERS = ("Node", "Plugin", "Code", "Reasons", "In detail")
_NAMED_MAX = 5
_TOLD_APART_MAX = 10
_DETAILS_MAX = 3

_Refused = tuple[str, tuple[Obstacle, ...]]


def refusal_table(obstacles: Sequence[Obstacle], *, wide: bool, title: str = "") -> Table:
    """Make a table of the obstacles on each node, with a column of details if there are any.

    Nodes share rows if their obstacles are equal, or if more than ten have the same reasons; a row
    then has the range of what they lack. The reason of most nodes comes first. If `wide`, each node
    has rows of its own.
    """
    rows: list[tuple[Cell, ...]] = []
    for alike in _alike(obstacles, wide=wide):
        nodes = _named([node for node, _ in alike])
        # The obstacles of one filter at a time.
        for refusals in zip(*(refusals_of for _, refusals_of in alike), strict=True):
            first = refusals[0]
            reasons = Toned("; ".join(first.reasons), Tone.BAD)
            rows.append((nodes, first.plugin or "-", first.code, reasons, _detail(refusals)))
    columns = len(_HEADERS) if any(row[-1] for row in rows) else len(_HEADERS) - 1
    return Table(_HEADERS[:columns], [row[:columns] for row in rows], title=title)


def _alike(obstacles: Sequence[Obstacle], *, wide: bool) -> Iterator[list[_Refused]]:
    refused = [(node, tuple(some)) for node, some in groupby(obstacles, attrgetter("node"))]
    if wide:
        yield from ([one] for one in refused)
        return
    groups: dict[tuple[tuple[str, ...], ...], list[_Refused]] = {}
    for one in refused:
        reasons = tuple((each.plugin, each.code, *each.reasons) for each in one[1])
        groups.setdefault(reasons, []).append(one)
    for group in sorted(groups.values(), key=len, reverse=True):
        if len(group) > _TOLD_APART_MAX:
            yield group
            continue
        equal: dict[tuple[tuple[str, ...], ...], list[_Refused]] = {}
        for one in group:
            equal.setdefault(tuple(each.details for each in one[1]), []).append(one)
        yield from equal.values()


def _named(nodes: Sequence[str]) -> str:
    if len(nodes) <= _NAMED_MAX:
        return ", ".join(nodes)
    return f"{count(len(nodes), 'node')}, such as {nodes[0]}"


def _detail(refusals: Sequence[Obstacle]) -> str:
    details = [*dict.fromkeys("; ".join(one.details) for one in refusals)]
    if len(details) == 1:
        return details[0]
    shortages: dict[str, list[Shortage]] = {}
    for refusal in refusals:
        for shortage in refusal.shortages:
            shortages.setdefault(shortage.resource, []).append(shortage)
    if shortages:
        return "; ".join(map(_range, shortages.values()))
    # Of many nodes only the first ones have details.
    some = [*filter(None, details)][:_DETAILS_MAX]
    return f"such as: {'; '.join(some)}" if some else ""


def _range(shortages: Sequence[Shortage]) -> str:
    resource, needed = shortages[0].resource, shortages[0].needed
    missing = [shortage.missing for shortage in shortages]
    least, most = min(missing), max(missing)
    short = amount_text(resource, most)
    if least < most:
        short = f"{bare_amount(resource, least)} to {short}"
    text = f"needs {amount_text(resource, needed)}, {short} short"
    enough = sum(shortage.missing <= shortage.lower for shortage in shortages)
    if enough:
        text += f"; enough on {count(enough, 'node')} with pods of lower priority gone"
    return text
