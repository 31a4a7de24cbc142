"""The pods to place and the possible victims, with equal pods grouped."""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import partial

import msgspec
import numpy as np
from msgspec.structs import replace

from podium.api.pods import deletion_cost, priority_class_of, scheduler_name_of
from podium.scheduler.config.scheduler_options import BudgetPolicy, CandidateKey
from podium.scheduler.framework.evaluation.filtering import Filtering
from podium.scheduler.framework.handle import Clock
from podium.scheduler.framework.interface import FITS, CycleError, Scope
from podium.scheduler.plugins.inter_pod_affinity import InterPodAffinity
from podium.scheduler.plugins.node_ports import NodePorts
from podium.scheduler.plugins.node_resources_fit import Fit
from podium.scheduler.plugins.pod_topology_spread import PodTopologySpread
from podium.scheduler.preemption.policies.candidate_keys import lost_run_time_s
from podium.scheduler.preemption.policies.enabled_policies import policies_of, victim_tables
from podium.scheduler.scheduler import Scheduler
from podium.scheduler.snapshot.affinity_terms import (
    PeerGroup,
    with_known_namespaces,
)
from podium.scheduler.snapshot.listers import Listers
from podium.scheduler.snapshot.pod_classes import PodClass
from podium.scheduler.snapshot.pod_info import PodInfo
from podium.scheduler.snapshot.topology_spread import (
    DO_NOT_SCHEDULE,
    Domains,
    SpreadConstraint,
    Spreading,
    own_constraints,
)
from podium.whatif.optimum.optimum_report import UnexpressedPod


class Spread(msgspec.Struct, frozen=True):
    """A DoNotSchedule constraint of a class of pods with its domains."""

    constraint: SpreadConstraint
    domains: Domains


class Demand(msgspec.Struct, frozen=True):
    """Pending pods that are equal in all that decides on their places.

    Attributes:
        rows: the rows, ascending, of the nodes that only other pods may keep them from.
        amounts: what each pod takes of its node, by the name of the resource.
    """

    cls: PodClass
    scheduler_name: str
    pods: Sequence[PodInfo]
    rows: Sequence[int]
    amounts: Mapping[str, int]
    spreads: Sequence[Spread]

    @property
    def priority(self) -> int:
        """The priority of each pod."""
        return self.cls.priority


class Occupants(msgspec.Struct, frozen=True):
    """Pods of one node that are equal as victims, in the order in which they are preempted.

    Attributes:
        budgets: the numbers of the disruption budgets that count their disruption.
        costs: the costs of each pod by the keys that consider single pods.
        taken_by: the priorities of pending pods that may preempt them.
    """

    row: int
    cls: PodClass
    pods: Sequence[PodInfo]
    budgets: tuple[int, ...]
    costs: tuple[tuple[CandidateKey, int], ...]
    taken_by: frozenset[int]

    @property
    def priority(self) -> int:
        """The priority of each pod."""
        return self.cls.priority


class Problem(msgspec.Struct, frozen=True):
    """The input of the solver.

    Attributes:
        free: by resource and row, the free amount once terminating pods have gone.
        unexpressed: the pods that the model can't express, although they might matter.
    """

    demands: Sequence[Demand]
    occupants: Sequence[Occupants]
    free: Mapping[str, Sequence[int]]
    unexpressed: Sequence[UnexpressedPod]


_MODELLED = frozenset({InterPodAffinity.name, NodePorts.name, PodTopologySpread.name})


_COSTS: Mapping[CandidateKey, Callable[[PodInfo, Clock], int]] = {
    CandidateKey.DELETION_COST: lambda pod, _: deletion_cost(pod.obj),
    CandidateKey.LOST_RUN_TIME: lost_run_time_s,
}


class Likeness:
    """Compares peer groups by the rules that match them; those with own rules equal no other."""

    def __init__(
        self, demands: Sequence[Demand], peer_groups: Iterable[PeerGroup], listers: Listers
    ) -> None:
        own = {demand.cls.peer_group for demand in demands}
        terms = {
            term: None
            for peer_group in sorted({*own, *peer_groups}, key=lambda one: one.id)
            for term in (
                *peer_group.terms.required_anti_affinity,
                *(peer_group.terms.required_affinity if peer_group in own else ()),
            )
        }
        self._rules: list[Callable[[PeerGroup], object]] = [
            partial(term.matches, namespace_labels={})
            for term in with_known_namespaces(terms, listers)
        ]
        self._rules += [
            partial(spread.constraint.meets, demand.cls.peer_group)
            for demand in demands
            for spread in demand.spreads
        ]
        self._known: dict[PeerGroup, Hashable] = {}

    def of(self, peer_group: PeerGroup) -> Hashable:
        """Return a key that is equal for equivalent peer groups."""
        if peer_group not in self._known:
            terms = peer_group.terms
            has_rules = terms.required_affinity or terms.required_anti_affinity
            self._known[peer_group] = (
                peer_group if has_rules else tuple(rule(peer_group) for rule in self._rules)
            )
        return self._known[peer_group]


class ProblemReader:
    """Derives the problem from the snapshot of a scheduler without nominated pods."""

    def __init__(self, scheduler: Scheduler, pending: Sequence[PodInfo]) -> None:
        self._scheduler = scheduler
        self._snapshot = scheduler.snapshot
        self._pending = sorted(pending, key=lambda pod: pod.key)
        self._spreading = Spreading(self._snapshot)
        self._unexpressed: list[UnexpressedPod] = []
        order = scheduler.handle.options.candidate_order
        self._cost_keys = [key for key in order if key in _COSTS]
        self._room: dict[str, np.ndarray] = {}

    def read(self) -> Problem:
        """Group the pending pods and the pods of all nodes, and sum up free resources."""
        groups: dict[tuple[int, str], list[PodInfo]] = defaultdict(list)
        for pod in self._pending:
            groups[pod.cls.id, scheduler_name_of(pod.obj)].append(pod)
        found = []
        for (_, scheduler_name), alike in groups.items():
            demand = self._demand(alike, scheduler_name)
            if isinstance(demand, Demand):
                found.append(demand)
            else:
                self._unexpressed += [UnexpressedPod(pod.key, demand) for pod in alike]
        seeking = [one for one in found if one.cls.peer_group.terms.required_affinity]
        found = [one for one in found if not self._leans_on(one, seeking)]
        peer_groups = {pod.cls.peer_group for pods in self._snapshot.pods_on for pod in pods}
        likeness = Likeness(found, peer_groups, self._scheduler.listers)
        demands = [*_together(found, likeness)]
        priorities = {one.priority for one in demands if one.cls.preempts}
        occupants = [*self._occupants(priorities, likeness)]
        # What is left of each requested resource once terminating pods have gone.
        free = {name: room.copy() for name, room in self._room.items()}
        for row, pods in enumerate(self._snapshot.pods_on):
            for pod in pods:
                if pod.cls.terminating:
                    for name, left in free.items():
                        left[row] += held(pod, name)
        return Problem(
            demands,
            occupants,
            {name: left.tolist() for name, left in free.items()},
            self._unexpressed,
        )

    def _demand(self, pods: Sequence[PodInfo], scheduler_name: str) -> Demand | str:
        pod, rows = pods[0], np.ones(self._snapshot.node_count, bool)
        if pod.cls.has_volumes:
            return "its volumes, for which nodes are chosen as they are bound"
        if priority_class_of(pod.obj) in self._scheduler.handle.options.budget_respecting_classes:
            return "budgets that only preemptors of its class have to respect"
        try:
            filtering = Filtering(self._scheduler.pipelines[scheduler_name], self._snapshot, pod)
        except CycleError as error:
            return f"{error.plugin}: {error}"
        rows &= filtering.pre_filter.is_success
        amounts: dict[str, int] = {}
        for state, codes in zip(filtering.states, filtering.codes, strict=True):
            if state.scope is Scope.NODE:
                rows &= codes == FITS
            elif isinstance(state, Fit):
                own = dict(zip(state.names, state.weights(pod.cls), strict=True))
                amounts |= own
                for name, left in zip(
                    state.names, state.headroom(self._snapshot.rows), strict=True
                ):
                    self._room.setdefault(name, left + own[name])
            elif state.plugin not in _MODELLED:
                return f"what {state.plugin} says of it"
        constraints = own_constraints(pod.cls, DO_NOT_SCHEDULE)
        key, counted = self._spreading.scored(constraints, needs_labels=True)
        spreads = [
            Spread(one, self._spreading.domains(pod.cls, one, key, counted)[1])
            for one in constraints
        ]
        if not spreads and any(s.plugin == PodTopologySpread.name for s in filtering.states):
            return "the configuration's own constraints for topology spread"
        for one in spreads:
            rows &= one.domains.codes >= 0
        listed: list[int] = np.flatnonzero(rows).tolist()
        return Demand(pod.cls, scheduler_name, pods, listed, amounts, spreads)

    def _leans_on(self, demand: Demand, seeking: Sequence[Demand]) -> bool:
        # Whether pods have affinity to other pending pods that have required affinity, too.
        listers, peer_group = self._scheduler.listers, demand.cls.peer_group
        terms = with_known_namespaces(peer_group.terms.required_affinity, listers)
        if not terms:
            return False
        for other in seeking:
            if other.cls.peer_group is not peer_group and all(
                t.matches(other.cls.peer_group, {}) for t in terms
            ):
                reason = f"its affinity to {other.pods[0].key}, which has its own"
                self._unexpressed += [UnexpressedPod(pod.key, reason) for pod in demand.pods]
                return True
        return False

    def _occupants(self, priorities: set[int], likeness: Likeness) -> Iterator[Occupants]:
        handle = self._scheduler.handle
        policies = policies_of(handle)
        policies.update()
        tables = victim_tables(handle, policies.protection)
        is_rated = bool(handle.options.protection.rates)
        for row in range(self._snapshot.node_count):
            pods = [pod for pod in self._snapshot.pods_on[row] if not pod.cls.terminating]
            tables.importance.sort(pods)
            groups: dict[Hashable, list[Occupants]] = defaultdict(list)
            for pod in reversed(pods):
                takers = frozenset(one for one in priorities if tables.may_go(pod, one))
                alone = self._alone(row, pod, takers)
                quota = (pod.cls.namespace, priority_class_of(pod.obj)) if is_rated else ()
                kind = (
                    likeness.of(pod.cls.peer_group),
                    alone.priority,
                    pod.cls.host_ports,
                    tuple(held(pod, name) for name in self._room),
                    quota,
                    (alone.budgets, alone.costs, alone.taken_by),
                )
                groups[kind].append(alone)
            for alike in groups.values():
                yield replace(alike[0], pods=[pod for one in alike for pod in one.pods])

    def _alone(self, row: int, pod: PodInfo, taken_by: frozenset[int]) -> Occupants:
        columns, clock = self._scheduler.budgets, self._scheduler.handle.clock
        budgets = tuple(
            number
            for number in columns.covering(pod.cls)
            if pod.name not in columns.budgets[number].disrupted
        )
        if len(budgets) > 1 and taken_by:
            reason = "the several budgets that cover it: it isn't taken"
            self._unexpressed.append(UnexpressedPod(pod.key, reason))
            taken_by = frozenset()
        keys = self._cost_keys if taken_by else ()
        costs = tuple((key, _COSTS[key](pod, clock)) for key in keys)
        return Occupants(row, pod.cls, [pod], budgets, costs, taken_by)


def _together(demands: Sequence[Demand], likeness: Likeness) -> Iterator[Demand]:
    groups: dict[Hashable, list[Demand]] = defaultdict(list)
    for one in demands:
        own = one.cls if one.spreads else likeness.of(one.cls.peer_group)
        limits = (tuple(one.rows), tuple(sorted(one.amounts.items())), one.cls.host_ports)
        groups[own, one.scheduler_name, one.priority, one.cls.preempts, limits].append(one)
    for alike in groups.values():
        pods = sorted((pod for one in alike for pod in one.pods), key=lambda pod: pod.key)
        yield replace(alike[0], pods=pods)


def held(pod: PodInfo, name: str) -> int:
    """Return the amount of a resource that a pod takes of its node."""
    return 1 if name == "pods" else pod.cls.held.get(name, 0)


def respects_all_budgets(scheduler: Scheduler, number: int) -> bool:
    """Whether a disruption budget may never be violated by preemption."""
    options = scheduler.handle.options
    is_asked = options.budget_annotations and scheduler.budgets.budgets[number].is_respected
    return options.disruption_budgets is BudgetPolicy.RESPECT or is_asked
