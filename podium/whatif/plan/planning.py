"""A plan from beginning to end: state, changes, what happens then, outcome."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial

from podium.api.objects import Object, key, uid
from podium.api.pods import node_name_of
from podium.api.policy.disruption_target import BY_EVICTION, BY_PRESSURE, BY_TAINT
from podium.whatif.plan.chances import chances, unrelated
from podium.whatif.plan.lasting_faults import lasting_faults
from podium.whatif.plan.outcome.budget_courses import BudgetCourses
from podium.whatif.plan.outcome.drainages import drainages
from podium.whatif.plan.outcome.leaving_pods import removed, short_of_pods
from podium.whatif.plan.outcome.node_fillings import node_fillings
from podium.whatif.plan.outcome.outcome import Counts, Plan, Return, StalePriority
from podium.whatif.plan.outcome.outcome_reader import OutcomeReader
from podium.whatif.plan.outcome.rollouts import with_reasons
from podium.whatif.plan.outcome.silent_nodes import silent_nodes
from podium.whatif.plan.outcome.stale_priorities import stale_pods_of
from podium.whatif.plan.outcome.unplayed import suspended_jobs, unplayed
from podium.whatif.plan.outcome.workload_summary import summaries
from podium.whatif.plan.play import Play
from podium.whatif.plan.play import Progress as Passed
from podium.whatif.plan.request import PlanRequest, Progress, without_changes

__all__ = ["PlanRequest", "plan", "played"]

_EVICTIONS = (BY_EVICTION, BY_TAINT, BY_PRESSURE)

Prepare = Callable[[Play], None]
"""Is handed a play before anything happens in it."""


def plan(
    request: PlanRequest,
    progress: Progress | None = None,
    *,
    workers: int = 1,
    prepare: Prepare | None = None,
) -> Plan:
    """What would happen, or what of it is known when somebody interrupts it by Ctrl-C.

    Args:
        request: what is to be planned.
        progress: is told from time to time how far it is.
        workers: how many processes play seeds while this one plays the first. With 1, and where
            the system can't fork, this one plays all, with the same results.
        prepare: is handed the play of the first seed before any changes are made.

    Raises:
        TargetError: something to delete isn't there.
        LostProcessError: one of the processes was killed.
    """
    if request.seeds > 1:
        # Once for all, before there are other processes.
        request.state.load(settled=not request.repairs, heals=request.heals)
    first, *others = _all_played(request, progress, workers, prepare)
    if first.interrupted:
        return first
    if others and others[-1].interrupted:
        played = [first, *others[:-1]]
        return replace(first, interrupted=True, seeds=len(played), chances=chances(played))
    if (request.changes or request.pressures) and request.state.is_restless:
        unchanged = replace(without_changes(request), next_pods_max=0)
        without = _played(unchanged, request.seed)
        anyway = () if without.interrupted else unrelated(first, without)
        first = replace(first, anyway=anyway, interrupted=without.interrupted)
    if not others:
        return first
    return replace(first, seeds=request.seeds, chances=chances([first, *others]))


def _all_played(
    request: PlanRequest, progress: Progress | None, workers: int, prepare: Prepare | None
) -> Iterator[Plan]:
    """A plan for each seed; an interrupted one is the last."""
    if workers > 1 and request.seeds > 1 and prepare is None:
        # What other plans have no use for takes time to import.
        from podium.simulation.workers import can_fork

        if can_fork():
            yield from _played_in_forks(request, progress, workers)
            return
    for number in range(1, request.seeds + 1):
        told = None if progress is None else partial(progress, number)
        seed = request.seed + number - 1
        played = _played(request, seed, told, prepare if number == 1 else None)
        yield played
        if played.interrupted:
            return


def _played_in_forks(
    request: PlanRequest, progress: Progress | None, workers: int
) -> Iterator[Plan]:
    """A plan for each seed, of which other processes play all but the first.

    Each seed is played by itself, so that the number of processes changes nothing but the time.
    The processes are forks, and so share the state, however large.
    """
    from podium.simulation.workers import Forks

    seeds = [request.seed + number for number in range(1, request.seeds)]
    with Forks(partial(_played, request), seeds, workers) as others:
        first = _played(request, request.seed, progress and partial(progress, 1))
        yield first
        if first.interrupted:
            return
        try:
            for number, found in enumerate(others.results(), start=2):
                if progress is not None:
                    progress(number, found.until_s)
                yield found
        except KeyboardInterrupt:
            yield replace(first, interrupted=True)


def _played(
    request: PlanRequest, seed: int, progress: Passed | None = None, prepare: Prepare | None = None
) -> Plan:
    if seed != request.seed:
        request = replace(request, next_pods_max=0)
    play = Play(request, seed)
    if prepare is not None:
        prepare(play)
    return played(play, request, progress)


def played(play: Play, request: PlanRequest, progress: Passed | None = None) -> Plan:
    """Make the changes of a request in a play that has begun, and report on what comes of them."""
    play.change(request.changes, request.pressures)
    warnings = request.missing()
    warnings += play.facts.unplayed_owners
    new = play.found(
        f"{one.namespace}/{one.name}"
        for one in play.observer.entries[play.entries_before :]
        if one.type == "PodCreated"
    )
    waiting = [pod for pod in new if not node_name_of(pod)]
    model = play.limits_of_the_model(waiting)
    lost = [*_without_nodes(play, new)]
    is_over = play.run(request.until_s, progress)
    found = outcome_of(play)
    if is_over and request.next_pods_max:
        try:
            found = replace(found, stale_priorities=_stale_priorities(play, request.next_pods_max))
        except KeyboardInterrupt:
            is_over = False
    left_out = tuple(unplayed(request.applied))
    warnings += [f"{one.object}: {one.reason}" for one in left_out]
    late = (*play.changer.unmade(), *play.rollouts.outdated())
    return replace(
        found,
        unplayed=left_out,
        nodes=node_fillings(play) if request.draws else (),
        interrupted=not is_over,
        warnings=(*play.notes, *warnings, *model.warnings, *lost, *late),
        notes=(
            *(request.configuration.notes if request.configuration else ()),
            *model.notes,
            *(() if request.heals else lasting_faults(play)),
            *suspended_jobs(request.applied),
        ),
    )


def _stale_priorities(play: Play, most: int) -> tuple[StalePriority, ...]:
    stale = stale_pods_of(play)
    if not stale:
        return ()
    # What other plans have no use for takes time to import.
    from podium.whatif.plan.next_pods import tried

    return tuple(tried(play, stale, most))


def outcome_of(play: Play) -> Plan:
    """What a play that is over came to."""
    outcome = OutcomeReader(play)
    pending, refusals = outcome.pending(), outcome.refusals()
    gone = tuple(removed(play, outcome.histories, outcome.failed_jobs))
    rejected = (*play.rejected, *short_of_pods(play))
    found = Plan(
        placements=outcome.placements(),
        preemptions=tuple(play.preemptions.outcomes),
        pending=pending,
        budgets=tuple(BudgetCourses(play, outcome.histories, gone).changes()),
        refusals=refusals,
        rejected=rejected,
        gated=tuple(outcome.gated()),
        removed=gone,
        ignored=tuple(outcome.ignored()),
        disruptions=outcome.disruptions(),
        rollouts=tuple(with_reasons(play.rollouts.found(), pending, rejected, refusals)),
        failed_jobs=tuple(outcome.failed_jobs.found(outcome.histories, play.owners())),
        drains=tuple(drainages(play.changer.drainers, play.start_s)),
        timeline=outcome.timeline(),
        silent_nodes=tuple(silent_nodes(play)),
        until_s=round(play.passed_s, 3),
    )
    found = replace(found, workloads=summaries(play, outcome.histories, found))
    return replace(found, counts=_counts(found))


def _without_nodes(play: Play, pods: Iterable[Object]) -> Iterator[str]:
    for pod in pods:
        if uid(pod) in play.before.by_uid:
            continue
        node = node_name_of(pod)
        if node and play.cluster.store.get("Node", "", node) is None:
            yield f"{key(pod)} asks for node {node}, which isn't there: nobody starts it"


def _counts(plan: Plan) -> Counts:
    placed = sum(not one.replaces for one in plan.placements)
    return Counts(
        placed=placed,
        preempted=sum(len(one.taken) for one in plan.preemptions),
        pending=len(plan.pending),
        evicted=sum(1 + one.repeats for one in plan.disruptions if one.cause in _EVICTIONS),
        recreated=len(plan.placements) - placed,
        lost_for_good=sum(one.comes_again is Return.NEVER for one in plan.disruptions),
        failed_jobs=len(plan.failed_jobs),
        gated=len(plan.gated),
        refused=sum(1 + one.repeats for one in plan.refusals),
        rejected=sum(one.count for one in plan.rejected),
        ignored=len(plan.ignored),
        removed=len(plan.removed),
        unavailable=sum(one.is_unavailable for one in plan.workloads),
        budgets_below=sum(one.is_below for one in plan.budgets),
    )
