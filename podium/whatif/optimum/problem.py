"""The input of the optimum: pending pods, possible victims and free resources."""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import cache, partial

import msgspec
import numpy as np
from msgspec.structs import replace

from podium.api.pods import deletion_cost, priority_class_of, scheduler_name_of
from podium.scheduler.config.scheduler_options import CandidateKey
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
from podium.scheduler.snapshot.affinity_terms import PeerGroup, with_known_namespaces
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

_MODELLED = frozenset({InterPodAffinity.name, NodePorts.name, PodTopologySpread.name})
_COSTS: Mapping[CandidateKey, Callable[[PodInfo, Clock], int]] = {
    CandidateKey.DELETION_COST: lambda pod, _: deletion_cost(pod.obj),
    CandidateKey.LOST_RUN_TIME: lost_run_time_s,
}


class Spread(msgspec.Struct, frozen=True):
    """A DoNotSchedule constraint of pending pods, with the domains that it counts."""

    constraint: SpreadConstraint
    domains: Domains


class Demand(msgspec.Struct, frozen=True):
    """Interchangeable pending pods."""

    cls: PodClass
    scheduler_name: str
    pods: Sequence[PodInfo]
    rows: Sequence[int]
    """The rows of nodes that are feasible apart from the pods on them, ascending."""
    amounts: Mapping[str, int]
    """The requests of each pod, by names of resources (also `pods`)."""
    spreads: Sequence[Spread]


class Occupants(msgspec.Struct, frozen=True):
    """Interchangeable pods of one node, in the order in which they become victims."""

    row: int
    cls: PodClass
    pods: Sequence[PodInfo]
    budgets: tuple[int, ...]
    """The indices of the disruption budgets in which a disruption of each pod counts."""
    costs: tuple[tuple[CandidateKey, int], ...]
    """The values of each pod for candidate keys that are sums over victims."""
    taken_by: frozenset[int]
    """The priorities of pending pods that may preempt these pods."""


class Problem(msgspec.Struct, frozen=True):
    """The input of the solver."""

    demands: Sequence[Demand]
    occupants: Sequence[Occupants]
    free: Mapping[str, Sequence[int]]
    """The free amounts by resource and row, without terminating pods."""
    unexpressed: Sequence[UnexpressedPod]
    """Pods that aren't placed or preempted because the model can't express them."""


def likeness(
    demands: Sequence[Demand], peer_groups: Iterable[PeerGroup], listers: Listers
) -> Callable[[PeerGroup], Hashable]:
    """Return a function that maps equivalent peer groups to equal values.

    Peer groups are equivalent if all required affinity terms and spread constraints treat them
    equally. A peer group that has required terms itself is equivalent only to itself.
    """
    own = {demand.cls.peer_group for demand in demands}
    terms = {
        term: None
        for peer_group in sorted({*own, *peer_groups}, key=lambda group: group.id)
        for term in (
            *peer_group.terms.required_anti_affinity,
            *(peer_group.terms.required_affinity if peer_group in own else ()),
        )
    }
    rules: list[Callable[[PeerGroup], object]] = [
        partial(term.matches, namespace_labels={}) for term in with_known_namespaces(terms, listers)
    ]
    rules += [
        partial(spread.constraint.meets, demand.cls.peer_group)
        for demand in demands
        for spread in demand.spreads
    ]

    @cache
    def key_of(peer_group: PeerGroup) -> Hashable:
        has_terms = peer_group.terms.required_affinity or peer_group.terms.required_anti_affinity
        return peer_group if has_terms else tuple(matches(peer_group) for matches in rules)

    return key_of


class ProblemReader:
    """Reads the problem from a scheduler, which must not have nominated pods."""

    def __init__(self, scheduler: Scheduler, pending: Sequence[PodInfo]) -> None:
        self._scheduler = scheduler
        self._snapshot = scheduler.snapshot
        self._pending = sorted(pending, key=lambda pod: pod.key)
        self._spreading = Spreading(self._snapshot)
        self._unexpressed: list[UnexpressedPod] = []
        self._free: dict[str, np.ndarray] = {}

    def read(self) -> Problem:
        """Read the problem."""
        classes: dict[tuple[int, str], list[PodInfo]] = defaultdict(list)
        for pod in self._pending:
            classes[pod.cls.id, scheduler_name_of(pod.obj)].append(pod)
        read, expressed = list[Demand](), list[Demand]()
        for (_, scheduler_name), pods in classes.items():
            demand = self._demand(pods, scheduler_name)
            if isinstance(demand, Demand):
                read.append(demand)
            else:
                self._leave(pods, demand)
        # Affinity to other pending pods that have affinity themselves can't be expressed.
        seeking = [one for one in read if one.cls.peer_group.terms.required_affinity]
        for demand in read:
            peer_group = demand.cls.peer_group
            required = peer_group.terms.required_affinity
            terms = with_known_namespaces(required, self._scheduler.listers)
            sought = (one for one in seeking if terms and one.cls.peer_group is not peer_group)
            for other in sought:
                if all(term.matches(other.cls.peer_group, {}) for term in terms):
                    reason = f"its affinity to {other.pods[0].key}, which has its own"
                    self._leave(demand.pods, reason)
                    break
            else:
                expressed.append(demand)
        peer_groups = {pod.cls.peer_group for pods in self._snapshot.pods_on for pod in pods}
        key_of = likeness(expressed, peer_groups, self._scheduler.listers)
        groups: dict[Hashable, list[Demand]] = defaultdict(list)
        for demand in expressed:
            own = demand.cls if demand.spreads else key_of(demand.cls.peer_group)
            amounts = tuple(sorted(demand.amounts.items()))
            limits = tuple(demand.rows), amounts, demand.cls.host_ports
            rank = demand.scheduler_name, demand.cls.priority, demand.cls.preempts
            groups[own, rank, limits].append(demand)
        demands = [
            replace(
                alike[0],
                pods=sorted((pod for one in alike for pod in one.pods), key=lambda pod: pod.key),
            )
            for alike in groups.values()
        ]
        priorities = {demand.cls.priority for demand in demands if demand.cls.preempts}
        occupants = [*self._occupants(priorities, key_of)]
        for row, on_node in enumerate(self._snapshot.pods_on):
            for pod in on_node:
                if pod.cls.terminating:
                    for name, left in self._free.items():
                        left[row] += held(pod, name)
        free = {name: left.tolist() for name, left in self._free.items()}
        return Problem(demands, occupants, free, self._unexpressed)

    def _leave(self, pods: Sequence[PodInfo], reason: str) -> None:
        self._unexpressed += [UnexpressedPod(pod.key, reason) for pod in pods]

    def _demand(self, pods: Sequence[PodInfo], scheduler_name: str) -> Demand | str:
        """Read the demand of pods of one class, or return what the model can't express of it."""
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
                headroom = state.headroom(self._snapshot.rows)
                for name, left in zip(state.names, headroom, strict=True):
                    self._free.setdefault(name, left + own[name])
            elif state.plugin not in _MODELLED:
                return f"what {state.plugin} says of it"
        constraints = own_constraints(pod.cls, DO_NOT_SCHEDULE)
        key, counted = self._spreading.scored(constraints, needs_labels=True)
        spreads = [
            Spread(constraint, self._spreading.domains(pod.cls, constraint, key, counted)[1])
            for constraint in constraints
        ]
        if not spreads and any(s.plugin == PodTopologySpread.name for s in filtering.states):
            return "the configuration's own constraints for topology spread"
        for spread in spreads:
            rows &= spread.domains.codes >= 0
        listed: list[int] = np.flatnonzero(rows).tolist()
        return Demand(pod.cls, scheduler_name, pods, listed, amounts, spreads)

    def _occupants(
        self, priorities: set[int], key_of: Callable[[PeerGroup], Hashable]
    ) -> Iterator[Occupants]:
        handle, columns = self._scheduler.handle, self._scheduler.budgets
        policies = policies_of(handle)
        policies.update()
        tables = victim_tables(handle, policies.protection)
        cost_keys = [key for key in handle.options.candidate_keys if key in _COSTS]
        is_rated = bool(handle.options.protection.rates)
        for row in range(self._snapshot.node_count):
            pods = [pod for pod in self._snapshot.pods_on[row] if not pod.cls.terminating]
            tables.importance.sort(pods)
            groups: dict[Hashable, list[Occupants]] = defaultdict(list)
            for pod in reversed(pods):
                taken_by = frozenset(one for one in priorities if tables.may_go(pod, one))
                budgets = tuple(columns.spent_by(pod))
                if len(budgets) > 1 and taken_by:
                    self._leave([pod], "the several budgets that cover it: it isn't taken")
                    taken_by = frozenset()
                costs = tuple(
                    (key, _COSTS[key](pod, handle.clock)) for key in cost_keys if taken_by
                )
                quota = (pod.cls.namespace, priority_class_of(pod.obj)) if is_rated else ()
                kind = (
                    key_of(pod.cls.peer_group),
                    pod.priority,
                    pod.cls.host_ports,
                    tuple(held(pod, name) for name in self._free),
                    (quota, budgets, costs, taken_by),
                )
                groups[kind].append(Occupants(row, pod.cls, [pod], budgets, costs, taken_by))
            for alike in groups.values():
                yield replace(alike[0], pods=[pod for occupants in alike for pod in occupants.pods])


def held(pod: PodInfo, name: str) -> int:
    """Return how much of a resource (or `pods`) a pod takes of its node."""
    return 1 if name == "pods" else pod.cls.held.get(name, 0)
