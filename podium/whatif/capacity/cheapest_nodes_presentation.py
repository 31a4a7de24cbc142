"""Which nodes to add at least cost, as it is told to people."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from decimal import Decimal

from podium.api.presentation import Bullets, Cell, Presentation, Section, Table, Tone, Toned
from podium.api.values.message_words import and_more, count
from podium.whatif.capacity.cheapest_nodes_report import CheapestNodes
from podium.whatif.plan.plan_report import PendingPod

_SHOWN_MAX = 5


def cheapest_nodes_presentation(found: CheapestNodes) -> Presentation:
    """A choice of nodes as a presentation."""
    shapes = [
        [one.shape, str(one.nodes), _plain(one.cost), _plain(one.cost * one.nodes)]
        for one in found.shapes
    ]
    places: dict[str, list[str]] = defaultdict(list)
    for one in found.placements:
        places[one.node].append(one.pod)
    rows = []
    for node, pods in sorted(places.items()):
        shown = [*pods[:_SHOWN_MAX], *and_more(len(pods) - _SHOWN_MAX)]
        rows.append([node, str(len(pods)), ", ".join(shown)])
    sections = [
        Section("Warnings", [Bullets(found.warnings)]),
        Section("Nodes to add", [Table(["Shape", "Nodes", "Cost of one", "Cost"], shapes)]),
        Section("Where pods go", [Table(["Node", "Pods", "Which"], rows)]),
        Section("Who waits now", [_waiting(found.pending)]),
        Section(f"Who waits with as many as {found.tried_most} of a shape", [_waiting(found.left)]),
        Section("Who is preempted for good", [Bullets(found.lost)]),
        Section("Notes", [Bullets(found.notes)]),
    ]
    return Presentation("Which nodes to add", _headline(found), sections)


def _headline(found: CheapestNodes) -> str:
    end = " (interrupted)" if found.interrupted else ""
    played = f"{count(found.tried, 'choice')} played{end}"
    if not (found.pending or found.new):
        return "No pod waits: no node is needed."
    if not found.found:
        return f"No choice of these nodes was found with which nobody waits; {played}."
    nodes = ", ".join(f"{one.nodes} {one.shape}" for one in found.shapes if one.nodes)
    if not nodes:
        return f"All pods find a place: no node is needed; {played}."
    bound = (
        "no cheaper choice does"
        if found.proven
        else f"none below {_plain(found.cost_at_least)} does"
    )
    return f"Add {nodes} for {_plain(found.cost)}; {bound}; {played}."


def _plain(cost: Decimal) -> str:
    return f"{cost.normalize():f}"


def _waiting(pods: Iterable[PendingPod]) -> Table:
    alike = Counter((pod.workload, pod.message) for pod in pods)
    rows: list[list[Cell]] = [
        [Toned(workload, Tone.WAITING), str(number), message]
        for (workload, message), number in alike.items()
    ]
    return Table(["Workload", "Pods", "Why"], rows)
