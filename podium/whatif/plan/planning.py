"""A plan from beginning to end: state, changes, what happens then, outcome."""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from podium.api.objects import condition_status, key, name, uid
from podium.api.pods import node_name_of
from podium.api.values.message_words import count, listed
from podium.kubelet.simulated.behaviour import is_stuck
from podium.whatif.plan.chances import chances, unrelated
from podium.whatif.plan.completeness import suspended_jobs, unplayed
from podium.whatif.plan.outcome.node_fillings import node_fillings
from podium.whatif.plan.outcome.outcome_reader import outcome_of
from podium.whatif.plan.outcome.stale_priorities import stale_pods_of
from podium.whatif.plan.plan_report import Plan
from podium.whatif.plan.play import Play, Prepare
from podium.whatif.plan.play import Progress as Passed
from podium.whatif.plan.request import PlanRequest, Progress, without_changes

_STAYS = "{0} of the state {1} so: {2}; --assume-healthy has {3} recover"
_SHOWN_MAX = 3


def plan(
    request: PlanRequest,
    progress: Progress | None = None,
    *,
    workers: int = 1,
    prepare: Prepare | None = None,
) -> Plan:
    """What would happen, or what of it is known when somebody interrupts it by Ctrl-C.

    Args:
        progress: called from time to time with how far it is.
        workers: how many processes play seeds while this one plays the first. With 1, and where
            the system can't fork, this one plays all, with the same results.
        prepare: called before the changes of the first seed are made.

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
        without = _played(replace(without_changes(request), next_pods_max=0))
        anyway = () if without.interrupted else unrelated(first, without)
        first = replace(first, anyway=anyway, interrupted=without.interrupted)
    if not others:
        return first
    return replace(first, seeds=request.seeds, chances=chances([first, *others]))


def _all_played(
    request: PlanRequest, progress: Progress | None, workers: int, prepare: Prepare | None
) -> Iterator[Plan]:
    seeds = range(request.seed + 1, request.seed + request.seeds)
    others = [replace(request, seed=seed, next_pods_max=0) for seed in seeds]
    in_forks = workers > 1 and bool(others) and prepare is None
    if in_forks:
        # What other plans have no use for takes time to import.
        from podium.simulation.workers import Forks, can_fork

        in_forks = can_fork()
    if not in_forks:
        for number, one in enumerate((request, *others), start=1):
            yield (played := _played(one, progress and partial(progress, number), prepare))
            if played.interrupted:
                return
            prepare = None
        return
    # The processes are forks, and so share the state, however large.
    with Forks(_played, others, workers) as forks:
        yield (first := _played(request, progress and partial(progress, 1)))
        if first.interrupted:
            return
        try:
            for number, found in enumerate(forks.results(), start=2):
                if progress is not None:
                    progress(number, found.until_s)
                yield found
        except KeyboardInterrupt:
            yield replace(first, interrupted=True)


def _played(
    request: PlanRequest, progress: Passed | None = None, prepare: Prepare | None = None
) -> Plan:
    return played(Play(request, prepare=prepare), request, progress)


def played(play: Play, request: PlanRequest, progress: Passed | None = None) -> Plan:
    """Run a play in which the changes of a request were made, and report on what comes of them."""
    warnings = request.missing()
    warnings += play.state.facts.unplayed_owners
    new = play.found(
        f"{one.namespace}/{one.name}"
        for one in play.observer.entries[play.entries_before :]
        if one.type == "PodCreated"
    )
    waiting = [pod for pod in new if not node_name_of(pod)]
    model = play.limits_of_the_model(waiting)
    lost = [
        f"{key(pod)} asks for node {node_name_of(pod)}, which isn't there: nobody starts it"
        for pod in new
        if uid(pod) not in play.before.by_uid
        and node_name_of(pod)
        and play.cluster.store.get("Node", "", node_name_of(pod)) is None
    ]
    is_over = play.run(request.until_s, progress)
    found = outcome_of(play)
    if is_over and request.next_pods_max:
        try:
            if stale := stale_pods_of(play):
                # What other plans have no use for takes time to import.
                from podium.whatif.plan.next_pods import tried

                stale_priorities = tuple(tried(play, stale, request.next_pods_max))
                found = replace(found, stale_priorities=stale_priorities)
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


def lasting_faults(play: Play) -> Iterator[str]:
    """Sentences about pods that aren't ready and nodes that aren't Ready, as the state says."""
    pods = [key(pod) for pod in play.before.by_uid.values() if is_stuck(pod)]
    nodes = [
        name(node)
        for node in play.state.facts.of("Node")
        if condition_status(node, "Ready") not in ("", "True")
    ]
    for noun, names in (("pod", pods), ("node", nodes)):
        if names:
            verbs, them = ("isn't ready and stays", "it")
            if len(names) > 1:
                verbs, them = ("aren't ready and stay", "them")
            yield _STAYS.format(count(len(names), noun), verbs, listed(names, _SHOWN_MAX), them)
