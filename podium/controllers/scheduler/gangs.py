"""Gangs: pods of one PodGroup that are scheduled in one cycle, all of them or at least so many.

Whoever of them is popped first has all others taken out of the queue. Either enough of them fit,
and all that do are bound; or enough would after preemptions, and only then victims are told to go,
while all members are nominated, so that nobody else takes the room; or nothing at all is done. So
no gang ever holds a part of what it needs while it waits for the rest.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from podium.config.preemption_options import Gangs as GangOptions
from podium.control.events import Change
from podium.controllers.scheduler.binding_cycle import BindingCycles
from podium.controllers.scheduler.context import (
    KEEP,
    Failure,
    SchedulerContext,
    handle_scheduling_failure,
)
from podium.controllers.scheduler.gang_trial import Trial, try_gang
from podium.controllers.scheduler.metrics import UNSCHEDULABLE
from podium.controllers.scheduler.preemption import PreemptionExecutor
from podium.core.framework import PostFilterResult
from podium.core.gangs.pod_groups import GangId, PodGroup, PodGroups, kind_of_api
from podium.core.pods import PodInfo
from podium.core.queue import QueuedPod

GANG_SCHEDULING = "GangScheduling"
"""Who rejects pods that wait for others of their gang."""


@dataclass(frozen=True, slots=True)
class _Room:
    """Room that was made for a gang.

    Attributes:
        until_s: when it is given up; from then on, until when no other is made.
        is_given_up: which of both.
    """

    until_s: float
    is_given_up: bool = False


class Gangs:
    """Schedules the pods of PodGroups.

    Attributes:
        kinds: what PodGroups are watched under.

    Args:
        options: whose PodGroups count, and how long they wait.
        context: of the scheduler.
        bindings: binds members.
        preemptions: has victims go.
    """

    def __init__(
        self,
        options: GangOptions,
        context: SchedulerContext,
        bindings: BindingCycles,
        preemptions: PreemptionExecutor,
    ) -> None:
        self.kinds = frozenset(map(kind_of_api, options.pod_groups))
        self._timeout_s = options.timeout_s
        self._context = context
        self._bindings = bindings
        self._preemptions = preemptions
        self._groups = PodGroups(self.kinds)
        self._rooms: dict[GangId, _Room] = {}

    def follow(self, change: Change) -> None:
        """Take a change of a PodGroup in; its pods are tried again."""
        if change.new is not None:
            self._groups.set(change.kind, change.new)
        elif change.old is not None:
            self._groups.remove(change.kind, change.old)
        waiting = [pod.uid for pod in self._context.pending.values() if self.of(pod)]
        self._context.queue.activate(waiting, self._context.now_s)

    def of(self, pod: PodInfo) -> GangId | None:
        """The PodGroup that a pod belongs to; None if it is for itself."""
        return self._groups.gang_of(pod.obj)

    def schedule(self, queued: QueuedPod) -> bool:
        """Have a popped pod scheduled with its gang; False if it can be by itself."""
        gang = self.of(queued.pod)
        if gang is None:
            return False
        group, bound = self._groups.get(gang), len(self._placed(gang))
        if group is not None and bound >= group.least:
            self._rooms.pop(gang, None)
            return False
        members = self._taken(gang, queued)
        if group is None:
            text = f"PodGroup {gang[1]}/{gang[2]} isn't there yet."
            self._fail(members, Failure(text, frozenset({GANG_SCHEDULING}), nomination=KEEP))
        elif bound + len(members) < group.least:
            text = f"{bound + len(members)} of at least {group.least} pods of {_named(gang)} wait."
            self._fail(members, Failure(text, frozenset({GANG_SCHEDULING}), nomination=KEEP))
        else:
            self._try(gang, group, members, group.least - bound)
        return True

    def whole(self, found: PostFilterResult) -> PostFilterResult:
        """The victims with those that go with them, as their PodGroup says so."""
        gangs = {gang for victim in found.victims if (gang := self._going_as_a_whole(victim))}
        if not gangs:
            return found
        known = {victim.uid for victim in found.victims}
        more = [pod for gang in sorted(gangs) for pod in self._placed(gang) if pod.uid not in known]
        return replace(found, victims=(*found.victims, *more))

    def wake(self) -> None:
        """Have gangs tried whose time is up."""
        now_s = self._context.now_s
        due = {gang for gang, room in self._rooms.items() if room.until_s <= now_s}
        if due:
            waiting = [p.uid for p in self._context.pending.values() if self.of(p) in due]
            for gang in due:
                self._expire(gang)
            self._context.queue.activate(waiting, now_s)

    def next_wakeup_s(self) -> float | None:
        """When the next one's time is up."""
        return min((room.until_s for room in self._rooms.values()), default=None)

    def _try(self, gang: GangId, group: PodGroup, members: Sequence[QueuedPod], least: int) -> None:
        room, scheduler = self._rooms.get(gang), self._context.scheduler
        pods = [queued.pod for queued in members]
        preempts = room is None
        trial = try_gang(scheduler, pods, least, preempts=preempts)
        if trial.is_success and not trial.needs_victims:
            self._rooms.pop(gang, None)
            self._bind(members, trial)
        elif trial.is_success:
            if scheduler.watch is not None:
                trial = try_gang(scheduler, pods, least, is_told=True)
            wait_s = self._timeout_s if group.timeout_s is None else group.timeout_s
            self._rooms[gang] = _Room(self._context.now_s + wait_s)
            self._make_room(gang, members, trial)
        else:
            is_waiting = room is not None and not room.is_given_up
            message = f"{_named(gang)}: only {len(trial.places)} of at least {least} pods fit"
            more = ", others wait for room that is being made" if is_waiting else ""
            failure = Failure(
                f"{message}{more}. {trial.message}",
                trial.plugins,
                nomination=KEEP if is_waiting else "",
            )
            self._fail(members, failure)

    def _bind(self, members: Sequence[QueuedPod], trial: Trial) -> None:
        nodes = {place.pod.uid: place.node_name for place in trial.places}
        left = [queued for queued in members if queued.uid not in nodes]
        for queued in members:
            if queued.uid in nodes:
                self._bindings.start(queued, nodes[queued.uid])
        self._fail(left, Failure(trial.message, trial.plugins))

    def _make_room(self, gang: GangId, members: Sequence[QueuedPod], trial: Trial) -> None:
        places = {place.pod.uid: place for place in trial.places}
        victims = sum(len(place.found.victims) for place in trial.places if place.found)
        message = f"{_named(gang)} waits for {victims} pods to leave."
        for queued in members:
            place = places.get(queued.uid)
            node_name = "" if place is None else place.node_name
            failure = Failure(message, trial.plugins, nomination=node_name)
            self._context.metrics.attempted(UNSCHEDULABLE, queued.scheduler_name, 0.0)
            if place is not None and place.found is not None:
                self._preemptions.start(queued, self.whole(place.found), failure)
            else:
                handle_scheduling_failure(self._context, queued, failure)

    def _fail(self, members: Sequence[QueuedPod], failure: Failure) -> None:
        for queued in members:
            self._context.metrics.attempted(UNSCHEDULABLE, queued.scheduler_name, 0.0)
            handle_scheduling_failure(self._context, queued, failure)

    def _taken(self, gang: GangId, first: QueuedPod) -> list[QueuedPod]:
        """The members that can be tried, with the one that was popped, the first in line first."""
        queue = self._context.queue
        uids = [pod.uid for pod in self._context.pending.values() if self.of(pod) == gang]
        others = (queue.take(pod_uid) for pod_uid in uids)
        members = [first, *(one for one in others if one is not None)]
        return sorted(members, key=lambda one: (-one.pod.priority, one.turn))

    def _placed(self, gang: GangId) -> list[PodInfo]:
        """The members on nodes, assumed ones included, that aren't leaving."""
        placed = self._context.placed.values()
        return [pod for pod in placed if not pod.cls.terminating and self.of(pod) == gang]

    def _going_as_a_whole(self, victim: PodInfo) -> GangId | None:
        gang = self.of(victim)
        group = None if gang is None else self._groups.get(gang)
        return gang if group is not None and group.goes_as_a_whole else None

    def _expire(self, gang: GangId) -> None:
        """Give room up, and after that rest as long."""
        room = self._rooms.pop(gang)
        if room.is_given_up:
            return
        group = self._groups.get(gang)
        wait_s = self._timeout_s if group is None or group.timeout_s is None else group.timeout_s
        self._rooms[gang] = _Room(room.until_s + wait_s, is_given_up=True)
        for pod in [*self._context.scheduler.nominator.nominated()]:
            if pod.uid in self._context.pending and self.of(pod) == gang:
                self._context.clear_nomination(pod)
                self._context.tell_nomination_gone(pod)


def _named(gang: GangId) -> str:
    return f"PodGroup {gang[1]}/{gang[2]}"
