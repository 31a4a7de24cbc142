"""The cheapest nodes of given shapes with which no pod is pending.

First, any combination of nodes that leaves no pod pending is searched. Then combinations are
simulated by ascending cost, without those whose resources are too small in sum; the first one that
leaves no pod pending is the cheapest. If this search is cut short, the result is the combination
found first, and the cost that the search reached is a lower bound.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from decimal import Decimal
from heapq import heappop, heappush

import msgspec
import numpy as np

from podium.api.devices.device_classes import classes_by_resource
from podium.api.errors import PodiumError
from podium.api.objects import Object, name, without
from podium.api.policy.disruption_target import BY_SCHEDULER
from podium.scheduler.devices.device_manager import CLASS
from podium.scheduler.explain.extra_nodes import slices_like
from podium.scheduler.snapshot.pod_info import pending_pod
from podium.scheduler.snapshot.snapshot import allocatable_amounts
from podium.simulation.workers import Progress, in_a_copy
from podium.whatif.capacity.capacity_inputs import NodeShape, PodTemplate, named_copies, with_needs
from podium.whatif.capacity.capacity_report import CheapestNodes, ShapeRow
from podium.whatif.plan.changes import Apply
from podium.whatif.plan.outcome.outcome_reader import OutcomeReader
from podium.whatif.plan.plan_report import PendingPod, Placement, Return
from podium.whatif.plan.play import Play
from podium.whatif.plan.request import UNTIL_S, PlanRequest

Counts = tuple[int, ...]
"""A combination of nodes: the number of nodes of each shape."""

_UNTIL_READY_S = 10.0
_CHOICES_MAX = 200_000
_PODS = "pods"


class _Trial(msgspec.Struct, frozen=True):
    pending: tuple[PendingPod, ...]
    lost: tuple[str, ...]
    placements: tuple[Placement, ...]


class NodesRequest(msgspec.Struct, frozen=True):
    """The pods to add nodes for, the shapes of nodes, and the limit of simulated combinations."""

    request: PlanRequest
    templates: Sequence[PodTemplate]
    shapes: Sequence[NodeShape]
    tries: int


def cheapest_nodes(wanted: NodesRequest, progress: Progress | None = None) -> CheapestNodes:
    """Find the cheapest nodes with which no pod is pending."""
    request = with_needs(wanted.request, wanted.templates)
    play = Play(request, changes_later=True)
    play.settle(request.until_s)
    pending = OutcomeReader(play).pending()
    new = [pod for template in wanted.templates for pod in named_copies(template)]
    warnings = (*play.notes, *request.missing(), *play.executor.unmade())
    report = CheapestNodes(pending=pending, new=len(new), warnings=warnings)
    if not (pending or new):
        return report
    waiting = [play.cluster.store.get("Pod", *row.pod.split("/")) for row in pending]
    pods = [*(pod for pod in waiting if pod is not None), *new]
    return _Search(play, wanted, new, pods, progress).completed(report)


class NodeRoom:
    """The resources that pending pods lack in sum, and the resources of a node of each shape.

    All free resources of existing nodes count as usable, and resources that devices may stand for
    don't count, so that no solution is ruled out.
    """

    def __init__(self, play: Play, shapes: Sequence[NodeShape], pods: Iterable[Object]) -> None:
        snapshot = play.scheduler.snapshot
        columns, wanted = snapshot.resources, Counter[str]()
        of_devices = classes_by_resource(play.scheduler.listers.list(CLASS))
        for pod in pods:
            wanted[_PODS] += 1
            requests = without(pending_pod(pod, snapshot.classes).cls.requests, *of_devices)
            wanted.update({columns.names[at]: n for at, n in columns.counted(requests)})
        free = {name: columns.free[columns.index_of(name)] for name in wanted if name != _PODS}
        free[_PODS] = columns.free_pods
        self._lacking = {
            name: amount - int(np.maximum(free[name], 0).sum()) for name, amount in wanted.items()
        }
        self._amounts = [allocatable_amounts(shape.node) for shape in shapes]

    def is_enough(self, counts: Counts) -> bool:
        """Whether a number of nodes of each shape has the lacking resources in sum."""
        return all(
            sum(n * one.get(name, 0) for n, one in zip(counts, self._amounts, strict=True)) >= lacks
            for name, lacks in self._lacking.items()
        )


class _Search:
    def __init__(
        self,
        play: Play,
        wanted: NodesRequest,
        new: Sequence[Object],
        pods: Sequence[Object],
        progress: Progress | None,
    ) -> None:
        self._shapes = wanted.shapes
        self._costs = [shape.cost for shape in wanted.shapes]
        self._tries = wanted.tries
        self._play, self._new = play, new
        self._room, self._most = NodeRoom(play, wanted.shapes, pods), len(pods)
        self._progress = progress
        self._known: dict[Counts, _Trial] = {}
        self._best: Counts | None = None
        self._reached = Decimal(0)

    def completed(self, report: CheapestNodes) -> CheapestNodes:
        is_proven = interrupted = False
        try:
            self._find_any()
            is_proven = self._best is not None and self._find_cheapest()
        except KeyboardInterrupt:
            interrupted = True
        report = replace(report, tried=len(self._known), interrupted=interrupted)
        best = self._best
        if best is None:
            report = replace(report, found=False, proven=False)
            if interrupted:
                return report
            # Where sums rule all combinations out, one node of each shape shows what is lacking.
            counts = max((*self._known, (1,) * len(self._shapes)), key=sum)
            trial = self._trial(counts)
            tried = len(self._known)
            return replace(
                report, left=trial.pending, lost=trial.lost, tried_most=max(counts), tried=tried
            )
        cost = self._cost(best)
        rows = zip(self._shapes, best, strict=True)
        return replace(
            report,
            shapes=tuple(ShapeRow(shape.name, shape.cost, count) for shape, count in rows),
            cost=cost,
            cost_at_least=cost if is_proven else min(cost, self._reached),
            proven=is_proven,
            placements=self._trial(best).placements,
        )

    def _find_any(self) -> None:
        numbers = range(len(self._costs))
        if self._is_solution((0,) * len(self._costs)):
            return
        alone = [tuple(int(one == number) for one in numbers) for number in numbers]
        for unit in sorted(alone, key=lambda one: self._cost(self._least(one))):
            if self._best is None or self._cost(self._least(unit)) < self._cost(self._best):
                self._climb(unit)
        if self._best is None and len(alone) > 1:
            self._climb((1,) * len(alone))
            for number in sorted(numbers, key=lambda one: -self._costs[one]):
                self._lower(number)

    def _lower(self, number: int) -> None:
        best = self._best
        low, high = -1, 0 if best is None else best[number]
        while best is not None and high - low > 1 and not self._is_over:
            middle = (low + high) // 2
            fewer = (*best[:number], middle, *best[number + 1 :])
            low, high = (low, middle) if self._is_solution(fewer) else (middle, high)

    def _least(self, unit: Counts) -> Counts:
        multiples = (tuple(n * one for one in unit) for n in range(1, self._most))
        most = tuple(self._most * one for one in unit)
        return next(filter(self._room.is_enough, multiples), most)

    def _climb(self, unit: Counts) -> None:
        """Double a combination of nodes until it is a solution, then bisect to fewer nodes."""

        def solves(number: int) -> bool:
            return self._is_solution(tuple(number * one for one in unit))

        low, high = 0, max(self._least(unit))
        while not self._is_over and not solves(high):
            if high >= self._most:
                return
            low, high = high, min(2 * high, self._most)
        while high - low > 1 and not self._is_over:
            middle = (low + high) // 2
            low, high = (low, middle) if solves(middle) else (middle, high)

    def _find_cheapest(self) -> bool:
        for cost, counts in self._by_cost():
            assert self._best is not None
            if cost >= self._cost(self._best):
                return True
            self._reached = cost
            if self._room.is_enough(counts):
                if counts not in self._known and self._is_over:
                    return False
                if self._is_solution(counts):
                    return True
        return False

    def _by_cost(self) -> Iterator[tuple[Decimal, Counts]]:
        """Yield all combinations with their costs, ordered by cost and then by number of nodes."""
        waiting: list[tuple[Decimal, int, Counts, int]] = [
            (Decimal(0), 0, (0,) * len(self._costs), 0)
        ]
        for _ in range(_CHOICES_MAX):
            cost, size, counts, first = heappop(waiting)
            yield cost, counts
            # Each combination is reached once, as shapes are added in their order.
            for number in range(first, len(counts)):
                more = (*counts[:number], counts[number] + 1, *counts[number + 1 :])
                heappush(waiting, (cost + self._costs[number], size + 1, more, number))

    def _is_solution(self, counts: Counts) -> bool:
        if not self._room.is_enough(counts):
            return False
        trial = self._trial(counts)
        if trial.pending or trial.lost:
            return False
        if self._best is None or self._cost(counts) < self._cost(self._best):
            self._best = counts
        return True

    @property
    def _is_over(self) -> bool:
        return len(self._known) >= self._tries

    def _trial(self, counts: Counts) -> _Trial:
        if counts not in self._known:
            self._known[counts] = in_a_copy(lambda: self._tried(counts))
            if self._progress is not None:
                self._progress(len(self._known))
        return self._known[counts]

    def _tried(self, counts: Counts) -> _Trial:
        play, since_s = self._play, self._play.passed_s
        slices, added = play.cluster.store.list("ResourceSlice").items, list[Object]()
        for shape, count in zip(self._shapes, counts, strict=True):
            for number in range(1, count + 1):
                node = shape.made(number)
                added += [node, *slices_like(slices, name(shape.node), name(node))]
        play.change([Apply(tuple(added))])
        if self._new:
            play.run(_UNTIL_READY_S)
            play.change([Apply(tuple(self._new))])
            if play.rejected:
                lines = (f"{rejected.object}: {rejected.message}" for rejected in play.rejected)
                raise PodiumError("\n".join(lines))
        play.run(UNTIL_S)
        outcome = OutcomeReader(play)
        lost = (
            one.pod
            for one in outcome.disruptions()
            if one.cause is BY_SCHEDULER and one.comes_again is Return.NEVER and one.at >= since_s
        )
        placements = (placement for placement in outcome.placements() if placement.at >= since_s)
        return _Trial(outcome.pending(), tuple(lost), tuple(placements))

    def _cost(self, counts: Counts) -> Decimal:
        return sum((c * n for c, n in zip(self._costs, counts, strict=True)), Decimal(0))
