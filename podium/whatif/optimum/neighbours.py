"""Required affinity and anti-affinity between pods, and ports of nodes that only one can have."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from podium.scheduler.snapshot.affinity_terms import (
    PeerGroup,
    affinity_terms,
    with_known_namespaces,
)
from podium.scheduler.snapshot.host_ports import HostPort
from podium.scheduler.snapshot.pod_classes import PodClass
from podium.whatif.optimum.linear_program import Term, total
from podium.whatif.optimum.model import Model


def keep_apart(model: Model) -> None:
    """Pods that don't want to be in one domain, or want the same port, aren't."""
    listers = model.scheduler.listers
    for peer_group, holders in _peer_groups(model):
        for term in with_known_namespaces(
            affinity_terms(peer_group).required_anti_affinity, listers
        ):
            others, occupants = model.meant_by(term)
            for _, rows in model.domains(term.topology_key):
                _stay_apart(model, holders, others, occupants, rows)
    by_group: dict[PeerGroup, list[int]] = defaultdict(list)
    for number, one in enumerate(model.occupants):
        by_group[one.cls.peer_group].append(number)
    for peer_group, numbers in by_group.items():
        for term in with_known_namespaces(
            affinity_terms(peer_group).required_anti_affinity, listers
        ):
            unwanted, _ = model.meant_by(term)
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
    """Pods that want to be near others are, or are the first of their like."""
    for peer_group, holders in _peer_groups(model):
        terms = affinity_terms(peer_group).required_affinity
        if not terms:
            continue
        resolved = with_known_namespaces(terms, model.scheduler.listers)
        met, occupants = model.meant_by(*resolved)
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
    """By row, the variable of whether the first pod of its like comes there."""
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
