"""The choice among candidate nodes as a table and as a sentence."""

from collections.abc import Sequence
from dataclasses import replace

from rich.text import Text

from podium.cli.output import Cell, count
from podium.cli.presentation_text import toned
from podium.core.preemption.choice import VIOLATIONS
from podium.presenting import Table
from podium.simulation.timeline.preemption import NAME_KEY, CandidateNode, PreemptionOutcome

_LOSING = "×"


def candidate_table(
    preemption: PreemptionOutcome,
) -> tuple[tuple[str, ...], list[tuple[Cell, ...]]]:
    """Headings and rows: a column a key of the choice, in order.

    Where a candidate lost, its value is marked; the values after that played no part. In the sum
    of priorities each victim counts for 2**31 more, as in kube-scheduler.
    """
    names = [name for name, _ in preemption.keys]
    headings = ("NODE", "VICTIMS", *(heading for _, heading in preemption.keys), "RESULT")
    rows = [_row(one, names) for one in (preemption.chosen, *preemption.alternatives)]
    if preemption.left_out:
        rows.append((f"and {preemption.left_out} more",))
    return headings, [(*row, *[""] * (len(headings) - len(row))) for row in rows]


def presented_candidates(preemption: PreemptionOutcome, rows_max: int, title: str = "") -> Table:
    """The same as a part of a presentation, with so many candidates at most."""
    others = preemption.alternatives[: rows_max - 1]
    left_out = preemption.candidate_count - 1 - len(others)
    headings, rows = candidate_table(replace(preemption, alternatives=others, left_out=left_out))
    names = [one.capitalize().replace("Pdb", "PDB") for one in headings]
    return Table(names, [[toned(cell) for cell in row] for row in rows], title=title)


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
    names = [*(name for name, _ in preemption.keys), NAME_KEY]
    last = max(lost_at, key=names.index)
    if last == NAME_KEY:
        equals = count(lost_at.count(last), "other")
        return f"no key tells it from {equals}, and its name is the smallest"
    if last == VIOLATIONS.name and not preemption.chosen.pdb_violations:
        return "the only one whose victims violate no budget"
    rival = next(other for other in preemption.alternatives if other.lost_at == last)
    value, other_value = (one.values[names.index(last)] for one in (preemption.chosen, rival))
    return f"it alone has the {last} ({value}, where {rival.node} has {other_value})"


def _row(candidate: CandidateNode, names: Sequence[str]) -> tuple[Cell, ...]:
    victims = ", ".join(
        f"{victim.pod} (leaving)" if victim.is_leaving else victim.pod
        for victim in candidate.victims
    )
    name = Text(candidate.node, style="bold green" if candidate.is_chosen else "")
    result = "chosen" if candidate.is_chosen else f"lost: {candidate.lost_at}"
    return (name, victims, *_marked(candidate, names), result)


def _marked(candidate: CandidateNode, names: Sequence[str]) -> list[Cell]:
    """The values of the keys; the one that lost is marked, those after it played no part."""
    values: list[Cell] = list(candidate.values)
    if candidate.lost_at not in names:
        return values
    lost = names.index(candidate.lost_at)
    later = [Text(str(value), style="dim") for value in values[lost + 1 :]]
    return [*values[:lost], Text(f"{values[lost]} {_LOSING}", style="red"), *later]
