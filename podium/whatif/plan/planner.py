"""Plans of one request, simulated with each of its seeds, or of many changes to one state."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial

from podium.api.documents.report import report_facts
from podium.api.objects import condition_status, is_terminating, key, name, uid
from podium.api.pods import is_finished, node_name_of, scheduler_name_of
from podium.api.values.message_words import count, listed
from podium.kubelet.simulated.behaviour import is_stuck
from podium.scheduler.snapshot.pod_info import pending_pod
from podium.simulation.workers import Forks, can_fork, in_workers
from podium.whatif.plan.changes import Change
from podium.whatif.plan.completeness import suspended_jobs, unplayed
from podium.whatif.plan.outcome.node_fillings import node_fillings
from podium.whatif.plan.outcome.outcome_reader import outcome_of
from podium.whatif.plan.outcome.stale_priorities import stale_pods_of
from podium.whatif.plan.outcome.timeline import Timeline
from podium.whatif.plan.plan_report import Chance, Fate, Plan, PodRow
from podium.whatif.plan.play import Play, Prepare, busy_controllers
from podium.whatif.plan.play import Progress as PlayProgress
from podium.whatif.plan.request import PlanRequest, Progress, without_changes

_DISTURBED = ("taint-eviction-controller", "disruption-controller")
_SHOWN_MAX = 3
_PENDING = "pending"


def plan(
    request: PlanRequest,
    progress: Progress | None = None,
    *,
    workers: int = 1,
    prepare: Prepare | None = None,
) -> Plan:
    """Simulate a request with each of its seeds; after Ctrl-C, return the results so far.

    Args:
        workers: how many processes simulate further seeds while this one simulates the first.
            If 1, or if the system can't fork, this process simulates all, with equal results.
        prepare: called before the changes are made for the first seed.
    """
    if request.seeds > 1:
        # Once for all, before there are other processes.
        request.state.load(settled=not request.repairs, heals=request.heals)
    first, *others = _plans_by_seed(request, progress, workers, prepare)
    if first.interrupted:
        return first
    if others and others[-1].interrupted:
        played = [first, *others[:-1]]
        return replace(first, interrupted=True, seeds=len(played), chances=_chances(played))
    if (request.changes or request.pressures) and request.state.is_restless:
        without = _plan_of_seed(replace(without_changes(request), next_pods_max=0))
        anyway = () if without.interrupted else _unrelated(first, without)
        first = replace(first, anyway=anyway, interrupted=without.interrupted)
    if not others:
        return first
    return replace(first, seeds=request.seeds, chances=_chances([first, *others]))


def _plans_by_seed(
    request: PlanRequest, progress: Progress | None, workers: int, prepare: Prepare | None
) -> Iterator[Plan]:
    seeds = range(request.seed + 1, request.seed + request.seeds)
    others = [replace(request, seed=seed, next_pods_max=0) for seed in seeds]
    if not (workers > 1 and others and prepare is None and can_fork()):
        for number, one in enumerate((request, *others), start=1):
            yield (found := _plan_of_seed(one, progress and partial(progress, number), prepare))
            if found.interrupted:
                return
            prepare = None
        return
    # The processes are forks, and so share the state, however large.
    with Forks(_plan_of_seed, others, workers) as forks:
        yield (first := _plan_of_seed(request, progress and partial(progress, 1)))
        if first.interrupted:
            return
        try:
            for number, found in enumerate(forks.results(), start=2):
                if progress is not None:
                    progress(number, found.until_seconds)
                yield found
        except KeyboardInterrupt:
            yield replace(first, interrupted=True)


def _plan_of_seed(
    request: PlanRequest, progress: PlayProgress | None = None, prepare: Prepare | None = None
) -> Plan:
    return _plan_of(Play(request, prepare=prepare), request, progress)


def _plan_of(play: Play, request: PlanRequest, progress: PlayProgress | None = None) -> Plan:
    warnings = [*request.missing(), *play.state.facts.unplayed_owners]
    created = Timeline(play).created.items()
    new = play.find_pods(pod.pod for number, pod in created if number >= play.entries_before)
    unheeded = play.notes_on_the_model([pod for pod in new if not node_name_of(pod)])
    nodeless = [
        f"{key(pod)} asks for node {node_name_of(pod)}, which isn't there: no kubelet starts it"
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
                # Plans without stale priorities have no use for it, and it takes time to import.
                from podium.whatif.plan.next_pods import tried

                stale_priorities = tuple(tried(play, stale, request.next_pods_max))
                found = replace(found, stale_priorities=stale_priorities)
        except KeyboardInterrupt:
            is_over = False
    left_out = tuple(unplayed(request.applied))
    warnings += [f"{one.object}: {one.reason}" for one in left_out]
    late = (*play.executor.unmade(), *play.rollouts.outdated())
    return replace(
        found,
        unplayed=left_out,
        nodes=tuple(node_fillings(play)) if request.draws else (),
        interrupted=not is_over,
        warnings=(*play.notes, *warnings, *nodeless, *late),
        notes=(
            *(request.configuration.notes if request.configuration else ()),
            *unheeded,
            *(() if request.heals else _lasting_faults(play)),
            *suspended_jobs(request.applied),
        ),
    )


def _lasting_faults(play: Play) -> Iterator[str]:
    pods = [key(pod) for pod in play.before.by_uid.values() if is_stuck(pod)]
    nodes = [
        name(node)
        for node in play.state.facts.of("Node")
        if condition_status(node, "Ready") not in ("", "True")
    ]
    for noun, names in (("pod", pods), ("node", nodes)):
        if names:
            is_one = len(names) == 1
            stay = "isn't ready and stays" if is_one else "aren't ready and stay"
            yield (
                f"{count(len(names), noun)} of the state {stay} so: {listed(names, _SHOWN_MAX)}; "
                f"--assume-healthy has {'it' if is_one else 'them'} recover"
            )


def _chances(plans: Sequence[Plan]) -> tuple[Chance, ...]:
    """Return the pods whose outcome depends on chance, with the number of times of each outcome.

    Of equally good nodes, kube-scheduler takes one at random. Podium takes the first one in an
    order of all nodes that depends on the seed; with seed 0, nodes are ordered by name.
    """
    fates = [_fates(plan) for plan in plans]
    rows = {row.pod: row for plan in plans for row in _rows(plan)}
    found = []
    for pod in dict.fromkeys(pod for fate in fates for pod in fate):
        counted = Counter(fate.get(pod, "nothing of it") for fate in fates)
        if len(counted) > 1:
            facts = report_facts(rows[pod], PodRow)
            found.append(Chance(**facts, outcomes=tuple(counted.most_common())))
    return tuple(found)


def _unrelated(plan: Plan, unchanged: Plan) -> tuple[Fate, ...]:
    """Return the pods with equal placements or disruptions in `plan` and in `unchanged`."""
    anyway, rows = _fates(unchanged), {row.pod: row for row in _rows(plan)}
    return tuple(
        Fate(**report_facts(rows[pod], PodRow), outcome=outcome)
        for pod, outcome in _fates(plan).items()
        if outcome != _PENDING and anyway.get(pod) == outcome
    )


def _rows(plan: Plan) -> Iterator[PodRow]:
    yield from (*plan.placements, *plan.pending, *plan.disruptions)


def _fates(plan: Plan) -> dict[str, str]:
    fates = {placement.pod: placement.node for placement in plan.placements}
    fates |= {pending.pod: _PENDING for pending in plan.pending}
    return fates | {disruption.pod: "loses its place" for disruption in plan.disruptions}


class Planner:
    """Plans many changes to one state, independently of each other.

    The state is loaded, and the cluster started, only once. Each plan is simulated in a fork of
    this process, which shares all unchanged memory; `outcomes` runs `workers` forks at a time. If
    the system can't fork, each plan loads the state again. Changes and further seeds of `request`
    are ignored.
    """

    def __init__(self, request: PlanRequest, workers: int = 1) -> None:
        self._request = replace(without_changes(request), seeds=1)
        self._workers = workers
        self._controllers = busy_controllers(self._request)
        self._play: Play | None = None
        self._unchanged: dict[float | None, Plan] = {}

    def accepts(self, request: PlanRequest) -> bool:
        """True if a request differs from the common one only in options that forks can change."""
        return _beginning_of(request) == _beginning_of(self._request)

    def plan(self, changes: Sequence[Change]) -> Plan:
        """Plan changes with the options of the common request; raises like `plan_request`."""
        return self.plan_request(replace(self._request, changes=changes))

    def plan_request(self, request: PlanRequest) -> Plan:
        """Plan a request that the planner accepts."""
        found = self._planned(request)
        if not ((request.changes or request.pressures) and request.state.is_restless):
            return found
        until_s = request.until_s
        if until_s not in self._unchanged:
            unchanged = replace(without_changes(request), next_pods_max=0)
            self._unchanged[until_s] = self._planned(unchanged)
        return replace(found, anyway=_unrelated(found, self._unchanged[until_s]))

    def outcomes(
        self, disturbances: Sequence[Sequence[Change]], progress: Callable[[int], None] | None
    ) -> Iterator[Plan]:
        """Yield the outcome of each list of changes, without warnings and notes."""
        controllers = busy_controllers(self._request, changes_later=True)
        if can_fork():
            # As much as possible is done before the forks.
            play = self._beginning(controllers)
            play.cluster.wake_controllers(_DISTURBED)
            play.cluster.driver.run_until(play.start_s)

        def disturbed(changes: Sequence[Change]) -> Plan:
            play = self._beginning(controllers)
            play.change(changes)
            play.run(self._request.until_s)
            return outcome_of(play)

        return in_workers(disturbed, disturbances, self._workers, progress)

    def _planned(self, request: PlanRequest) -> Plan:
        controllers = busy_controllers(request)
        if can_fork():
            self._beginning(controllers)

        def go_on(request: PlanRequest) -> Plan:
            play = self._beginning(controllers)
            play.record_preemptions(request.alternatives_max)
            play.change(request.changes, request.pressures)
            return _plan_of(play, request)

        (found,) = in_workers(go_on, [request], 1)
        return found

    def _beginning(self, controllers: frozenset[str]) -> Play:
        if self._play is None or not can_fork() or not controllers <= self._controllers:
            self._controllers |= controllers
            self._play = Play(self._request, controllers=self._controllers)
        return self._play


def _beginning_of(request: PlanRequest) -> PlanRequest:
    common = without_changes(request)
    return replace(common, seeds=1, until_s=None, alternatives_max=0, draws=False, next_pods_max=0)


def with_optimum(plan: Plan, request: PlanRequest, seconds: float) -> Plan:
    """Add the least disruption that places the pods that are pending right after the changes."""
    # Few plans are compared with it, and the others start faster without the import.
    from podium.whatif.optimum.solver import solve, tally

    play = Play(request)
    play.machine.handlers.settle_budgets()
    scheduler = play.scheduler
    pods = [
        pending_pod(pod, scheduler.snapshot.classes)
        for pod in play.cluster.store.list("Pod").items
        if not (node_name_of(pod) or is_terminating(pod) or is_finished(pod))
        and scheduler_name_of(pod) in scheduler.pipelines
        and not pod["spec"].get("schedulingGates")
    ]
    optimum = solve(scheduler, pods, seconds)
    keys = {pod.key for pod in pods}
    victims = [
        (victim.priority, victim.pdb_violation)
        for preemption in plan.preemptions
        if preemption.preemptor in keys
        for victim in preemption.taken
    ]
    placed = keys & {placement.pod for placement in plan.placements}
    return replace(plan, optimum=replace(optimum, ordinary=tally(len(placed), victims)))
