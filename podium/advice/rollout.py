"""An order in which to introduce priority classes, so that no important pod is preempted.

Orders are searched by playing their steps, each in a copy of the cluster that the steps before it
have led to. Where the same steps have led to a like cluster on another way, they aren't played
again.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from podium.advice.rollout_playing import Judge
from podium.advice.rollout_report import OrderTrial, RolloutAdvice, Room, StepOutcome
from podium.advice.rollout_search import Progress, Search
from podium.advice.rollout_steps import Introduction, Step
from podium.api.objects import Object
from podium.explaining.extra_nodes import node_like, shapes
from podium.plan.changes import Apply
from podium.plan.completeness import completeness_warnings, limits_of_the_model
from podium.plan.identities import identity, label
from podium.plan.play import Play
from podium.plan.request import Request
from podium.workers import in_a_copy

_SHAPES_MAX = 5


@dataclass(frozen=True, slots=True)
class RolloutRequest:
    """What to find out.

    Attributes:
        request: the cluster, and what is changed in it before.
        introduction: the classes and workloads.
        important: pods of at least this final priority mustn't be preempted by anybody, and
            others may be; None if no pod may be by what isn't above it in the end.
        tries: how many steps are played at most, for one search.
        more_nodes: how many more nodes are tried where no order is safe.
    """

    request: Request
    introduction: Introduction
    important: int | None
    tries: int
    more_nodes: int


def rollout(asked: RolloutRequest, progress: Progress | None = None) -> RolloutAdvice:
    """Find a safe order, or show that there is none.

    Raises:
        KeyboardInterrupt: by Ctrl-C.
        PodiumError: a change can't be made.
    """
    steps = asked.introduction.steps
    play = Play(asked.request, changes_later=True)
    manifests = [manifest for step in steps for manifest in step.manifests]
    applied = [*asked.introduction.preparation, *manifests]
    warnings = completeness_warnings(play.state.values(), applied)
    play.change([*asked.request.changes, Apply(asked.introduction.preparation)])
    rejected = play.rejected
    play.start()
    if not play.run(asked.request.until_s):
        raise KeyboardInterrupt
    search = _search(asked, progress)
    obvious = tuple(_obvious(search, play, steps))
    report = RolloutAdvice(
        important=asked.important,
        preparation=tuple(label(identity(one)) for one in asked.introduction.preparation),
        obvious=obvious,
        warnings=(
            *play.notes,
            *warnings,
            *limits_of_the_model(_templates(manifests)).warnings,
            *(f"{one.object}: {one.message}" for one in rejected),
        ),
    )
    if obvious[0].is_safe:
        return replace(report, verdict="Safe", steps=obvious[0].steps)
    found = search.safe_order(play, _likely(asked.introduction))
    if found is not None:
        return replace(report, verdict="Reordered", steps=found, tried=search.tried)
    room = _room(asked, play, progress)
    return replace(
        report,
        verdict="Unknown" if search.is_cut_short else "Impossible",
        dead_ends=tuple(search.dead_ends),
        tried=search.tried,
        room=room,
        room_tried=asked.more_nodes if room is None else room.nodes,
    )


def _search(asked: RolloutRequest, progress: Progress | None) -> Search:
    judge = Judge(asked.introduction.priorities, asked.important)
    return Search(asked.introduction.steps, judge, asked.tries, progress=progress)


def _obvious(search: Search, play: Play, steps: Sequence[Step]) -> Iterator[OrderTrial]:
    yield OrderTrial("as given", search.in_order(play, steps))
    if len(steps) > 1:
        everything = tuple(manifest for step in steps for manifest in step.manifests)
        yield OrderTrial("all at once", search.in_order(play, [Step("all at once", everything)]))


def _likely(introduction: Introduction) -> list[int]:
    """The order in which a safe one is likely to be found soon: the most important first."""
    numbers = range(len(introduction.steps))
    return sorted(numbers, key=lambda number: -_priority(introduction, number))


def _priority(introduction: Introduction, number: int) -> int:
    (manifest,) = introduction.steps[number].manifests
    return introduction.priorities.of(label(identity(manifest)), int(manifest.get("value") or 0))


def _room(asked: RolloutRequest, play: Play, progress: Progress | None) -> Room | None:
    """The fewest more nodes, each like one that is there, with which an order is safe."""
    snapshot = play.scheduler.snapshot
    likes = shapes(snapshot)[:_SHAPES_MAX]
    for count in range(1, asked.more_nodes + 1):
        for like in likes:
            node = snapshot.nodes[snapshot.row_of[like]] or {}
            nodes = [node_like(node, f"{like}-more-{number + 1}") for number in range(count)]
            steps = in_a_copy(partial(_with_nodes, asked, play, nodes, progress))
            if steps is not None:
                return Room(count, like, steps)
    return None


def _with_nodes(
    asked: RolloutRequest, play: Play, nodes: Sequence[Object], progress: Progress | None
) -> tuple[StepOutcome, ...] | None:
    play.change([Apply(tuple(nodes))])
    play.run(None)
    return _search(asked, progress).safe_order(play, _likely(asked.introduction))


def _templates(manifests: Sequence[Object]) -> Iterator[Object]:
    for manifest in manifests:
        template = (manifest.get("spec") or {}).get("template")
        if template:
            yield {"metadata": manifest["metadata"], **template}
