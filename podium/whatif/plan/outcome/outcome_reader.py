"""The outcome of a play, read from its timeline and from the cluster at its end."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

from msgspec import structs

from podium.api.objects import Object, condition_message, holds, is_terminating, labels, name
from podium.api.objects import uid as uid_of
from podium.api.pods import (
    node_name_of,
    nominated_node_of,
    phase_of,
    scheduler_name_of,
)
from podium.api.policy.disruption_target import (
    BY_DEVICE_TAINT,
    BY_EVICTION,
    BY_KUBELET,
    BY_POD_GC,
    BY_PRESSURE,
    BY_SCHEDULER,
    BY_TAINT,
)
from podium.api.priority import pod_priority
from podium.api.values.times import epoch_s
from podium.api.well_known import ZONE_LABEL
from podium.api.workloads import RECREATING
from podium.cluster.virtual.loading.unhealthy_objects import is_silent
from podium.kubelet.pod_status import REJECTED
from podium.scheduler.plugins.devices.device_filter import NO_DEVICES
from podium.simulation.runner.eviction_advice import DELETION
from podium.simulation.timeline.pod_history import PodHistory, is_end
from podium.simulation.timeline.timeline_sentences import overslept, sentence, subject
from podium.whatif.plan.outcome.budget_courses import budget_changes
from podium.whatif.plan.outcome.lost_pods import (
    failed_jobs,
    has_all_its_pods,
    is_done_without,
    is_lost_with_job,
    removed,
    short_of_pods,
)
from podium.whatif.plan.outcome.pod_devices import PodDevices
from podium.whatif.plan.outcome.timeline import Timeline
from podium.whatif.plan.outcome.workload_summary import summaries
from podium.whatif.plan.plan_report import (
    Counts,
    Disruption,
    Drainage,
    DrainBlocker,
    GatedPod,
    Happening,
    IgnoredPod,
    Moment,
    NodeRefusal,
    PendingPod,
    Placement,
    Plan,
    RejectedObject,
    Return,
    Rollout,
    SilentNode,
)
from podium.whatif.plan.play import Play

_EVICTIONS = (BY_EVICTION, BY_TAINT, BY_DEVICE_TAINT, BY_PRESSURE)
_NOT_TRIED = "no scheduler has come to it yet"
_NOWHERE = PodHistory("", "", 0, "", None, is_new=False)


def outcome_of(play: Play) -> Plan:
    """Read the outcome of a play that is over."""
    reader = OutcomeReader(play)
    timeline = reader.timeline
    pending, refusals = reader.pending(), reader.refusals()
    gone = tuple(removed(timeline))
    rejected = (*play.rejected, *short_of_pods(timeline))
    plan = Plan(
        placements=reader.placements(),
        preemptions=tuple(play.preemptions.outcomes),
        pending=pending,
        budgets=tuple(budget_changes(timeline, gone)),
        refusals=refusals,
        rejected=rejected,
        gated=tuple(reader.gated()),
        removed=gone,
        ignored=tuple(reader.ignored()),
        disruptions=tuple(reader.disruptions()),
        rollouts=tuple(_rollouts(play, pending, rejected, refusals)),
        failed_jobs=tuple(failed_jobs(timeline)),
        drains=tuple(_drains(play)),
        timeline=tuple(reader.moments()),
        silent_nodes=tuple(_silent_nodes(timeline)),
        until_seconds=round(play.passed_s, 3),
    )
    plan = replace(plan, workloads=summaries(timeline, plan))
    placed = sum(not placement.replaces for placement in plan.placements)
    counts = Counts(
        placed=placed,
        preempted=sum(len(preemption.taken) for preemption in plan.preemptions),
        pending=len(plan.pending),
        evicted=sum(1 + one.repeats for one in plan.disruptions if one.cause in _EVICTIONS),
        recreated=len(plan.placements) - placed,
        lost_for_good=sum(one.comes_again is Return.NEVER for one in plan.disruptions),
        failed_jobs=len(plan.failed_jobs),
        gated=len(plan.gated),
        refused=sum(1 + refusal.repeats for refusal in plan.refusals),
        rejected=sum(one.count for one in plan.rejected),
        ignored=len(plan.ignored),
        removed=len(plan.removed),
        unavailable=sum(workload.unavailable for workload in plan.workloads),
        budgets_below=sum(budget.is_below for budget in plan.budgets),
    )
    return replace(plan, counts=counts)


class OutcomeReader:
    """Reads the rows about pods from the timeline of a play and from its cluster."""

    def __init__(self, play: Play) -> None:
        self.timeline = Timeline(play)
        self._play = play
        self._store = play.cluster.store
        self._owners = self.timeline.owners
        self._devices = PodDevices(play)
        self._preemptors = play.preemptions.preemptors
        self._histories = self.timeline.histories
        self._repetitions = self._histories.repetitions
        histories = self._histories.by_uid.values()
        # The other pods are where they were.
        self._pods = play.find_pods({history.pod for history in histories})
        self._replacements = {history.replaces: history for history in histories}
        self._rows = {history.uid: self._owners.row(history) for history in histories}

    def placements(self) -> tuple[Placement, ...]:
        """Return the pods that were bound during the play, in the order of their bindings."""
        nodes = {name(node) for node in self._store.list("Node").items}
        placed = []
        for pod in self._pods:
            history = self._history(pod)
            if history.bound_s is None or is_terminating(pod) or phase_of(pod) == "Failed":
                continue
            if node_name_of(pod) in nodes:
                placed.append(
                    Placement(
                        **self._owners.row_of(pod),
                        node=node_name_of(pod),
                        by_node_name=history.bound_by not in self._play.cluster.schedulers,
                        at=round(history.bound_s, 3),
                        overslept_seconds=history.overslept_s,
                        replaces=self._pod_of(history.replaces),
                        devices=self._devices.of(pod),
                    )
                )
        turns = self.timeline.bound
        return tuple(sorted(placed, key=lambda one: (one.at, turns[one.pod])))

    def refusals(self) -> tuple[NodeRefusal, ...]:
        """Return the pods that kubelets rejected, without repetitions by their replacements."""
        return tuple(
            NodeRefusal(
                **self._rows[pod.uid],
                node=pod.node,
                reason=pod.failed_for[0],
                message=pod.failed_for[1].removeprefix(REJECTED),
                at=round(pod.bound_s, 3),
                **self._repeated(pod),
            )
            for pod in self._histories.by_uid.values()
            if pod.uid not in self._repetitions.first
            and pod.bound_s is not None
            and pod.failed_for[1].startswith(REJECTED)
        )

    def pending(self) -> tuple[PendingPod, ...]:
        """Return the pods that are pending in the end, by descending priority."""
        waiting = [pod for pod in self._scheduled if not pod["spec"].get("schedulingGates")]
        waiting.sort(key=pod_priority, reverse=True)
        # The pods that would fit, and that no event has woken.
        wakeups = self._play.machine.missed_wakeups() if waiting else ()
        missed_by_uid = {missed.pod.uid: missed for missed in wakeups}
        # A plugin that gates a pod sets no condition.
        queue = self._play.machine.queue if waiting else ()
        gates = {queued.uid: queued.gated_by.message for queued in queue if queued.gated_by}
        rows = []
        for pod in waiting:
            missed, nominated = missed_by_uid.get(uid_of(pod)), nominated_node_of(pod)
            tried_at_s = None if missed is None else missed.retry_at_s - self._play.start_s
            node = self._store.get("Node", "", nominated) if nominated else None
            ends_s = [
                epoch_s(other["metadata"]["deletionTimestamp"]) - self._play.start_s
                for other in self._store.list("Pod").items
                if node is not None and holds(node, "Ready")
                if is_terminating(other) and node_name_of(other) == nominated
            ]
            message = condition_message(pod, "PodScheduled") or gates.get(uid_of(pod), _NOT_TRIED)
            rows.append(
                PendingPod(
                    **self._owners.row_of(pod),
                    message=message,
                    since=self._since_s(pod),
                    waited_before=not self._history(pod).is_new,
                    nominated_node=nominated,
                    room_at=round(max(ends_s), 3) if ends_s else None,
                    replaces=self._pod_of(self._history(pod).replaces),
                    fits_on="" if missed is None else missed.node_name,
                    tried_at=None if tried_at_s is None else round(tried_at_s, 3),
                    device_holders=self._devices.holders(pod) if NO_DEVICES in message else {},
                )
            )
        return tuple(rows)

    def gated(self) -> Iterator[GatedPod]:
        """Yield the pods that scheduling gates keep out of the queue."""
        scheduler = self._play.scheduler
        for pod in self._scheduled:
            if pod["spec"].get("schedulingGates"):
                gate = scheduler.decide(scheduler.pending(pod), scheduler_name_of(pod)).gate
                if gate is not None:
                    row, since_s = self._owners.row_of(pod), self._since_s(pod)
                    yield GatedPod(**row, plugin=gate.plugin, message=gate.message, since=since_s)

    def ignored(self) -> Iterator[IgnoredPod]:
        """Yield the pods of other schedulers."""
        for pod in self._unbound:
            if (profile := scheduler_name_of(pod)) not in self._play.scheduler.pipelines:
                row = self._owners.row_of(pod)
                yield IgnoredPod(**row, scheduler_name=profile, since=self._since_s(pod))

    def disruptions(self) -> Iterator[Disruption]:
        """Yield the disrupted pods, without repetitions by their replacements."""
        for lost in self._histories.disrupted:
            if lost.uid in self._repetitions.first:
                continue
            new = self._replacements.get(lost.uid)
            while new is not None and new.uid in self._repetitions.first:
                new = self._replacements.get(new.uid)
            cause, ended_s = lost.cause, lost.ended_s
            assert cause is not None
            assert ended_s is not None
            yield Disruption(
                **self._rows[lost.uid],
                node=lost.node,
                at=round(ended_s, 3),
                cause=cause,
                by=self._preemptor(lost) if cause is BY_SCHEDULER else "",
                message=lost.failed_for[1] if cause in (BY_KUBELET, BY_PRESSURE) else "",
                depth=self._histories.depth_of(lost, self._preemptors),
                comes_again=self._return(lost, new),
                replacement="" if new is None else new.pod,
                replaced_on="" if new is None else new.node,
                replaced_at=None if new is None or new.bound_s is None else round(new.bound_s, 3),
                **self._repeated(lost),
            )

    def _return(self, lost: PodHistory, replacement: PodHistory | None) -> Return:
        owner = lost.owner
        if owner is None or (owner[0] == "DaemonSet" and lost.cause is BY_POD_GC):
            return Return.NEVER
        if owner[0] not in RECREATING:
            return Return.UNKNOWN
        if replacement is None:
            if is_lost_with_job(self.timeline, lost):
                return Return.NEVER
            if is_done_without(self.timeline, lost):
                return Return.SURPLUS
            # A pod that has to go may still be there, as its node doesn't answer.
            pod = self._store.get("Pod", *lost.pod.split("/"))
            is_held = pod is not None and uid_of(pod) == lost.uid and is_terminating(pod)
            if is_held and is_silent(self._store, lost.node):
                return Return.AFTER_NODE
        is_gone = replacement is None or replacement.ended_s is not None
        if is_gone and has_all_its_pods(self._store, owner):
            return Return.SURPLUS
        return Return.CERTAIN

    def moments(self) -> Iterator[Moment]:
        """Yield the events of pods in order, without repetitions by replacements."""
        for entry, happening in self.timeline.happenings:
            if entry.uid in self._repetitions.first:
                continue
            pod = self._histories.by_uid[entry.uid]
            node, reason, by, why = pod.node, "", "", ""
            is_last = is_end(entry) and entry.at_s == pod.ended_s
            repeated = self._repeated(pod if is_last else _NOWHERE)
            if happening is Happening.CREATED:
                node, by = "", self._pod_of(pod.replaces)
                why = f" in place of {subject('Pod', *by.split('/'))}" if by else ""
            elif happening is Happening.FAILED:
                reason = str(entry.details.get("reason") or "")
            elif happening is Happening.TERMINATING:
                reason = str(entry.details.get("disruption") or "")
            elif happening is Happening.BOUND and (slept_s := entry.details.get("overslept")):
                reason = overslept(slept_s)
            if is_last and entry.details.get("disruption") == BY_SCHEDULER.reason:
                preemptor = self._preemptor(pod)
                why = f" for {subject('Pod', *preemptor.split('/'))}" if preemptor else ""
                by = preemptor if happening is Happening.TERMINATING else ""
            if repeated["repeats"]:
                more = {"times": repeated["repeats"], "until": repeated["repeated_until"]}
                entry = structs.replace(entry, details={**entry.details, "repeated": more})
            yield Moment(
                **self._rows[pod.uid],
                at=round(entry.at_s, 3),
                event=happening,
                uid=pod.uid,
                node=node,
                reason=reason,
                by=by,
                text=f"{sentence(entry)}{why}",
                **repeated,
            )

    def _repeated(self, pod: PodHistory) -> dict[str, Any]:
        until_s = self._repetitions.until_s.get(pod.uid)
        return {
            "repeats": self._repetitions.times[pod.uid],
            "repeated_until": None if until_s is None else round(until_s, 3),
        }

    def _preemptor(self, victim: PodHistory) -> str:
        return self._pod_of(self._preemptors.get(victim.uid, ""))

    def _pod_of(self, uid: str) -> str:
        history = self._histories.by_uid.get(uid)
        return "" if history is None else history.pod

    def _history(self, pod: Object) -> PodHistory:
        return self._histories.by_uid.get(uid_of(pod), _NOWHERE)

    @cached_property
    def _unbound(self) -> Sequence[Object]:
        arrivals = {uid: turn for turn, uid in enumerate(self._histories.by_uid)}
        return sorted(
            (
                pod
                for pod in self._pods
                if not (node_name_of(pod) or is_terminating(pod) or phase_of(pod) == "Failed")
            ),
            key=lambda pod: (
                str(pod["metadata"].get("creationTimestamp") or ""),
                arrivals.get(uid_of(pod), 0),
            ),
        )

    @property
    def _scheduled(self) -> list[Object]:
        profiles = self._play.scheduler.pipelines
        return [pod for pod in self._unbound if scheduler_name_of(pod) in profiles]

    def _since_s(self, pod: Object) -> float:
        return round(self._history(pod).created_s, 3)


def _drains(play: Play) -> Iterator[Drainage]:
    for drainer in play.executor.drainers:
        is_done = drainer.state == "done"
        blocks = drainer.blocks()
        reasons = [block.text for block in blocks]
        yield Drainage(
            node=drainer.drain.node,
            state="Done" if is_done else "Failed" if drainer.state == "failed" else "Open",
            evicted=drainer.evicted,
            at=round(drainer.moved_s - play.start_s, 3) if is_done else None,
            message=drainer.failure,
            left=tuple(drainer.left()),
            terminating=tuple(drainer.terminating()),
            held=tuple(drainer.held_by_silence()),
            blockers=tuple(
                DrainBlocker(budget, block.pods, block.reason, block.remedies)
                for block in blocks
                for budget in block.budgets
            ),
            reasons=(*reasons, DELETION) if reasons else (),
        )


def _silent_nodes(timeline: Timeline) -> Iterator[SilentNode]:
    for node in timeline.play.executor.silenced_s:
        live = timeline.store.get("Node", "", node)
        zone = labels(live).get(ZONE_LABEL, "") if live is not None else ""
        tainted_s, on_hold = timeline.tainted_s.get(node), timeline.on_hold.get(zone, "")
        yield SilentNode(node=node, tainted_at_s=tainted_s, on_hold=on_hold)


def _rollouts(
    play: Play,
    pending: Sequence[PendingPod],
    rejected: Sequence[RejectedObject],
    refusals: Sequence[NodeRefusal],
) -> Iterator[Rollout]:
    for rollout in play.rollouts.found():
        workload = rollout.workload
        reasons = [
            *(
                f"{pod.pod} stays pending: {pod.message.partition('. ')[0].rstrip('.')}"
                for pod in pending
                if pod.workload == workload
            ),
            *(
                f"the API doesn't let in {one.object}: {one.message}"
                for one in rejected
                if one.workload == workload
            ),
            *(
                f"{pod.node} refuses {pod.pod}{pod.times}: {pod.message or pod.reason}"
                for pod in refusals
                if pod.workload == workload
            ),
        ]
        is_known = reasons and rollout.state != "Complete"
        yield replace(rollout, reason=reasons[0]) if is_known else rollout
