"""The objectives of the optimum: first unplaced pods, then the keys of the candidate order."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import zip_longest

import msgspec

from podium.scheduler.config.scheduler_options import CandidateKey
from podium.scheduler.preemption.dry_run import PRIORITY_OFFSET
from podium.whatif.optimum.linear_program import Term, total
from podium.whatif.optimum.model import Model

UNPLACED = "pods without a place"
NOT_MINIMISED = frozenset(
    {
        CandidateKey.LATEST_START,
        CandidateKey.STRANDED_VICTIMS,
        CandidateKey.CASCADE_SIZE,
        CandidateKey.FREED_DEVICES,
    }
)
"""Keys that aren't sums over victims."""


class Objective(msgspec.Struct, frozen=True):
    """A key to minimise for pending pods of one priority."""

    name: str
    level: int
    costs: Mapping[int, int]
    """The factors of the sum to minimise, by variable."""


def objectives(model: Model) -> Iterator[Objective]:
    """Yield all objectives, in the order in which they are minimised.

    For each priority of pending pods, from the highest: first the number of unplaced pods, then
    the disruption. Victims below the next lower priority of pending pods don't count yet, as the
    pods of that priority may preempt them, too.
    """
    levels = sorted({demand.cls.priority for demand in model.demands}, reverse=True)
    for level, following in zip_longest(levels, levels[1:]):
        costs = {
            variable: -1
            for demand, places in zip(model.demands, model.placed, strict=True)
            if demand.cls.priority == level
            for variable in places.values()
        }
        yield Objective(UNPLACED, level, costs)
        gone = [
            number
            for number in model.gone
            if following is None or model.occupants[number].cls.priority >= following
        ]
        for key in model.scheduler.handle.options.candidate_keys if gone else ():
            for terms in _costs(model, key, gone):
                yield Objective(key, level, dict(terms))


def _costs(model: Model, key: CandidateKey, gone: Sequence[int]) -> Iterator[list[Term]]:
    program = model.program
    variables = [(model.gone[number], model.occupants[number]) for number in gone]
    costs: list[Term] = []
    match key:
        case CandidateKey.PDB_VIOLATIONS:
            # How many more pods go than each budget allows.
            for number, budget in enumerate(model.scheduler.budgets.budgets):
                covered = [(one, 1) for one, pods in variables if number in pods.budgets]
                allowed = max(budget.allowed, 0)
                if (excess_max := program.most(covered) - allowed) > 0:
                    excess = program.variable(excess_max, partial(_excess, covered, allowed))
                    program.at_most([*covered, (excess, -1)], allowed)
                    costs.append((excess, 1))
            yield costs
        case CandidateKey.HIGHEST_PRIORITY:
            # A variable a priority, the highest first, is 1 if a victim has at least that one.
            for priority in sorted({pods.cls.priority for _, pods in variables}, reverse=True):
                victims = [(one, 1) for one, pods in variables if pods.cls.priority == priority]
                terms = [*victims, *costs[-1:]]
                reached = program.flag(terms)
                for variable, _ in terms:
                    limit = program.limits[variable]
                    program.at_most([(variable, 1), (reached, -limit)], 0)
                costs.append((reached, 1))
            yield costs
        case CandidateKey.PRIORITY_SUM:
            pods_max = sum(len(pods.pods) for _, pods in variables)
            least = min(pods.cls.priority for _, pods in variables)
            most = max(pods.cls.priority for _, pods in variables)
            if (most - least) * pods_max < PRIORITY_OFFSET:
                # Then a victim more is always worse, and small numbers have the same order.
                yield [(variable, 1) for variable, _ in variables]
                yield [(variable, pods.cls.priority - least) for variable, pods in variables]
            else:
                yield [
                    (variable, pods.cls.priority + PRIORITY_OFFSET) for variable, pods in variables
                ]
        case CandidateKey.VICTIM_COUNT:
            yield [(variable, 1) for variable, _ in variables]
        case _ if key not in NOT_MINIMISED:
            yield [(variable, dict(pods.costs)[key]) for variable, pods in variables]


def _excess(terms: Sequence[Term], allowed: int, values: Sequence[int]) -> int:
    return max(total(terms, values) - allowed, 0)
