"""What limits places and victims: amounts, reasons, spread, budgets and rates."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from podium.api.pods import priority_class_of
from podium.scheduler.config.scheduler_options import EVERY, PreemptionScope
from podium.scheduler.snapshot.affinity_terms import (
    AffinityTerm,
    PeerGroup,
    affinity_terms,
    with_known_namespaces,
)
from podium.scheduler.snapshot.node_columns import ABSENT
from podium.whatif.optimum.linear_program import Term, total
from podium.whatif.optimum.model import Model
from podium.whatif.optimum.neighbours import keep_apart, keep_near
from podium.whatif.optimum.problem import Demand, Spread, held, respects_all_budgets


def constrain(model: Model) -> None:
    """Put all that limits places and victims to the program of a model."""
    keep_apart(model)
    keep_near(model)
    for number, demand in enumerate(model.demands):
        everywhere = model.on_rows([number], demand.rows)
        model.program.at_most(everywhere, len(demand.pods))
        for spread in demand.spreads:
            _spread(model, number, spread)
    _fit(model)
    _have_reasons(model)
    for number, budget in enumerate(model.scheduler.budgets.budgets):
        if respects_all_budgets(model.scheduler, number):
            model.program.at_most(model.gone_of(number), max(budget.allowed, 0))
    for rate in model.scheduler.handle.options.protection.rates:
        groups: dict[tuple[str, str], list[Term]] = defaultdict(list)
        for number, variable in model.gone.items():
            one = model.occupants[number]
            group = one.cls.namespace, priority_class_of(one.pods[0].obj)
            if rate.namespace in (EVERY, group[0]) and rate.priority_class in (EVERY, group[1]):
                groups[group].append((variable, 1))
        for terms in groups.values():
            model.program.at_most(terms, rate.victims)


def _fit(model: Model) -> None:
    program = model.program
    for name, free in model.problem.free.items():
        for row in range(model.scheduler.snapshot.node_count):
            coming = [
                (model.placed[number][row], demand.amounts[name])
                for number, demand in enumerate(model.demands)
                if demand.amounts.get(name) and row in model.placed[number]
            ]
            if not coming:
                continue
            going = [
                (model.gone[number], -held(model.occupants[number].pods[0], name))
                for number in model.on(row)
                if number in model.gone
            ]
            if free[row] >= 0:
                program.at_most([*coming, *going], free[row])
                continue
            # More is taken than there is, which matters to those alone who want some of it.
            most = sum(amount * program.limit(one) for one, amount in coming)
            pods = sum(program.limit(one) for one, _ in coming)
            flag = model.any_of([(one, 1) for one, _ in coming], pods)
            program.at_most([*coming, *going, (flag, most - free[row])], most)


def _have_reasons(model: Model) -> None:
    """Nobody goes but for a more important pod: one that comes to its node, or that it blocks."""
    for number, variable in model.gone.items():
        one = model.occupants[number]
        reasons: list[Term] = []
        for other, demand in enumerate(model.demands):
            if demand.cls.preempts and demand.priority in one.taken_by:
                # The rows whose taker may take these occupants.
                rows = {one.row}
                if model.scheduler.handle.options.preemption_scope is PreemptionScope.CROSS_NODE:
                    for key in dict.fromkeys(_blocking_keys(model, demand, one.cls.peer_group)):
                        domain_of = model.domain_of(key)
                        if one.row in domain_of:
                            rows |= {
                                row for row in domain_of if domain_of[row] == domain_of[one.row]
                            }
                reasons += [(v, -len(one.pods)) for v, _ in model.on_rows([other], rows)]
        model.program.at_most([(variable, 1), *reasons], 0)


def _blocking_keys(model: Model, demand: Demand, peer_group: PeerGroup) -> Iterator[str]:
    own = demand.cls.peer_group
    yield from (t.topology_key for t in _apart_terms(model, own) if t.matches(peer_group, {}))
    yield from (t.topology_key for t in _apart_terms(model, peer_group) if t.matches(own, {}))
    yield from (
        one.constraint.topology_key
        for one in demand.spreads
        if one.constraint.meets(own, peer_group)
    )


def _apart_terms(model: Model, peer_group: PeerGroup) -> Sequence[AffinityTerm]:
    terms = affinity_terms(peer_group).required_anti_affinity
    return with_known_namespaces(terms, model.scheduler.listers)


def _spread(model: Model, number: int, spread: Spread) -> None:
    """Where pods of a demand are, no more pods count than in the emptiest domain and the skew."""
    constraint, domains, program = spread.constraint, spread.domains, model.program
    own = model.demands[number].cls.peer_group
    counting, occupants = model.matching(lambda peer_group: constraint.counts(own, peer_group) == 1)
    rows_of: dict[int, list[int]] = defaultdict(list)
    for row in range(model.scheduler.snapshot.node_count):
        if domains.column.codes[row] != ABSENT:
            rows_of[int(domains.column.codes[row])].append(row)
    counted = {}
    for domain, rows in rows_of.items():
        there = model.left(one for one in occupants if model.occupants[one].row in set(rows))
        counted[domain] = there[0], [*model.on_rows(counting, rows), *there[1]]
    least: list[Term] = []
    if domains.size >= constraint.min_domains and counted:
        most = max(now + program.most(terms) for now, terms in counted.values())
        emptiest = program.variable(
            most, lambda values: min(now + total(terms, values) for now, terms in counted.values())
        )
        least = [(emptiest, -1)]
        for now, terms in counted.values():
            program.at_most([(emptiest, 1), *((one, -factor) for one, factor in terms)], now)
    for domain, (now, terms) in counted.items():
        places = model.on_rows(
            [number], [row for row in model.placed[number] if domains.codes[row] == domain]
        )
        if places:
            flag = model.any_of(places, len(model.demands[number].pods))
            slack = max(now + program.most(terms) - constraint.max_skew, 0)
            most = constraint.max_skew + slack - now
            program.at_most([*terms, *least, (flag, slack)], most)
