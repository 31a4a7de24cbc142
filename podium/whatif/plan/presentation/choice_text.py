"""The choice among the candidate nodes of a preemption, as a table and as a sentence."""

from podium.api.presentation import Cell, Table, Tone, Toned
from podium.api.values.message_words import and_more, count
from podium.scheduler.preemption.choice import VIOLATIONS
from podium.scheduler.preemption.record import NAME_KEY, loss_text
from podium.simulation.timeline.preemption import PreemptionOutcome

_LOSING = "×"


def candidate_table(
    preemption: PreemptionOutcome, rows_max: int | None = None, title: str = ""
) -> Table:
    """Make a table of the candidates, with a column for each key of the choice, in order.

    The value by which a candidate lost is marked; later keys weren't compared. In the sum of
    priorities 2**31 is added for each victim, as in kube-scheduler.
    """
    others = preemption.alternatives
    left_out = preemption.alternatives_left_out
    if rows_max is not None:
        others = others[: rows_max - 1]
        left_out = preemption.candidate_count - 1 - len(others)
    names = [name for name, _ in preemption.keys]
    keys = (heading.capitalize().replace("Pdb", "PDB") for _, heading in preemption.keys)
    headers = ["Node", "Victims", *keys, "Result"]
    rows: list[tuple[Cell, ...]] = []
    for one in (preemption.chosen, *others):
        victims = ", ".join(
            f"{victim.pod} (leaving)" if victim.leaving else victim.pod for victim in one.victims
        )
        values: list[Cell] = list(one.values)
        if one.lost_at in names:
            lost = names.index(one.lost_at)
            later = [Toned(str(value), Tone.FAINT) for value in values[lost + 1 :]]
            values[lost:] = [Toned(f"{values[lost]} {_LOSING}", Tone.BAD), *later]
        node = Toned(one.node, Tone.GOOD if one.lost_at is None else Tone.NONE)
        result = "chosen" if one.lost_at is None else loss_text(one.lost_at)
        rows.append((node, victims, *values, result))
    rows += [(more, *[""] * (len(headers) - 1)) for more in and_more(left_out)]
    return Table(headers, rows, title=title)


def choice_sentence(preemption: PreemptionOutcome) -> str:
    """Describe why the node of a preemption was chosen."""
    beginning = f"{preemption.preemptor} chooses {preemption.node}"
    if preemption.devices:
        beginning = f"For {count(preemption.devices, 'device')} {beginning}"
    total = preemption.candidate_count
    if total == 1:
        return f"{beginning}, the only candidate."
    return f"{beginning} of {total} candidates: {_reason(preemption)}."


def _reason(preemption: PreemptionOutcome) -> str:
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
