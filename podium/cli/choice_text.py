"""The choice among candidate nodes as a table and as a sentence."""

from rich.text import Text

from podium.api.times import format_time
from podium.cli.output import Cell, count
from podium.simulation.timeline.preemption import (
    KEY_NAMES,
    NOT_SELECTED_BY_NAME,
    CandidateNode,
    PreemptionOutcome,
)

_HEADINGS = (
    "NODE",
    "VICTIMS",
    "PDB VIOLATIONS",
    "HIGHEST PRIORITY",
    "PRIORITY SUM",
    "COUNT",
    "LATEST START",
    "RESULT",
)
_LOSING = "×"


def candidate_table(
    preemption: PreemptionOutcome,
) -> tuple[tuple[str, ...], list[tuple[Cell, ...]]]:
    """Headings and rows: a column a key of the choice, in order.

    Where a candidate lost, its value is marked; the values after that played no part. In the sum
    of priorities each victim counts for 2**31 more, as in kube-scheduler.
    """
    rows = [_row(candidate) for candidate in (preemption.chosen, *preemption.alternatives)]
    if preemption.left_out:
        rows.append((f"and {preemption.left_out} more",))
    width = len(_HEADINGS)
    return _HEADINGS, [(*row, *[""] * (width - len(row))) for row in rows]


def choice_sentence(preemption: PreemptionOutcome) -> str:
    """Why the node was chosen."""
    beginning = f"{preemption.preemptor} chooses {preemption.node}"
    total = preemption.candidate_count
    if total == 1:
        return f"{beginning}, the only candidate."
    return f"{beginning} of {total} candidates: {_reason(preemption)}."


def _reason(preemption: PreemptionOutcome) -> str:
    """What settled it: the key at which the last rivals lost."""
    lost_at = [other.lost_at for other in preemption.alternatives if other.lost_at is not None]
    if not lost_at:
        return "the others aren't shown"
    last = max(lost_at)
    if last == NOT_SELECTED_BY_NAME:
        equals = count(lost_at.count(last), "other")
        return f"no key tells it from {equals}, and its name is the smallest"
    if last == 0 and not preemption.chosen.pdb_violations:
        return "the only one whose victims violate no budget"
    return f"it alone has the {KEY_NAMES[last]} ({_values(preemption.chosen)[last]})"


def _row(candidate: CandidateNode) -> tuple[Cell, ...]:
    victims = ", ".join(
        f"{victim.pod} (leaving)" if victim.is_leaving else victim.pod
        for victim in candidate.victims
    )
    name = Text(candidate.node, style="bold green" if candidate.is_chosen else "")
    result = "chosen" if candidate.is_chosen else f"lost: {candidate.lost_at_name}"
    return (name, victims, *_marked(candidate), result)


def _marked(candidate: CandidateNode) -> list[Cell]:
    """The values of the keys; the one that lost is marked, those after it played no part."""
    values: list[Cell] = list(_values(candidate))
    lost = candidate.lost_at
    if lost is None or lost >= len(values):
        return values
    later = [Text(str(value), style="dim") for value in values[lost + 1 :]]
    return [*values[:lost], Text(f"{values[lost]} {_LOSING}", style="red"), *later]


def _values(candidate: CandidateNode) -> tuple[str, ...]:
    """The values that the keys compare."""
    number = len(candidate.victims)
    if not number:
        return ("0", "none", "0", "0", "none")
    start = candidate.latest_start_ns
    return (
        str(candidate.pdb_violations),
        str(candidate.top_priority),
        f"{candidate.plain_priority_sum} + {number}×2³¹",
        str(number),
        "not started" if start is None else format_time(start),
    )
