"""The constraints on places and victims: resources, spread, budgets, rates, affinity, ports."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from podium.api.pods import priority_class_of
from podium.scheduler.config.scheduler_options import EVERY, PreemptionScope
from podium.scheduler.snapshot.affinity_terms import (
    AffinityTerm,
    PeerGroup,
    with_known_namespaces,
)
from podium.scheduler.snapshot.host_ports import HostPort
from podium.scheduler.snapshot.node_columns import ABSENT
from podium.scheduler.snapshot.pod_classes import PodClass
from podium.whatif.optimum.linear_program import Term, total
from podium.whatif.optimum.model import Model
from podium.whatif.optimum.problem import Demand, Spread, held, respects_all_budgets


def constrain(model: Model) -> None:
    """Add the constraints on places and victims to the program of a model."""
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
            # More is taken than there is, which matters only to pods that request the resource.
            most = sum(amount * program.limit(one) for one, amount in coming)
            pods = sum(program.limit(one) for one, _ in coming)
            flag = model.any_of([(one, 1) for one, _ in coming], pods)
            program.at_most([*coming, *going, (flag, most - free[row])], most)


def _have_reasons(model: Model) -> None:
    """Allow victims only for a preemptor that comes to their node, or that they block."""
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
    terms = peer_group.terms.required_anti_affinity
    return with_known_namespaces(terms, model.scheduler.listers)


def _spread(model: Model, number: int, spread: Spread) -> None:
    """Limit the pods of the domains where a demand has pods by the emptiest domain and the skew."""
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


def keep_apart(model: Model) -> None:
    """Keep pods with required anti-affinity, or with equal host ports, in different domains."""
    listers = model.scheduler.listers
    for peer_group, holders in _peer_groups(model):
        for term in with_known_namespaces(peer_group.terms.required_anti_affinity, listers):
            others, occupants = model.matching_terms(term)
            for _, rows in model.domains(term.topology_key):
                _stay_apart(model, holders, others, occupants, rows)
    by_group: dict[PeerGroup, list[int]] = defaultdict(list)
    for number, one in enumerate(model.occupants):
        by_group[one.cls.peer_group].append(number)
    for peer_group, numbers in by_group.items():
        for term in with_known_namespaces(peer_group.terms.required_anti_affinity, listers):
            unwanted, _ = model.matching_terms(term)
            for _, rows in model.domains(term.topology_key) if unwanted else ():
                _stay_away(model, unwanted, model.among(numbers, rows), rows)
    for number, demand in enumerate(model.demands):
        wanted = demand.cls.host_ports
        if wanted:
            others = [n for n, one in enumerate(model.demands) if _conflict(one.cls, wanted)]
            occupants = [n for n, one in enumerate(model.occupants) if _conflict(one.cls, wanted)]
            for row in demand.rows:
                _stay_apart(model, [number], others, occupants, [row])


def _conflict(cls: PodClass, wanted: frozenset[HostPort]) -> bool:
    return any(port.conflicts(wish) for port in cls.host_ports for wish in wanted)


def _stay_apart(
    model: Model,
    holders: Sequence[int],
    others: Sequence[int],
    occupants: Sequence[int],
    rows: Sequence[int],
) -> None:
    program, places = model.program, model.on_rows(holders, rows)
    if not places:
        return
    there = model.among(occupants, rows)
    if any(one not in model.gone for one in there):
        for variable, _ in places:
            program.forbid(variable)
        return
    is_alone = not set(holders).isdisjoint(others)
    if is_alone:
        program.at_most(places, 1)
    rest = [one for one in others if one not in holders and model.on_rows([one], rows)]
    if not there and not rest:
        return
    flag = model.any_of(places, 1 if is_alone else model.most_on(holders, rows))
    for one in there:
        program.at_most([(flag, len(model.occupants[one].pods)), (model.gone[one], -1)], 0)
    for other in rest:
        most = model.most_on([other], rows)
        program.at_most([*model.on_rows([other], rows), (flag, most)], most)


def _stay_away(
    model: Model, unwanted: Sequence[int], holders: Sequence[int], rows: Sequence[int]
) -> None:
    program = model.program
    places = model.on_rows(unwanted, rows)
    if not holders or not places:
        return
    if any(one not in model.gone for one in holders):
        for variable, _ in places:
            program.forbid(variable)
        return
    flag = model.any_of(places, model.most_on(unwanted, rows))
    for one in holders:
        program.at_most([(flag, len(model.occupants[one].pods)), (model.gone[one], -1)], 0)


def keep_near(model: Model) -> None:
    """Keep pods with required affinity in the domains of matching pods, or first of their kind."""
    for peer_group, holders in _peer_groups(model):
        terms = peer_group.terms.required_affinity
        if not terms:
            continue
        resolved = with_known_namespaces(terms, model.scheduler.listers)
        met, occupants = model.matching_terms(*resolved)
        keys = [*dict.fromkeys(term.topology_key for term in terms)]
        for one in holders:
            for row, variable in model.placed[one].items():
                if any(row not in model.domain_of(key) for key in keys):
                    model.program.forbid(variable)
        firsts = _firsts(model, holders, occupants) if set(holders) & {*met} else {}
        others = [one for one in met if one not in holders]
        for key in keys:
            for _, rows in model.domains(key):
                _have_company(model, holders, others, model.among(occupants, rows), rows, firsts)


def _firsts(model: Model, holders: Sequence[int], occupants: Sequence[int]) -> dict[int, int]:
    """Return by row the variable of whether the first pod that matches its own terms goes there."""
    program = model.program
    if any(one not in model.gone for one in occupants):
        return {}
    firsts: dict[int, int] = {}
    for row in sorted({row for one in holders for row in model.placed[one]}):
        firsts[row] = _first(model, model.on_rows(holders, [row]), occupants, [*firsts.values()])
    program.at_most([(first, 1) for first in firsts.values()], 1)
    for one in occupants:
        size = len(model.occupants[one].pods)
        is_first = [(first, size) for first in firsts.values()]
        program.at_most([*is_first, (model.gone[one], -1)], 0)
    return firsts


def _first(
    model: Model, places: Sequence[Term], occupants: Sequence[int], firsts: Sequence[int]
) -> int:
    now, left = model.left(occupants)

    def derived(values: Sequence[int]) -> int:
        is_free = now + total(left, values) == 0 and not any(values[one] for one in firsts)
        return int(is_free and total(places, values) > 0)

    first = model.program.variable(derived=derived)
    model.program.at_most([(first, 1), *((one, -1) for one, _ in places)], 0)
    return first


def _have_company(
    model: Model,
    holders: Sequence[int],
    others: Sequence[int],
    occupants: Sequence[int],
    rows: Sequence[int],
    firsts: dict[int, int],
) -> None:
    program, places = model.program, model.on_rows(holders, rows)
    if not places or any(one not in model.gone for one in occupants):
        return
    now, left = model.left(occupants)
    company: list[Term] = [(one, -factor) for one, factor in left]
    company += [(one, -1) for one, _ in model.on_rows(others, rows)]
    company += [(firsts[row], -1) for row in rows if row in firsts]
    flag = model.any_of(places, model.most_on(holders, rows))
    program.at_most([(flag, 1), *company], now)


def _peer_groups(model: Model) -> Iterator[tuple[PeerGroup, list[int]]]:
    by_group: dict[int, list[int]] = defaultdict(list)
    for number, demand in enumerate(model.demands):
        by_group[demand.cls.peer_group.id].append(number)
    for numbers in by_group.values():
        yield model.demands[numbers[0]].cls.peer_group, numbers
