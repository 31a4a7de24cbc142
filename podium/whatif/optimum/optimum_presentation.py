"""The presentation of the least disruption."""

from collections.abc import Iterator

from podium.api.presentation import Bullets, Paragraph, Section, Table
from podium.api.values.message_words import count
from podium.scheduler.preemption.choice import PRIORITY_SUM, TOP_PRIORITY, VICTIMS, VIOLATIONS
from podium.scheduler.preemption.dry_run import PRIORITY_OFFSET
from podium.whatif.optimum.optimum_report import Optimum, OptimumTally

_STEPS = {
    "Nominate": "nominate {} to {}",
    "Delete": "delete {} on {}",
    "Bind": "bind {} to {}",
    "Move": "{}'s replacement goes to {}",
}


def optimum_sections(optimum: Optimum) -> Iterator[Section]:
    """Yield the sections of a plan about the least disruption, the comparison first."""
    both = [optimum.tally, *([optimum.ordinary] if optimum.ordinary is not None else [])]
    tops = ["none" if one.highest_priority is None else one.highest_priority for one in both]
    proof = "Proven" if optimum.proven else "Not proven: the time was up before that"
    trust = f"{proof}; the scheduler's own filters let all of it happen."
    if not optimum.verified:
        trust = f"{proof}; the scheduler's own filters don't let all of it happen, see the notes."
    rows = [
        ["pods placed", *(str(one.placed) for one in both)],
        [VIOLATIONS.name, *(str(one.pdb_violations) for one in both)],
        [TOP_PRIORITY.name, *(str(top) for top in tops)],
        [PRIORITY_SUM.name, *(str(one.priority_sum) for one in both)],
        [VICTIMS.name, *(str(one.victims) for one in both)],
    ]
    yield Section(
        "Optimum",
        [
            Paragraph(_answer(optimum)),
            Paragraph(trust),
            Table(["Key", "Optimum", "Scheduler's own way"][: 1 + len(both)], rows),
        ],
    )
    gaps = [[one.key, str(one.priority), str(one.value), str(one.bound)] for one in optimum.gaps]
    headers = ["Not proven", "For pods of priority", "Found", "At least"]
    yield Section("Bounds of the optimum", [Table(headers, gaps)])
    victims = [
        [
            one.pod,
            one.node,
            str(one.priority),
            one.by,
            "yes" if one.pdb_violation else "no",
            one.moves_to or "-",
        ]
        for one in optimum.victims
    ]
    headers = ["Victim", "Node", "Priority", "For", "Breaks a budget", "Moves to"]
    yield Section("Victims of the optimum", [Table(headers, victims)])
    steps = [
        f"{number}. {_STEPS[one.action].format(one.pod, one.node)}"
        for number, one in enumerate(optimum.steps, 1)
    ]
    yield Section("Steps that get there", [Bullets(steps)])
    left = [[one.pod, one.reason] for one in optimum.unexpressed]
    yield Section("Left as they are", [Table(["Pod", "What the model can't express"], left)])
    yield Section("Notes on the optimum", [Bullets(optimum.notes)])


def _answer(optimum: Optimum) -> str:
    best, ordinary = optimum.tally, optimum.ordinary
    places = (
        f"{best.placed} of {optimum.pods} pods get a place, for {count(best.victims, 'victim')}"
    )
    if ordinary is None:
        return f"{places}."
    victims = count(ordinary.victims, "victim")
    if ordinary.placed < best.placed:
        return f"{places}; the scheduler's own way places {ordinary.placed}, for {victims}."
    if _rank(ordinary) > _rank(best):
        if ordinary.victims > best.victims:
            return f"{victims}, {best.victims} would do."
        return f"{victims}, as few as can be, but others would be better."
    if _rank(ordinary) < _rank(best):
        return (
            f"The scheduler's own way does better, for {victims}: "
            "time helps it, or rules that don't hold in the end any more."
        )
    return f"{victims}: nothing would be better."


def _rank(tally: OptimumTally) -> tuple[int, int, int, int, int]:
    top = tally.highest_priority
    return (
        -tally.placed,
        tally.pdb_violations,
        -PRIORITY_OFFSET if top is None else top,
        tally.priority_sum + tally.victims * PRIORITY_OFFSET,
        tally.victims,
    )
