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
    tops = ["none" if tally.highest_priority is None else tally.highest_priority for tally in both]
    proof = "Proven" if optimum.proven else "Not proven: the time was up before that"
    trust = f"{proof}; the scheduler's own filters let all of it happen."
    if not optimum.verified:
        trust = f"{proof}; the scheduler's own filters don't let all of it happen, see the notes."
    rows = [
        ["pods placed", *(str(tally.placed) for tally in both)],
        [VIOLATIONS.name, *(str(tally.pdb_violations) for tally in both)],
        [TOP_PRIORITY.name, *(str(top) for top in tops)],
        [PRIORITY_SUM.name, *(str(tally.priority_sum) for tally in both)],
        [VICTIMS.name, *(str(tally.victims) for tally in both)],
    ]
    yield Section(
        "Optimum",
        [
            Paragraph(_answer(optimum)),
            Paragraph(trust),
            Table(["Key", "Optimum", "Scheduler's own way"][: 1 + len(both)], rows),
        ],
    )
    gaps = [[gap.key, str(gap.priority), str(gap.value), str(gap.bound)] for gap in optimum.gaps]
    headers = ["Not proven", "For pods of priority", "Found", "At least"]
    yield Section("Bounds of the optimum", [Table(headers, gaps)])
    victims = [
        [
            victim.pod,
            victim.node,
            str(victim.priority),
            victim.by,
            "yes" if victim.pdb_violation else "no",
            victim.moves_to or "-",
        ]
        for victim in optimum.victims
    ]
    headers = ["Victim", "Node", "Priority", "For", "Breaks a budget", "Moves to"]
    yield Section("Victims of the optimum", [Table(headers, victims)])
    steps = [
        f"{number}. {_STEPS[step.action].format(step.pod, step.node)}"
        for number, step in enumerate(optimum.steps, 1)
    ]
    yield Section("Steps that get there", [Bullets(steps)])
    left = [[pod.pod, pod.reason] for pod in optimum.unexpressed]
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
