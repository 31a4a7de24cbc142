"""Pictures of a plan: nodes before and after, pods over time, and cascades of preemption."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from podium.api.presentation import Bars, Block, Branch, Paragraph, Piece, Section, Tone, Tree
from podium.api.values.message_words import count, listed
from podium.whatif.plan.plan_report import (
    Disruption,
    Happening,
    Moment,
    NodeFilling,
    Plan,
    time_text,
)
from podium.whatif.plan.presentation.choice_text import candidate_table, choice_sentence

_NODES_MAX = 40
_LANES_MAX = 60
_DECISIONS_MAX = 100
_CANDIDATES_MAX = 1_000
# All decisions together show so many candidates, and each shows at least so many.
_CANDIDATES_MIN = 5
_NAMES_MAX = 3
_NARROWEST = 0.015
_LEGEND = (
    "Hatched pods leave, blue ones are new. A pod is as wide as its CPU or its memory of the node"
)
_OF_DEVICES = ", or as what its claims have of the node's devices."
# What a pod is doing from such a moment on.
_DOING = {
    Happening.CREATED: ("waits", Tone.WAITING),
    Happening.BOUND: ("starts", Tone.NONE),
    Happening.READY: ("is ready", Tone.GOOD),
    Happening.TERMINATING: ("terminates", Tone.BAD),
}


def before_and_after(plan: Plan) -> Section:
    """Draw the nodes whose pods change, before and after, as boxes filled by their pods."""
    shown = plan.nodes[:_NODES_MAX]
    more = len({one.node for one in plan.nodes} - {one.node for one in shown})
    legend = f"{_LEGEND}{_OF_DEVICES if any(one.driver for one in shown) else '.'}"
    notes = [legend, *([f"{count(more, 'node')} more change."] if more else [])]
    rows = [
        (f"{one.node}, {one.driver} devices" if one.driver else one.node, [*_filled(one)])
        for one in shown
    ]
    return Section(
        "Nodes before and after", [Bars(("Node", "Before", "After"), rows, notes)], is_long=True
    )


def _filled(node: NodeFilling) -> Iterator[list[Piece]]:
    for pods, tone in ((node.before, Tone.BAD), (node.after, Tone.GOOD)):
        # Pods may request more than a node has, if no scheduler put them there.
        widths = [max(pod.share, _NARROWEST) for pod in pods]
        whole = max(1.0, sum(widths))
        pieces = []
        for share, width in zip(pods, widths, strict=True):
            # Where a box is narrow, its name matters more than its namespace.
            namespace, _, name = share.pod.rpartition("/")
            says = f"{name} in {namespace}, priority {share.priority}, {100 * share.share:.0f} %"
            own = tone if share.is_other else Tone.NONE
            pieces.append(Piece(says, width / whole, Tone.BAD if share.is_leaving else own))
        yield pieces


def lanes(plan: Plan) -> Section:
    """Draw the events of each pod on a time axis."""
    by_uid: dict[str, list[Moment]] = defaultdict(list)
    for moment in plan.timeline:
        by_uid[moment.uid].append(moment)
    end_s = max((moment.at for moment in plan.timeline), default=0.0)
    if not end_s:
        return Section("Pods over time", [])
    pods = [*by_uid.values()]
    rows = [(moments[0].pod, [[*_lane(moments, end_s)]]) for moments in pods[:_LANES_MAX]]
    more = len(pods) - len(rows)
    notes = [f"{count(more, 'pod')} more."] if more > 0 else []
    header = f"From t+0s to {time_text(end_s)}"
    return Section("Pods over time", [Bars(("Pod", header), rows, notes)], is_long=True)


def _lane(moments: Sequence[Moment], end_s: float) -> Iterator[Piece]:
    first = moments[0]
    known = _DOING.get(first.event)
    if first.event is Happening.TERMINATING and first.at:
        yield Piece("runs", first.at / end_s, Tone.GOOD)
    elif first.at:
        yield Piece("" if known else "runs", first.at / end_s)
    for moment, after in zip(moments, [*moments[1:], None], strict=True):
        until_s = end_s if after is None else after.at
        doing = _DOING.get(moment.event)
        share = (until_s - moment.at) / end_s
        if doing is not None and share > 0:
            where = f" on {moment.node}" if moment.node else ""
            yield Piece(f"{doing[0]}{where} from {time_text(moment.at)}", share, doing[1])


def cascades(plan: Plan) -> Section:
    """Draw cascades of preemption: pods, the pods that they preempt, and so on."""
    by: dict[str, list[Disruption]] = defaultdict(list)
    shown = plan.disruptions[:_LANES_MAX]
    for disruption in shown:
        by[disruption.by].append(disruption)
    replaced = {one.replacement for one in shown if one.replacement}
    devices = {
        one.preemptor: count(one.devices, "device") for one in plan.preemptions if one.devices
    }
    roots = [
        Branch(
            f"{name} needs {devices.get(name, 'room')}" if name else "The changes themselves",
            Tone.NONE,
            [_branch(one, by, frozenset({name})) for one in lost],
        )
        for name, lost in by.items()
        if name not in replaced
    ]
    left = len(plan.disruptions) - len(shown)
    more = f"{count(left, 'pod')} more {'loses' if left == 1 else 'lose'} a place." if left else ""
    blocks: list[Block] = [Tree(roots), *([Paragraph(more)] if more else [])]
    return Section("What follows from what", blocks, is_long=True)


def _branch(one: Disruption, by: dict[str, list[Disruption]], seen: frozenset[str]) -> Branch:
    lost = f"{one.pod} loses its place on {one.node}, {time_text(one.at)}: {one.cause.clause}"
    if not one.replacement:
        return Branch(lost, Tone.BAD)
    # Names of a StatefulSet's pods come again, and so may be their own successors.
    turn = [] if one.replacement in seen else by.get(one.replacement, [])
    where = f"is on {one.replaced_on}" if one.replaced_on else "is pending"
    after = [_branch(two, by, seen | {one.replacement}) for two in turn]
    tone = Tone.GOOD if one.replaced_on else Tone.WAITING
    return Branch(lost, Tone.BAD, [Branch(f"{one.replacement} {where}", tone, after)])


def decisions(plan: Plan) -> Iterator[Section]:
    """Yield a section about each preemption, with the candidate nodes, and each reason to wait."""
    shown = plan.preemptions[:_DECISIONS_MAX]
    each = max(_CANDIDATES_MIN, _CANDIDATES_MAX // max(1, len(shown)))
    for outcome in shown:
        title = f"Decision: {outcome.preemptor} preempts on {outcome.node}, {time_text(outcome.at)}"
        said = Paragraph(choice_sentence(outcome), Tone.GOOD)
        yield Section(title, [said, candidate_table(outcome, each)], is_detail=True, is_long=True)
    if left := len(plan.preemptions) - len(shown):
        more = Paragraph(f"{count(left, 'decision')} more, with -o json.")
        yield Section("Further decisions", [more], is_detail=True, is_long=True)
    names: dict[str, list[str]] = defaultdict(list)
    for pod in plan.pending:
        names[pod.message].append(pod.pod)
    for message, pods in [*names.items()][:_DECISIONS_MAX]:
        stay = "stays" if len(pods) == 1 else "stay"
        title = f"Decision: {listed(pods, _NAMES_MAX)} {stay} pending"
        yield Section(title, [Paragraph(message, Tone.BAD)], is_detail=True, is_long=True)
