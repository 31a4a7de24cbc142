"""Advice on an order in which to introduce priority classes without preempting important pods."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain

import msgspec
from msgspec import structs

from podium.api.errors import PodiumError
from podium.api.kinds.snapshot_kinds import identity, label
from podium.api.objects import Object, spec_of
from podium.api.priority import class_value
from podium.simulation.workers import Progress, can_fork, in_a_copy, in_workers
from podium.whatif.plan.changes import Apply, ChangeTarget, Delete
from podium.whatif.plan.next_pods import tried
from podium.whatif.plan.outcome.stale_priorities import stale_pods_of
from podium.whatif.plan.play import Play
from podium.whatif.plan.request import NEXT_PODS_MAX, PlanRequest
from podium.whatif.resilience.spare_room import SHAPES_MAX, ZonedShape, zoned_shapes
from podium.whatif.rollout_order.rollout_report import OrderTrial, RolloutAdvice, Room, StepOutcome
from podium.whatif.rollout_order.rollout_search import Judge, RolloutSearch
from podium.whatif.rollout_order.rollout_steps import Introduction, RolloutStep, never_preempting


class RolloutRequest(msgspec.Struct, frozen=True):
    """The priority classes to introduce, and the cluster.

    Attributes:
        important: pods of at least this final priority are important, and mustn't be preempted; if
            None, no pod may be preempted by one whose final priority isn't higher.
        tries: the most steps to simulate in one search.
        more_nodes: the most additional nodes to try where no order is safe.
    """

    request: PlanRequest
    introduction: Introduction
    important: int | None
    tries: int
    more_nodes: int


def rollout(
    wanted: RolloutRequest, progress: Progress | None = None, workers: int = 1
) -> RolloutAdvice:
    """Find a safe order, or the reasons why there is none, in `workers` processes.

    Raises:
        KeyboardInterrupt: by Ctrl-C.
        PodiumError: a change can't be made.
    """
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
    search.learn(obvious[0].steps)
    templates = (
        {"metadata": one["metadata"], **template}
        for one in manifests
        if (template := spec_of(one).get("template"))
    )
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
            *play.limits_of_the_model(templates).warnings,
            *(f"{one.object}: {one.message}" for one in rejected),
        ),
    )
    if obvious[0].is_safe:
        return replace(report, verdict="Safe", steps=obvious[0].steps)
    found = search.safe_order(play, _likely(wanted.introduction))
    if found is not None:
        return replace(report, verdict="Reordered", steps=found, tried=search.tried)
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

    Fewer nodes are tried only of the shapes of which the most help.
    """

    def with_nodes(nodes: Sequence[Object]) -> tuple[StepOutcome, ...] | None:
        play.change([Apply(tuple(nodes))])
        play.run(None)
        return _search(wanted).safe_order(play, _likely(wanted.introduction))

    def rooms(count: int, among: Sequence[ZonedShape]) -> Iterator[tuple[ZonedShape, Room]]:
        added = [shape.nodes(count) for shape in among]
        found = in_workers(with_nodes, added, workers)
        for shape, steps in zip(among, found, strict=True):
            if steps is not None:
                yield shape, Room(count, shape.names, steps)

    most = wanted.more_nodes
    nodes = play.cluster.store.list("Node").items
    helpful = [*rooms(most, zoned_shapes(nodes)[:SHAPES_MAX])] if most else []
    shapes = [shape for shape, _ in helpful]
    fewer = (rooms(count, shapes) for count in range(1, most))
    _, found = next(chain(chain.from_iterable(fewer), helpful), (None, None))
    return found


def _non_preempting(wanted: RolloutRequest, play: Play) -> tuple[StepOutcome, ...]:
    introduction = never_preempting(wanted.introduction)
    if introduction == wanted.introduction:
        return ()
    # The policy of a class can't be changed.
    classes = [identity(one) for one in introduction.preparation if one["kind"] == "PriorityClass"]
    play.change(
        [
            Apply(wanted.introduction.preparation),
            *(Delete(ChangeTarget(*one)) for one in classes),
            Apply(introduction.preparation),
        ]
    )
    play.run(None)
    search = _search(structs.replace(wanted, introduction=introduction))
    return search.safe_order(play, _likely(introduction)) or ()
