"""Advice on an order in which to introduce priority classes without preempting important pods.

Each step is simulated in a copy of the cluster after the steps before it. If the same steps in
another order have led to an equivalent cluster, the steps after them aren't simulated again.
"""

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import chain

import msgspec
from msgspec import structs

from podium.api.documents.report import report_facts
from podium.api.errors import PodiumError
from podium.api.kinds.snapshot_kinds import identity, label
from podium.api.objects import Object, is_terminating, status_of
from podium.api.pods import is_finished, is_ready, node_name_of
from podium.api.priority import class_value
from podium.simulation.workers import Progress, can_fork, in_a_copy, in_workers
from podium.whatif.plan.changes import Apply, ChangeTarget, Delete
from podium.whatif.plan.next_pods import preempted_since, tried
from podium.whatif.plan.outcome.lost_pods import short_of_pods
from podium.whatif.plan.outcome.stale_priorities import StalePods, stale_pods_of
from podium.whatif.plan.outcome.timeline import Timeline
from podium.whatif.plan.plan_report import PreemptedPod, Rollout, StalePriority
from podium.whatif.plan.play import Play
from podium.whatif.plan.request import NEXT_PODS_MAX, PlanRequest
from podium.whatif.resilience.spare_room import SHAPES_MAX, ZonedShape, zoned_shapes
from podium.whatif.rollout_order.rollout_report import (
    DeadEnd,
    JudgedPod,
    OrderTrial,
    RolloutAdvice,
    Room,
    StepOutcome,
)
from podium.whatif.rollout_order.rollout_steps import (
    FinalPriorities,
    Introduction,
    RolloutStep,
    never_preempting,
)


class Judge(msgspec.Struct, frozen=True):
    """Decides which preempted pods are important; see `RolloutRequest.important`."""

    priorities: FinalPriorities
    important: int | None = None

    def judged(self, pod: PreemptedPod) -> JudgedPod:
        """Add the final priorities, and whether the pod is important, to a preempted pod."""
        final = self.priorities.of(pod.workload, pod.priority)
        by_final = self.priorities.of(pod.by_workload, pod.by_priority)
        least = by_final if self.important is None else self.important
        return JudgedPod(
            **report_facts(pod, PreemptedPod),
            final_priority=final,
            by_final_priority=by_final,
            is_dangerous=final >= least,
        )


class _EndangeredError(Exception):
    """An important pod has been preempted."""


def play_step(play: Play, step: RolloutStep, judge: Judge) -> StepOutcome:
    """Simulate a step in a settled cluster until its rollouts end or an important pod is preempted.

    After a step that alters the priority of new pods, creations of such pods are tried in copies.
    """
    since_s, before = play.passed_s, len(play.preemptions.preemptors)
    # Refusals of earlier steps are reported with those steps.
    short = {rejected.workload for rejected in short_of_pods(Timeline(play))}
    preempted: list[JudgedPod] = []
    stale_before = set(map(_change, stale_pods_of(play))) if step.alters_new_pods else set()

    def look(_passed_s: float = 0.0) -> None:
        # Victims are known a moment after the preemption was decided.
        if len(play.preemptions.preemptors) - before > len(preempted):
            preempted[:] = map(judge.judged, preempted_since(Timeline(play), since_s))
            if any(pod.is_dangerous for pod in preempted):
                raise _EndangeredError

    play.change(step.changes)
    rollouts: Sequence[Rollout] = ()
    stale: tuple[StalePriority, ...] = ()
    with suppress(_EndangeredError):
        if not play.run(None, look):
            raise KeyboardInterrupt
        rollouts = play.rollouts.found()
        if step.alters_new_pods:
            new = [pod for pod in stale_pods_of(play) if _change(pod) not in stale_before]
            stale = tuple(tried(play, new, NEXT_PODS_MAX))
    victims = [lost for one in stale for next_pod in one.next_pods for lost in next_pod.preempted]
    lacking = [one for one in short_of_pods(Timeline(play)) if one.workload not in short]
    return StepOutcome(
        step.name,
        round(max((one.at or since_s for one in rollouts), default=since_s) - since_s, 3),
        tuple(pod for pod in preempted if not pod.is_dangerous),
        tuple(pod for pod in preempted if pod.is_dangerous),
        tuple(f"{one.workload}: {one.message}" for one in rollouts if one.state != "Complete"),
        (*play.rejected, *lacking),
        stale,
        tuple(pod for pod in map(judge.judged, victims) if pod.is_dangerous),
    )


def _change(stale: StalePods) -> tuple[object, ...]:
    return stale.workload, stale.priority, stale.next_priority


def fingerprint(play: Play) -> str:
    """Return a digest of the properties of a cluster that further steps depend on.

    Names of pods don't count. Of start times only the order among pods of one priority counts,
    by which victims and surplus pods are chosen.
    """
    owners = play.owners()
    alike: dict[int, list[tuple[str, str, str, bool]]] = defaultdict(list)
    for pod in play.cluster.store.list("Pod").items:
        if not (is_finished(pod) or is_terminating(pod)):
            row = owners.row_of(pod)
            began = status_of(pod).get("startTime") or pod["metadata"]["creationTimestamp"]
            place = (row["workload"], node_name_of(pod), is_ready(pod))
            alike[row["priority"]].append((str(began), *place))
    rows = []
    for priority, pods in alike.items():
        ranks = {began: rank for rank, began in enumerate(sorted({pod[0] for pod in pods}))}
        rows += [(priority, ranks[began], *place) for began, *place in pods]
    return hashlib.sha256(json.dumps(sorted(rows)).encode()).hexdigest()


class RolloutSearch(msgspec.Struct):
    """A search for a safe order, with the results that cut it short."""

    steps: Sequence[RolloutStep]
    judge: Judge
    most: int
    tried: int = 0
    dead: set[tuple[frozenset[int], str]] = msgspec.field(default_factory=set)
    """Sets of remaining steps (by index), each with the fingerprint of a cluster in which no order
    of them is safe."""
    dead_ends: list[DeadEnd] = msgspec.field(default_factory=list)
    known: dict[tuple[str, ...], StepOutcome] = msgspec.field(default_factory=dict)
    """Outcomes of unsafe steps by the names of the steps up to them, which aren't simulated
    again."""
    progress: Progress | None = None

    @property
    def is_cut_short(self) -> bool:
        """Whether the limit of simulated steps is reached."""
        return self.tried >= self.most

    def in_order(self, play: Play, steps: Sequence[RolloutStep]) -> tuple[StepOutcome, ...]:
        """Simulate steps in order, up to the first unsafe one; this changes `play`."""
        outcomes: list[StepOutcome] = []
        for step in steps:
            outcomes.append(play_step(play, step, self.judge))
            if not outcomes[-1].is_safe:
                break
        return tuple(outcomes)

    def safe_order(
        self, play: Play, left: Sequence[int], done: tuple[StepOutcome, ...] = ()
    ) -> tuple[StepOutcome, ...] | None:
        """Find a safe order; None if there is none, or if the search is cut short.

        Args:
            play: the settled cluster; it stays unchanged.
            left: the indices of the remaining steps, in the order in which they are tried.
            done: the outcomes of the steps before, with which the order begins.
        """
        for number in left:
            if self.is_cut_short:
                return None
            before = tuple(step_outcome.step for step_outcome in done)
            if outcome := self.known.get((*before, self.steps[number].name)):
                self.dead_ends.append(DeadEnd(before, outcome))
                continue
            order, known = in_a_copy(partial(self._after, play, done, left, number))
            # What the copy has learnt.
            self.tried, self.dead, self.dead_ends = known
            if self.progress is not None:
                self.progress(self.tried)
            if order is not None:
                return order
        return None

    def _after(
        self, play: Play, done: tuple[StepOutcome, ...], left: Sequence[int], number: int
    ) -> tuple[tuple[StepOutcome, ...] | None, "_Known"]:
        outcome = play_step(play, self.steps[number], self.judge)
        self.tried += 1
        rest = tuple(one for one in left if one != number)
        order = None
        if not outcome.is_safe:
            self.dead_ends.append(DeadEnd(tuple(one.step for one in done), outcome))
        elif not rest:
            order = (*done, outcome)
        else:
            place = (frozenset(rest), fingerprint(play))
            if place not in self.dead:
                order = self.safe_order(play, rest, (*done, outcome))
                if order is None and not self.is_cut_short:
                    self.dead.add(place)
        return order, (self.tried, self.dead, self.dead_ends)


_Known = tuple[int, set[tuple[frozenset[int], str]], list[DeadEnd]]


class RolloutRequest(msgspec.Struct, frozen=True):
    """The priority classes to introduce, and the cluster."""

    request: PlanRequest
    introduction: Introduction
    important: int | None
    """Pods of at least this final priority are important, and mustn't be preempted; if None, no pod
    may be preempted by a pod whose final priority isn't higher."""
    tries: int
    """The most steps to simulate in one search."""
    more_nodes: int
    """The most additional nodes to try if no order is safe."""


def rollout(
    wanted: RolloutRequest, progress: Progress | None = None, workers: int = 1
) -> RolloutAdvice:
    """Find a safe order, or the reasons why there is none, in `workers` processes."""
    if not can_fork():
        raise PodiumError("orders are tried in forks of this process, which can't be made here")
    steps = wanted.introduction.steps
    changes = (*wanted.request.changes, Apply(wanted.introduction.preparation))
    request = replace(wanted.request, changes=changes, alternatives_max=0)
    play = Play(request, changes_later=True)
    manifests = [manifest for step in steps for manifest in step.manifests]
    applied = [*wanted.introduction.preparation, *manifests]
    warnings = replace(wanted.request, changes=[Apply(applied)]).missing()
    rejected = play.rejected
    play.settle(wanted.request.until_s)
    stale = tuple(tried(play, stale_pods_of(play), NEXT_PODS_MAX, workers))
    search = _search(wanted, progress)
    orders = {"as given": search.steps}
    if len(steps) > 1:
        deleted = tuple(one for step in steps for one in step.deleted)
        orders["all at once"] = [RolloutStep("all at once", tuple(manifests), deleted)]
    found_in = in_workers(partial(search.in_order, play), [*orders.values()], workers)
    obvious = tuple(map(OrderTrial, orders, found_in))
    later = {identity(manifest) for manifest in manifests}
    report = RolloutAdvice(
        important=wanted.important,
        stale_priorities=stale,
        preparation=tuple(
            f"{label(identity(one))}{', not as the default' if identity(one) in later else ''}"
            for one in wanted.introduction.preparation
        ),
        obvious=obvious,
        warnings=(
            *play.notes,
            *warnings,
            *(f"{one.object}: {one.message}" for one in rejected),
        ),
    )
    given = obvious[0].steps
    if obvious[0].is_safe:
        return replace(report, verdict="Safe", steps=given)
    search.tried += len(given)
    # The step that isn't safe as given isn't simulated again.
    search.known[tuple(step_outcome.step for step_outcome in given)] = given[-1]
    order = search.safe_order(play, _likely(wanted.introduction))
    if order is not None:
        return replace(report, verdict="Reordered", steps=order, tried=search.tried)
    report = replace(
        report,
        verdict="Unknown" if search.is_cut_short else "Impossible",
        dead_ends=tuple(search.dead_ends),
        tried=search.tried,
    )
    if any(end.next.outranked for end in search.dead_ends):
        # More nodes fill up, and the pods that keep their priority are still outranked.
        return replace(report, non_preempting=in_a_copy(partial(_non_preempting, wanted, play)))
    room = _room(wanted, play, workers)
    return replace(report, room=room, room_tried=wanted.more_nodes if room is None else room.nodes)


def _search(wanted: RolloutRequest, progress: Progress | None = None) -> RolloutSearch:
    judge = Judge(wanted.introduction.priorities, wanted.important)
    return RolloutSearch(wanted.introduction.steps, judge, wanted.tries, progress=progress)


def _likely(introduction: Introduction) -> list[int]:
    numbers = range(len(introduction.steps))
    priorities = []
    for step in introduction.steps:
        (manifest,) = step.manifests
        what, value = label(identity(manifest)), class_value(manifest)
        priorities.append(introduction.priorities.of(what, value))
    return sorted(numbers, key=lambda number: -priorities[number])


def _room(wanted: RolloutRequest, play: Play, workers: int) -> Room | None:
    """Find the fewest additional nodes of an existing shape with which an order is safe.

    First `more_nodes` are tried of each shape, then fewer nodes of the shapes that help.
    """

    def with_nodes(nodes: Sequence[Object]) -> tuple[StepOutcome, ...] | None:
        play.change([Apply(tuple(nodes))])
        play.run(None)
        return _search(wanted).safe_order(play, _likely(wanted.introduction))

    def rooms(count: int, among: Sequence[ZonedShape]) -> Iterator[tuple[ZonedShape, Room]]:
        added = [shape.nodes(count) for shape in among]
        orders = in_workers(with_nodes, added, workers)
        for shape, steps in zip(among, orders, strict=True):
            if steps is not None:
                yield shape, Room(count, shape.names, steps)

    most = wanted.more_nodes
    store = play.cluster.store
    state = (*store.list("Node").items, *store.list("ResourceSlice").items)
    helpful = [*rooms(most, zoned_shapes(state)[:SHAPES_MAX])] if most else []
    shapes = [shape for shape, _ in helpful]
    fewer = (rooms(count, shapes) for count in range(1, most))
    _, room = next(chain(chain.from_iterable(fewer), helpful), (None, None))
    return room


def _non_preempting(wanted: RolloutRequest, play: Play) -> tuple[StepOutcome, ...]:
    introduction = never_preempting(wanted.introduction)
    if introduction == wanted.introduction:
        return ()
    # The policy of a class can't be changed.
    classes = [identity(one) for one in introduction.preparation if one["kind"] == "PriorityClass"]
    play.change(
        [
            Apply(wanted.introduction.preparation),
            *(Delete(ChangeTarget(*class_)) for class_ in classes),
            Apply(introduction.preparation),
        ]
    )
    play.run(None)
    search = _search(structs.replace(wanted, introduction=introduction))
    return search.safe_order(play, _likely(introduction)) or ()
