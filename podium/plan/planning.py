"""A plan from beginning to end: state, changes, what happens then, outcome."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from podium.api.meta import key, name
from podium.api.taints import NO_EXECUTE
from podium.api.times import NANOS_PER_SECOND, parse_time
from podium.cluster.options import START_S
from podium.plan.budgets import BudgetBook
from podium.plan.chances import chances, unrelated
from podium.plan.outcome import Plan
from podium.plan.playing.play import Play
from podium.plan.playing.play import Progress as Passed
from podium.plan.playing.telling import Told
from podium.plan.preparing import Prepared, Request, prepare
from podium.plan.queue import waiting
from podium.plan.state import State, node_name

__all__ = ["Request", "plan"]

Object = Mapping[str, Any]
Progress = Callable[[int, float], None]
"""Is told which of the seeds is played, from 1, and how many seconds of it have passed."""


def plan(request: Request, progress: Progress | None = None) -> Plan:
    """What would happen, or what of it is known when somebody interrupts it by Ctrl-C.

    Args:
        request: what is to be planned.
        progress: is told from time to time how far it is.

    Raises:
        TargetError: something to delete isn't there.
    """
    prepared = prepare(request)
    first, *others = _all_played(prepared, request, progress)
    if first.interrupted:
        return first
    if others and others[-1].interrupted:
        played = [first, *others[:-1]]
        return replace(first, interrupted=True, seeds=len(played), chances=chances(played))
    if (request.applied or request.deleted or request.pressures) and _is_restless(prepared.before):
        unchanged = replace(request, applied=(), deleted=(), pressures=())
        without = _played(prepare(unchanged), unchanged, request.seed)
        anyway = () if without.interrupted else unrelated(first, without)
        first = replace(first, anyway=anyway, interrupted=without.interrupted)
    if not others:
        return first
    return replace(first, seeds=request.seeds, chances=chances([first, *others]))


def _all_played(prepared: Prepared, request: Request, progress: Progress | None) -> Iterator[Plan]:
    """A plan for each seed; an interrupted one is the last."""
    for number in range(1, request.seeds + 1):
        told = None if progress is None else partial(progress, number)
        played = _played(prepared, request, request.seed + number - 1, told)
        yield played
        if played.interrupted:
            return


def _is_restless(state: State) -> bool:
    """Whether anything may happen to the state's pods without any changes."""
    tainted = any(
        taint.get("effect") == NO_EXECUTE
        for node in state.of_kind("Node")
        for taint in (node.get("spec") or {}).get("taints") or ()
    )
    return tainted or bool(waiting(state.pods))


def _played(
    prepared: Prepared, request: Request, seed: int, progress: Passed | None = None
) -> Plan:
    book = BudgetBook(prepared.before, prepared.after)
    coming = [*prepared.named(), *prepared.undecided()]
    play = Play(
        prepared.after,
        coming,
        prepared.lost,
        book,
        request.configuration,
        eviction=request.eviction,
        start_s=start_s(prepared.before),
        seed=seed,
        alternatives_max=request.alternatives_max,
    )
    is_over = play.run(request.until_s, progress)
    told = Told(play, prepared.waiting(), coming, prepared.lost)
    nodes = [name(node) for node in prepared.after.of_kind("Node")]
    notes = request.configuration.notes if request.configuration else ()
    return Plan(
        placements=told.placements(prepared.named(), nodes),
        preemptions=tuple(play.preempted.outcomes),
        pending=told.pending(),
        budgets=book.changes(told.broken()),
        refusals=told.refusals(),
        rejected=(*prepared.rejected, *told.rejected()),
        gated=told.gated(),
        removed=tuple(prepared.removed),
        ignored=told.ignored(),
        disruptions=told.disruptions(),
        timeline=told.timeline(),
        until_s=request.until_s if is_over else round(play.passed_s, 3),
        interrupted=not is_over,
        warnings=(*prepared.warnings, *_without_nodes(prepared, nodes)),
        notes=(*notes, *prepared.notes),
    )


def start_s(state: State) -> float:
    """When a plan begins: the latest time that the state's pods and nodes tell of.

    In seconds since the epoch; a fixed time if they tell of none.
    """
    times = [text for obj in state.of_kind("Pod", "Node") for text in _times(obj)]
    return max(map(parse_time, set(times))) / NANOS_PER_SECOND if times else START_S


def _times(obj: Object) -> Iterator[str]:
    created = obj["metadata"].get("creationTimestamp")
    started = (obj.get("status") or {}).get("startTime")
    yield from (text for text in (created, started) if text)


def _without_nodes(prepared: Prepared, nodes: Iterable[str]) -> Iterator[str]:
    known = set(nodes)
    for pod in prepared.named():
        if node_name(pod) not in known:
            yield f"{key(pod)} asks for node {node_name(pod)}, which isn't there: nobody starts it"
