"""Decides about several pods in turn, as if each decision were carried out, and undoes it all."""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import msgspec
from msgspec.structs import replace

from podium.api.pods import scheduler_name_of
from podium.scheduler.framework.cycle.decision import Decision
from podium.scheduler.framework.cycle.diagnosis import failure_message, rejecting_plugins
from podium.scheduler.framework.interface import PostFilterResult
from podium.scheduler.framework.trial_changes import TrialChanges
from podium.scheduler.scheduler import Scheduler
from podium.scheduler.snapshot.pod_info import PodInfo


@contextmanager
def rehearsal(scheduler: Scheduler, pods: Collection[PodInfo]) -> Iterator["Rehearsal"]:
    """Decide about pods in turn, each as if earlier decisions were carried out at once.

    `Scheduler.watch` isn't called, and the scheduler is restored at the end. A nominated pod among
    `pods` tries its node first, but its nomination counts for no other pod.
    """
    budgets, watch, nominated = scheduler.budgets.budgets, scheduler.watch, []
    for pod in pods:
        node_name = pod.nominated_node_name
        nominated.append((pod, node_name))
        scheduler.nominator.withdraw(pod)
        pod.nominated_node_name = node_name
    scheduler.watch = None
    try:
        with TrialChanges(scheduler.handle) as changes:
            yield Rehearsal(scheduler, changes)
    finally:
        scheduler.watch = watch
        scheduler.budgets.replace(budgets)
        for pod, node_name in nominated:
            pod.nominated_node_name = ""
            scheduler.nominator.nominate(pod, node_name)


class Rehearsal:
    """Carries decisions out in the snapshot while a rehearsal lasts."""

    def __init__(self, scheduler: Scheduler, changes: TrialChanges) -> None:
        self._scheduler = scheduler
        self.changes = changes

    def carry_out(self, decision: Decision) -> str:
        """Remove the victims and place the pod; return its node's name, or "" if it has none."""
        post_filter, victims = decision.post_filter, tuple[PodInfo, ...]()
        node_name = decision.node_name
        if not node_name and post_filter is not None and post_filter.victims:
            node_name, victims = post_filter.nominated_node_name or "", post_filter.victims
        if node_name:
            self.changes.take(victims)
            columns = self._scheduler.budgets
            spent = Counter(number for pod in victims for number in columns.spent_by(pod))
            if spent:
                columns.replace(
                    replace(budget, allowed=budget.allowed - spent[number])
                    for number, budget in enumerate(columns.budgets)
                )
            self.changes.put(decision.pod, node_name)
        return node_name


class GangPlace(msgspec.Struct, frozen=True):
    """The node for a pod of a gang; `found` is the preemption that it needs, if any."""

    pod: PodInfo
    node_name: str
    found: PostFilterResult | None


@dataclass(frozen=True, slots=True)
class RehearsalOutcome:
    """The result of a rehearsal of a gang."""

    places: Sequence[GangPlace]
    is_success: bool
    """Whether at least the required number of pods have places."""
    message: str
    """Why the first pod without a place has none; empty if all have one."""
    plugins: frozenset[str]
    """The plugins that rejected any of the pods before preemption."""

    @property
    def victims(self) -> list[PodInfo]:
        return [pod for place in self.places if place.found for pod in place.found.victims]


def try_gang(
    scheduler: Scheduler,
    pods: Sequence[PodInfo],
    least: int,
    *,
    preempts: bool = True,
    tell: Callable[[Decision], None] | None = None,
) -> RehearsalOutcome:
    """Decide about the pods of a gang in turn, each as if those before were on their nodes.

    Args:
        pods: the pods, the more important ones first.
        least: the required number of places; once there are so many, no pod is preempted any more.
        tell: called with each decision; without its preemption if that isn't carried out.
    """
    places, message, plugins = list[GangPlace](), "", set[str]()
    with rehearsal(scheduler, pods) as rehearsed:
        for pod in pods:
            decision = scheduler.decide(pod, scheduler_name_of(pod.obj))
            if not decision.node_name:
                plugins |= set(rejecting_plugins(decision))
            post_filter = decision.post_filter
            takes = post_filter is not None and bool(post_filter.victims)
            if takes and (not preempts or len(places) >= least):
                takes, decision = False, replace(decision, post_filter=None, preemption=None)
            if tell is not None:
                tell(decision)
            if decision.node_name or takes:
                node_name = rehearsed.carry_out(decision)
                places.append(GangPlace(pod, node_name, post_filter if takes else None))
            elif not message:
                message = failure_message(decision, scheduler.snapshot)
    return RehearsalOutcome(places, len(places) >= least, message, frozenset(plugins))
