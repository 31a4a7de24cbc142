"""The objectives in order: pods without a place, then the keys that compare candidate nodes."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

import msgspec

from podium.scheduler.config.scheduler_options import CandidateKey
from podium.scheduler.preemption.dry_run import PRIORITY_OFFSET
from podium.whatif.optimum.linear_program import LinearProgram, Term, total
from podium.whatif.optimum.model import Model

UNPLACED = "pods without a place"
NOT_MINIMISED = frozenset(
    {CandidateKey.LATEST_START, CandidateKey.STRANDED_VICTIMS, CandidateKey.CASCADE_SIZE}
)
"""Keys that aren't sums over victims."""


class Objective(msgspec.Struct, frozen=True):
    """A sum of costs of variables to minimise, for the pending pods of a priority."""

    name: str
    level: int
    costs: Mapping[int, int]


def objectives(model: Model) -> Iterator[Objective]:
    """Yield all objectives in order.

    Pending pods of a higher priority come first. The costs of their places are minimised before
    pods of the next lower priority are placed, except for victims that those may preempt, too.
    """
    levels = sorted({demand.priority for demand in model.demands}, reverse=True)
    for level, following in zip(levels, [*levels[1:], None], strict=True):
        costs = {
            variable: -1
            for demand, places in zip(model.demands, model.placed, strict=True)
            if demand.priority == level
            for variable in places.values()
        }
        yield Objective(UNPLACED, level, costs)
        gone = [
            number
            for number in model.gone
            if following is None or model.occupants[number].priority >= following
        ]
        for key in model.scheduler.handle.options.candidate_order if gone else ():
            for terms in _costs(model, key, gone, following):
                yield Objective(key, level, dict(terms))


def _costs(
    model: Model, key: CandidateKey, gone: Sequence[int], lowest: int | None
) -> Iterator[list[Term]]:
    variables = [(model.gone[number], model.occupants[number]) for number in gone]
    match key:
        case CandidateKey.PDB_VIOLATIONS:
            # The victims beyond what each budget allows.
            found = []
            for number, budget in enumerate(model.scheduler.budgets.budgets):
                covered, allowed = model.gone_of(number, lowest), max(budget.allowed, 0)
                if model.program.most(covered) > allowed:
                    excess = _excess(model.program, covered, allowed)
                    found.append((excess, 1))
            yield found
        case CandidateKey.HIGHEST_PRIORITY:
            yield _ranks(model, gone)
        case CandidateKey.PRIORITY_SUM:
            pods = sum(len(one.pods) for _, one in variables)
            least = min(one.priority for _, one in variables)
            most = max(one.priority for _, one in variables)
            if (most - least) * pods < PRIORITY_OFFSET:
                # Then one more victim is always worse, and small numbers compare equally.
                yield [(variable, 1) for variable, _ in variables]
                yield [(variable, one.priority - least) for variable, one in variables]
            else:
                yield [(variable, one.priority + PRIORITY_OFFSET) for variable, one in variables]
        case CandidateKey.VICTIM_COUNT:
            yield [(variable, 1) for variable, _ in variables]
        case _ if key not in NOT_MINIMISED:
            yield [(variable, dict(one.costs)[key]) for variable, one in variables]


def _excess(program: LinearProgram, terms: Sequence[Term], allowed: int) -> int:
    excess = program.variable(
        program.most(terms) - allowed, lambda values: max(total(terms, values) - allowed, 0)
    )
    program.at_most([*terms, (excess, -1)], allowed)
    return excess


def _ranks(model: Model, gone: Sequence[int]) -> list[Term]:
    found: list[Term] = []
    for priority in sorted({model.occupants[one].priority for one in gone}, reverse=True):
        those = [model.gone[one] for one in gone if model.occupants[one].priority == priority]
        variables = [*those, *(one for one, _ in found[-1:])]
        reached = model.program.variable(derived=partial(_any, variables))
        for one in variables:
            model.program.at_most([(one, 1), (reached, -model.program.limit(one))], 0)
        found.append((reached, 1))
    return found


def _any(variables: Sequence[int], values: Sequence[int]) -> int:
    return int(any(values[one] for one in variables))
