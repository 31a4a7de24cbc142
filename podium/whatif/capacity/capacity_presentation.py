"""Presentations of how many more pods fit, and of the cheapest nodes for pending pods."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal

from podium.api.presentation import (
    Bullets,
    Cell,
    Paragraph,
    Presentation,
    Section,
    Table,
    Tone,
    Toned,
)
from podium.api.values.message_words import and_more, count
from podium.whatif.capacity.capacity_report import Capacity, CheapestNodes, Fill, TemplateRow
from podium.whatif.plan.plan_report import PendingPod, Return, why_never

# Of more nodes than these the fullest are listed.
_NODES_MAX = 20
_SHOWN_MAX = 5


def capacity_presentation(capacity: Capacity) -> Presentation:
    """Present how many more pods fit, on which nodes, and why the next one doesn't."""
    without, with_ = capacity.without_preemption, capacity.with_preemption
    if without is None:
        raise ValueError("the capacity has not been counted")
    parts = [f"{count(without.pods, 'more pod')} fit{'s' if without.pods == 1 else ''}"]
    if len(capacity.templates) > 1 or capacity.templates[0].share > 1:
        parts[0] += f", in {count(without.rounds, 'whole round')}"
    if with_ is not None:
        who = f"{count(len(with_.victims), 'pod')} give{'s' if len(with_.victims) == 1 else ''} way"
        parts.append(f"{with_.pods} if {who}" if with_.victims else "no pod would give way")
    if capacity.at_least is not None:
        parts.append(f"at least {capacity.at_least} were hoped for")
    end = " (interrupted)" if capacity.interrupted else ""
    headline = f"{'; '.join(parts)}{end}."
    headers = ["Template", "Priority", "Class", "In a round", "Fit"]
    headers += ["With preemption"] if with_ is not None else []
    rows = []
    for number, template in enumerate(capacity.templates):
        priority = "-" if template.priority is None else str(template.priority)
        row = [template.template, priority, template.priority_class or "-", str(template.share)]
        row.append(str(without.by_template[number]))
        rows.append([*row, str(with_.by_template[number])] if with_ is not None else row)
    sections = [
        Section("Warnings", [Bullets(capacity.warnings)]),
        Section("Templates", [Table(headers, rows)]),
        *_fill_sections("", capacity.templates, without),
    ]
    if with_ is not None:
        sections += _fill_sections(" with preemption", capacity.templates, with_)
        victims: list[list[Cell]] = []
        for victim in with_.victims:
            again = Toned("finds no place", Tone.WAITING)
            if victim.replaced_on:
                again = Toned(f"on {victim.replaced_on}", Tone.GOOD)
            elif victim.comes_again is Return.NEVER:
                again = Toned(why_never(victim), Tone.BAD)
            broken = ", ".join(victim.breaks) or "-"
            pod, priority = Toned(victim.pod, Tone.BAD), str(victim.priority)
            victims.append([pod, victim.workload, victim.node, priority, victim.by, broken, again])
        headers = ["Pod", "Workload", "Node", "Priority", "Gives way to", "Breaks", "Comes again"]
        sections.append(Section("Preempted pods", [Table(headers, victims)]))
    sections.append(Section("Notes", [Bullets(capacity.notes)]))
    return Presentation("How many more pods fit", headline, sections)


def _fill_sections(how: str, templates: Sequence[TemplateRow], fill: Fill) -> Iterator[Section]:
    several = len(templates) > 1
    headers = ["Node", "Pods", *([template.template for template in templates] if several else ())]
    listed, notes = [*fill.nodes], list[str]()
    if len(listed) > _NODES_MAX:
        listed.sort(key=lambda one: (-one.pods, one.node))
        notes = [f"{listed[-1].pods} to {listed[0].pods} pods on each of {len(listed)} nodes"]
    rows = [
        [row.node, str(row.pods), *(map(str, row.by_template) if several else ())] for row in listed
    ]
    yield Section(f"Where{how}", [Table(headers, rows, notes, rows_most=_NODES_MAX)])
    stop = fill.stop
    about = f"{stop.template}: " if stop.template and len(templates) > 1 else ""
    reasons = Table(["Nodes", "Reason"], [[str(one.nodes), one.reason] for one in stop.reasons])
    yield Section(f"What stops the next one{how}", [Paragraph(about + stop.message), reasons])


def cheapest_nodes_presentation(answer: CheapestNodes) -> Presentation:
    """Present the nodes to add, and where the pending pods are placed then."""
    shapes = [
        [shape.shape, str(shape.nodes), _plain(shape.cost), _plain(shape.cost * shape.nodes)]
        for shape in answer.shapes
    ]
    places: dict[str, list[str]] = defaultdict(list)
    for placement in answer.placements:
        places[placement.node].append(placement.pod)
    rows = []
    for node, pods in sorted(places.items()):
        shown = [*pods[:_SHOWN_MAX], *and_more(len(pods) - _SHOWN_MAX)]
        rows.append([node, str(len(pods)), ", ".join(shown)])
    sections = [
        Section("Warnings", [Bullets(answer.warnings)]),
        Section("Nodes to add", [Table(["Shape", "Nodes", "Cost of one", "Cost"], shapes)]),
        Section("Where pods go", [Table(["Node", "Pods", "Which"], rows)]),
        Section("Pending pods now", [_waiting(answer.pending)]),
        Section(
            f"Pending pods with {count(answer.tried_most, 'node')} of each shape",
            [_waiting(answer.left)],
        ),
        Section("Preempted pods that aren't replaced", [Bullets(answer.lost)]),
        Section("Notes", [Bullets(answer.notes)]),
    ]
    return Presentation("Which nodes to add", _headline(answer), sections)


def _headline(answer: CheapestNodes) -> str:
    end = " (interrupted)" if answer.interrupted else ""
    played = f"{count(answer.tried, 'choice')} played{end}"
    if not (answer.pending or answer.new):
        return "No pod waits: no node is needed."
    if not answer.found:
        return f"No choice of these nodes was found with which no pod waits; {played}."
    nodes = ", ".join(f"{shape.nodes} {shape.shape}" for shape in answer.shapes if shape.nodes)
    if not nodes:
        return f"All pods find a place: no node is needed; {played}."
    cheaper = "no cheaper choice" if answer.proven else f"none below {_plain(answer.cost_at_least)}"
    return f"Add {nodes} for {_plain(answer.cost)}; {cheaper} does; {played}."


def _plain(cost: Decimal) -> str:
    return f"{cost.normalize():f}"


def _waiting(pods: Iterable[PendingPod]) -> Table:
    alike = Counter((pod.workload, pod.message) for pod in pods)
    rows: list[list[Cell]] = [
        [Toned(workload, Tone.WAITING), str(number), message]
        for (workload, message), number in alike.items()
    ]
    return Table(["Workload", "Pods", "Why"], rows)
