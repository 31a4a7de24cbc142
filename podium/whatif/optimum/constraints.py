"""The constraints of the optimum: resources, spread, budgets, rates, affinity, host ports."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from podium.api.pods import priority_class_of
from podium.scheduler.config.scheduler_options import EVERY, BudgetPolicy, PreemptionScope
from podium.scheduler.snapshot.affinity_terms import AffinityTerm, PeerGroup, with_known_namespaces
from podium.scheduler.snapshot.host_ports import HostPort
from podium.scheduler.snapshot.node_columns import ABSENT
from podium.scheduler.snapshot.pod_classes import PodClass
from podium.whatif.optimum.linear_program import Term, total
from podium.whatif.optimum.model import Model
from podium.whatif.optimum.problem import Demand, Occupants, Spread, held


def constrain(model: Model) -> None:
    """Add all constraints on placements and victims to the program of a model."""
    program, options = model.program, model.scheduler.handle.options
    _keep_apart(model)
    _keep_near(model)
    for number, demand in enumerate(model.demands):
        program.at_most(model.on_rows([number], demand.rows), len(demand.pods))
        for spread in demand.spreads:
            _spread(model, number, spread)
    _fit(model)
    _require_preemptors(model)
    for number, budget in enumerate(model.scheduler.budgets.budgets):
        is_asked = options.budget_annotations and budget.is_respected
        if is_asked or options.disruption_budgets is BudgetPolicy.RESPECT:
            covered = [
                (variable, 1)
                for occupants, variable in model.gone.items()
                if number in model.occupants[occupants].budgets
            ]
            program.at_most(covered, max(budget.allowed, 0))
    for rate in options.protection.rates:
        groups: dict[tuple[str, str], list[Term]] = defaultdict(list)
        for number, variable in model.gone.items():
            pod = model.occupants[number].pods[0]
            group = pod.cls.namespace, priority_class_of(pod.obj)
            if rate.namespace in (EVERY, group[0]) and rate.priority_class in (EVERY, group[1]):
                groups[group].append((variable, 1))
        for terms in groups.values():
            program.at_most(terms, rate.victims)


def _fit(model: Model) -> None:
    program = model.program
    for name, free in model.problem.free.items():
        for row in range(model.scheduler.snapshot.node_count):
            coming = [
                (places[row], demand.amounts[name])
                for demand, places in zip(model.demands, model.placed, strict=True)
                if demand.amounts.get(name) and row in places
            ]
            if not coming:
                continue
            going = [
                (model.gone[number], -held(model.occupants[number].pods[0], name))
                for number in model.on_row[row]
                if number in model.gone
            ]
            if free[row] >= 0:
                program.at_most([*coming, *going], free[row])
                continue
            # An overcommitted node only refuses pods that request some of the amount.
            most = program.most(coming)
            pods = [(variable, 1) for variable, _ in coming]
            flag = model.any_of(pods, program.most(pods))
            program.at_most([*coming, *going, (flag, most - free[row])], most)


def _require_preemptors(model: Model) -> None:
    """Allow victims only if a pod is placed on their node, or in a domain that they block."""
    is_cross_node = model.scheduler.handle.options.preemption_scope is PreemptionScope.CROSS_NODE
    for number, variable in model.gone.items():
        occupants = model.occupants[number]
        preemptors: list[Term] = []
        for other, demand in enumerate(model.demands):
            if not (demand.cls.preempts and demand.cls.priority in occupants.taken_by):
                continue
            rows, peer_group = {occupants.row}, occupants.cls.peer_group
            for key in _blocking_keys(model, demand, peer_group) if is_cross_node else ():
                domain_of = model.domain_of(key)
                if occupants.row in domain_of:
                    domain = domain_of[occupants.row]
                    rows |= {row for row in domain_of if domain_of[row] == domain}
            preemptors += [(one, -len(occupants.pods)) for one, _ in model.on_rows([other], rows)]
        model.program.at_most([(variable, 1), *preemptors], 0)


def _blocking_keys(model: Model, demand: Demand, peer_group: PeerGroup) -> Iterator[str]:
    own = demand.cls.peer_group
    yield from (t.topology_key for t in _apart_terms(model, own) if t.matches(peer_group, {}))
    yield from (t.topology_key for t in _apart_terms(model, peer_group) if t.matches(own, {}))
    constraints = (spread.constraint for spread in demand.spreads)
    yield from (one.topology_key for one in constraints if one.meets(own, peer_group))


def _apart_terms(model: Model, peer_group: PeerGroup) -> Sequence[AffinityTerm]:
    terms = peer_group.terms.required_anti_affinity
    return with_known_namespaces(terms, model.scheduler.listers)


def _spread(model: Model, number: int, spread: Spread) -> None:
    """Limit pods in each domain where the demand is placed to the emptiest domain plus maxSkew."""
    constraint, domains, program = spread.constraint, spread.domains, model.program
    own = model.demands[number].cls.peer_group
    counting, occupants = model.matching(lambda peer_group: constraint.counts(own, peer_group) == 1)
    rows_of: dict[int, list[int]] = defaultdict(list)
    for row in range(model.scheduler.snapshot.node_count):
        if domains.column.codes[row] != ABSENT:
            rows_of[int(domains.column.codes[row])].append(row)
    counted = {}
    for domain, rows in rows_of.items():
        now, victims = model.left(model.among(occupants, rows))
        counted[domain] = now, [*model.on_rows(counting, rows), *victims]
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


def _keep_apart(model: Model) -> None:
    """Add constraints for required pod anti-affinity of demands and occupants, and host ports."""
    for peer_group, holders in _by_peer_group(model.demands).items():
        for term in _apart_terms(model, peer_group):
            others, occupants = model.matched_by(term)
            for rows in model.domains(term.topology_key):
                _exclude(model, holders, others, occupants, rows)
    for peer_group, numbers in _by_peer_group(model.occupants).items():
        for term in _apart_terms(model, peer_group):
            unwanted, _ = model.matched_by(term)
            for rows in model.domains(term.topology_key) if unwanted else ():
                _exclude(model, unwanted, (), numbers, rows)
    for number, demand in enumerate(model.demands):
        if wanted := demand.cls.host_ports:

            def conflicts(cls: PodClass, wanted: frozenset[HostPort] = wanted) -> bool:
                return any(port.conflicts(wish) for port in cls.host_ports for wish in wanted)

            others = [n for n, other in enumerate(model.demands) if conflicts(other.cls)]
            occupants = [n for n, pods in enumerate(model.occupants) if conflicts(pods.cls)]
            for row in demand.rows:
                _exclude(model, [number], others, occupants, [row])


def _exclude(
    model: Model,
    holders: Sequence[int],
    others: Sequence[int],
    occupants: Sequence[int],
    rows: Sequence[int],
) -> None:
    """Keep the demands `others` and the occupants off `rows` if a holder is placed there.

    If `others` contains a holder, its pods exclude each other, too.
    """
    program, places = model.program, model.on_rows(holders, rows)
    if not places:
        return
    there = model.among(occupants, rows)
    if not model.are_takeable(there):
        program.forbid(places)
        return
    is_alone = not set(holders).isdisjoint(others)
    if is_alone:
        program.at_most(places, 1)
    rest = [one for one in others if one not in holders and model.on_rows([one], rows)]
    if not there and not rest:
        return
    flag = model.any_of(places, 1 if is_alone else model.most_on(holders, rows))
    for number in there:
        size = len(model.occupants[number].pods)
        program.at_most([(flag, size), (model.gone[number], -1)], 0)
    for other in rest:
        most = model.most_on([other], rows)
        program.at_most([*model.on_rows([other], rows), (flag, most)], most)


def _keep_near(model: Model) -> None:
    """Add constraints for required pod affinity: to other pods, or as first pod of a group."""
    program = model.program
    for peer_group, holders in _by_peer_group(model.demands).items():
        terms = peer_group.terms.required_affinity
        if not terms:
            continue
        met, occupants = model.matched_by(*with_known_namespaces(terms, model.scheduler.listers))
        keys = [*dict.fromkeys(term.topology_key for term in terms)]
        for number in holders:
            for row, variable in model.placed[number].items():
                if any(row not in model.domain_of(key) for key in keys):
                    program.forbid([(variable, 1)])
        # Pods on nodes without any of the topology keys aren't counted.
        labelled = {row for key in keys for row in model.domain_of(key)}
        counted = model.among(occupants, labelled)
        firsts = _firsts(model, holders, counted) if set(holders) & {*met} else {}
        others = [number for number in met if number not in holders]
        for rows in (rows for key in keys for rows in model.domains(key)):
            places, there = model.on_rows(holders, rows), model.among(occupants, rows)
            if places and model.are_takeable(there):
                now, left = model.left(there)
                company = [*left, *model.on_rows(others, rows)]
                company += [(firsts[row], 1) for row in rows if row in firsts]
                flag = model.any_of(places, model.most_on(holders, rows))
                without = [(variable, -factor) for variable, factor in company]
                program.at_most([(flag, 1), *without], now)


def _firsts(model: Model, holders: Sequence[int], occupants: Sequence[int]) -> dict[int, int]:
    """Add a variable for each row, which is 1 if the first pod of a group is placed there.

    As in InterPodAffinity, a pod that matches its own affinity terms may be placed alone if no pod
    in the cluster matches them. So at most one row gets such a pod, and only if all matching
    occupants are victims.
    """
    program = model.program
    if not model.are_takeable(occupants):
        return {}
    now, left = model.left(occupants)
    firsts: dict[int, int] = {}
    for row in sorted({row for number in holders for row in model.placed[number]}):
        places = model.on_rows(holders, [row])
        before = [(first, 1) for first in firsts.values()]

        # In the first solution, the lowest row with such a pod.
        def is_first(
            values: Sequence[int], places: Sequence[Term] = places, before: Sequence[Term] = before
        ) -> int:
            is_free = now + total(left, values) == 0 and total(before, values) == 0
            return int(is_free and total(places, values) > 0)

        firsts[row] = program.variable(derived=is_first)
        program.at_most([(firsts[row], 1), *((variable, -1) for variable, _ in places)], 0)
    program.at_most([(first, 1) for first in firsts.values()], 1)
    for number in occupants:
        size = len(model.occupants[number].pods)
        sized = [(first, size) for first in firsts.values()]
        program.at_most([*sized, (model.gone[number], -1)], 0)
    return firsts


def _by_peer_group(pods: Sequence[Demand | Occupants]) -> dict[PeerGroup, list[int]]:
    numbers: dict[PeerGroup, list[int]] = defaultdict(list)
    for number, pod in enumerate(pods):
        numbers[pod.cls.peer_group].append(number)
    return numbers
