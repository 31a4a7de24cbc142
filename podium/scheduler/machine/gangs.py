"""Gangs: pods of one PodGroup that are scheduled in one cycle, all or a minimum number of them.

The first pod that is popped takes all others out of the queue. If enough of them fit, all that fit
are bound. If enough would fit after preemptions, the victims are removed and all members are
nominated meanwhile. Otherwise nothing is done, so that no gang ever holds a part of what it needs.
"""

import math
from collections.abc import Iterable, Iterator, Sequence

import msgspec
from msgspec.structs import replace

from podium.api.conditions import stamped_condition
from podium.api.kinds.builtin_kinds import POD_GROUP
from podium.api.objects import Object, condition_of, name, namespace, uid
from podium.api.values.message_words import listed
from podium.api.values.times import timestamp
from podium.machines.effects import status_patch_of
from podium.machines.events import Change
from podium.scheduler.config.scheduler_options import Gangs as GangOptions
from podium.scheduler.framework.cycle.decision import Decision
from podium.scheduler.framework.pod_groups import GangId, PodGroup, PodGroups
from podium.scheduler.framework.status import unschedulable
from podium.scheduler.machine.binding_cycle import BindingCycles
from podium.scheduler.machine.context import (
    KEEP,
    UNSCHEDULABLE,
    Failure,
    SchedulerContext,
    handle_scheduling_failure,
)
from podium.scheduler.machine.preemption_executor import PreemptionExecutor
from podium.scheduler.plugins.node_resources_fit import NodeResourcesFit
from podium.scheduler.queue.queued_pod import QueuedPod
from podium.scheduler.rehearsal import RehearsalOutcome, try_gang
from podium.scheduler.snapshot.pod_info import PodInfo

GANG_SCHEDULING = "GangScheduling"
"""Name of the plugin that rejects pods which wait for others of their gang."""
_NAMES_MAX = 3
_SCHEDULED = "PodGroupScheduled"


class _Reservation(msgspec.Struct, frozen=True):
    """Nominations of a gang after preemptions; cleared at `until_s`, in seconds since the epoch.

    If `is_given_up`, they have been cleared, and the gang may not preempt until then.
    """

    until_s: float
    is_given_up: bool = False


class GangScheduler:
    """Schedules the pods of PodGroups, and updates `groups` when PodGroups or pods change."""

    def __init__(
        self,
        options: GangOptions,
        groups: PodGroups,
        context: SchedulerContext,
        bindings: BindingCycles,
        preemptions: PreemptionExecutor,
    ) -> None:
        self.kinds = groups.kinds
        self._timeout_s = options.timeout_s
        self._context = context
        self._bindings = bindings
        self._preemptions = preemptions
        self._groups = groups
        self._reservations: dict[GangId, _Reservation] = {}
        self._own: dict[str, Object] = {}
        self._objects: dict[GangId, Object] = {}
        groups.follow(context.placed)

    def follow(self, change: Change) -> Iterator[Change]:
        """Handle a change of a PodGroup and retry its pods; yield changes of its pods' priority."""
        obj = change.obj
        gang = change.kind, namespace(obj), name(obj)
        before = self._groups.get(gang)
        if change.new is not None:
            self._objects[gang] = obj
            self._groups.set(change.kind, obj)
        else:
            self._objects.pop(gang, None)
            self._reservations.pop(gang, None)
            self._groups.remove(change.kind, obj)
        if self._groups.get(gang) == before:
            return
        uids = [*self._groups.uids(gang)]
        for one in uids:
            pod = self._context.pending.get(one) or self._context.placed.get(one)
            if pod is not None:
                shown = self._shown(self._own.get(one, pod.obj))
                if shown["spec"].get("priority") != pod.obj["spec"].get("priority"):
                    yield Change("Pod", pod.obj, shown)
        self._context.queue.activate(uids, self._context.now_s)

    def shown(self, change: Change) -> Change:
        """Return a change of a pod as the scheduler has to see it, with its gang's priority."""
        self._groups.note(change.old, change.new)
        if change.new is None:
            self._own.pop(uid(change.obj), None)
            gang = self._groups.gang_of(change.obj)
            if gang is not None and not any(self._groups.uids(gang)):
                self._reservations.pop(gang, None)
            return change
        shown = self._shown(change.new)
        return change if shown is change.new else Change(change.kind, change.old, shown)

    def _shown(self, pod: Object) -> Object:
        priority = self._groups.priority_of(pod)
        if priority is None or priority == pod["spec"].get("priority"):
            self._own.pop(uid(pod), None)
            return pod
        self._own[uid(pod)] = pod
        return {**pod, "spec": {**pod["spec"], "priority": priority}}

    def of(self, pod: PodInfo) -> GangId | None:
        return self._groups.gang_of(pod.obj)

    def schedule(self, queued: QueuedPod) -> bool:
        """Schedule a popped pod with its gang; return False if it has to be scheduled by itself."""
        gang = self.of(queued.pod)
        if gang is None:
            return False
        group, bound = self._groups.get(gang), len(self._groups.placed(gang))
        if group is not None and bound >= group.least:
            self._reservations.pop(gang, None)
            return False
        others = (self._context.queue.take(pod_uid) for pod_uid in self._groups.uids(gang))
        members = [queued, *(pod for pod in others if pod is not None)]
        members.sort(key=lambda one: (-one.pod.priority, one.turn))
        if group is None:
            self._hold(members, f"{_named(gang)} isn't there yet.")
        elif bound + len(members) < group.least:
            here = _listed([*self._groups.placed(gang), *(member.pod for member in members)])
            text = f"{_named(gang)} needs {group.least} pods at once, and there are only {here}."
            self._tell(gang, text)
            self._hold(members, text)
        else:
            self._try(gang, group, members, group.least - bound)
        return True

    def wake(self) -> None:
        now_s = self._context.now_s
        due = {
            gang for gang, reservation in self._reservations.items() if reservation.until_s <= now_s
        }
        if due:
            waiting = [one for gang in sorted(due) for one in self._groups.uids(gang)]
            for gang in due:
                reservation = self._reservations.pop(gang)
                if reservation.is_given_up:
                    continue
                group = self._groups.get(gang)
                asked_s = None if group is None else group.timeout_s
                wait_s = self._timeout_s if asked_s is None else asked_s
                self._reservations[gang] = _Reservation(
                    reservation.until_s + wait_s, is_given_up=True
                )
                for pod in [*self._context.scheduler.nominator.nominated()]:
                    if pod.uid in self._context.pending and self.of(pod) == gang:
                        self._context.clear_nomination(pod)
                        self._context.nomination_gone(pod)
            self._context.queue.activate(waiting, now_s)

    def next_wakeup_s(self) -> float | None:
        return min(
            (reservation.until_s for reservation in self._reservations.values()), default=None
        )

    def _try(self, gang: GangId, group: PodGroup, members: Sequence[QueuedPod], least: int) -> None:
        reservation, scheduler = self._reservations.get(gang), self._context.scheduler
        pods = [queued.pod for queued in members]
        preempts = reservation is None
        trial = try_gang(scheduler, pods, least, preempts=preempts)
        why, plugins = "", {NodeResourcesFit.name, *trial.plugins}
        columns = scheduler.snapshot.resources
        own = [*self._groups.placed(gang), *trial.victims]
        for index, needed in columns.counted(group.resources):
            resource, free = columns.names[index], columns.free[index]
            has = int(free[free > 0].sum()) + sum(pod.cls.held.get(resource, 0) for pod in own)
            if has < needed:
                unit = "m" if resource == "cpu" else ""
                asked = f"minResources of {needed}{unit} {resource}"
                why = f"{_named(gang)} asks for {asked}, and there are {has}{unit}."
                break
        if not trial.is_success:
            why, plugins = self._why(gang, trial, least, reservation), {*trial.plugins}
        if scheduler.watch is not None:
            # Only now it is clear what to show: of a gang without places, why, and no preemptions.
            watch = scheduler.watch
            unplaced = {"node_name": "", "row": -1, "post_filter": None, "preemption": None}

            def tell(decision: Decision) -> None:
                watch(replace(decision, gang=why, **unplaced) if why else decision)

            try_gang(scheduler, pods, least, preempts=preempts, tell=tell)
        if why:
            self._tell(gang, why)
            is_waiting = reservation is not None and not reservation.is_given_up
            nomination = KEEP if is_waiting else ""
            self._fail(members, Failure(why, plugins, nomination=nomination))
        elif trial.victims:
            wait_s = self._timeout_s if group.timeout_s is None else group.timeout_s
            reservation = self._reservations[gang] = _Reservation(self._context.now_s + wait_s)
            self._make_room(gang, members, trial, reservation)
        else:
            self._reservations.pop(gang, None)
            self._tell(gang)
            nodes = {place.pod.uid: place.node_name for place in trial.places}
            for queued in members:
                if queued.uid in nodes:
                    self._bindings.start(queued, nodes[queued.uid])
            left = [queued for queued in members if queued.uid not in nodes]
            self._fail(left, Failure(trial.message, trial.plugins))
            # From now on they are scheduled one by one, and may preempt.
            self._context.queue.activate([pod.uid for pod in left], self._context.now_s)

    def _why(
        self, gang: GangId, trial: RehearsalOutcome, least: int, reservation: _Reservation | None
    ) -> str:
        fit = f" ({_listed(place.pod for place in trial.places)})" if trial.places else ""
        more = ""
        if reservation is not None:
            until = timestamp(math.ceil(reservation.until_s))
            what = (
                "it makes no room before" if reservation.is_given_up else "it has room made until"
            )
            more = f", {what} {until}"
        return (
            f"{_named(gang)} needs places for {least} pods at once, and finds "
            f"{len(trial.places)}{fit}{more}. {trial.message}"
        )

    def _make_room(
        self,
        gang: GangId,
        members: Sequence[QueuedPod],
        trial: RehearsalOutcome,
        reservation: _Reservation,
    ) -> None:
        places = {place.pod.uid: place for place in trial.places}
        until = timestamp(math.ceil(reservation.until_s))
        message = (
            f"{_named(gang)} waits until {until} at most for {_listed(trial.victims)} to leave."
        )
        self._tell(gang, message)
        for queued in members:
            place = places.get(queued.uid)
            node_name = "" if place is None else place.node_name
            failure = Failure(message, trial.plugins, nomination=node_name)
            if place is not None and place.found is not None:
                self._context.attempted(UNSCHEDULABLE, queued.scheduler_name, 0.0)
                self._preemptions.start(queued, place.found, failure)
            else:
                self._fail([queued], failure)

    def _hold(self, members: Sequence[QueuedPod], why: str) -> None:
        watch = self._context.scheduler.watch
        for queued in members:
            if watch is not None:
                watch(Decision(queued.pod, gate=unschedulable(why[:-1], plugin=GANG_SCHEDULING)))
        self._fail(members, Failure(why, frozenset({GANG_SCHEDULING}), nomination=KEEP))

    def _tell(self, gang: GangId, why: str = "") -> None:
        obj = self._objects.get(gang)
        if obj is None or gang[0] != POD_GROUP.key:
            return
        said = ("False", "Unschedulable") if why else ("True", "Scheduled")
        condition = {"type": _SCHEDULED, "status": said[0], "reason": said[1], "message": why}
        known = condition_of(obj, _SCHEDULED)
        stamped = stamped_condition(known, condition, self._context.now_s)
        if stamped is not None:
            status = {"conditions": [stamped]}
            self._objects[gang] = {**obj, "status": status}
            self._context.dispatcher.put(status_patch_of(POD_GROUP.key, obj, status))

    def _fail(self, members: Sequence[QueuedPod], failure: Failure) -> None:
        for queued in members:
            self._context.attempted(UNSCHEDULABLE, queued.scheduler_name, 0.0)
            handle_scheduling_failure(self._context, queued, failure)


def _named(gang: GangId) -> str:
    return f"PodGroup {gang[1]}/{gang[2]}"


def _listed(pods: Iterable[PodInfo]) -> str:
    return listed([pod.name for pod in pods], _NAMES_MAX)
