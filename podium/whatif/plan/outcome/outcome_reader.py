"""What a play came to: what its timeline tells, and how the cluster is in the end."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TypedDict

from podium.api.objects import Object, condition_message, holds, is_terminating, labels, uid
from podium.api.pods import node_name_of, nominated_node_of, phase_of, scheduler_name_of
from podium.api.policy.disruption_target import (
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
from podium.simulation.runner.drain import Drainer
from podium.simulation.runner.eviction_advice import DELETION
from podium.simulation.timeline import TimelineEntry
from podium.simulation.timeline.pod_history import PodHistory, is_end
from podium.simulation.timeline.timeline_sentences import overslept
from podium.whatif.plan.outcome.budget_courses import budget_changes
from podium.whatif.plan.outcome.failed_jobs import failed_jobs, is_done_without, is_lost_with_job
from podium.whatif.plan.outcome.leaving_pods import has_all_its_pods, removed, short_of_pods
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
    Return,
    SilentNode,
)
from podium.whatif.plan.play import Play
from podium.whatif.plan.rollouts import with_reasons

_EVICTIONS = (BY_EVICTION, BY_TAINT, BY_PRESSURE)
_NOT_TRIED = "no scheduler has come to it yet"
_NOWHERE = PodHistory("", "", 0, "", None, is_new=False)


class RepeatedFields(TypedDict):
    """The fields of a row that say how often something happened again."""

    repeats: int
    repeated_until_s: float | None


class OutcomeReader:
    """Reads the parts of a plan from the timeline of a play, and its cluster."""

    def __init__(self, play: Play) -> None:
        self.timeline = Timeline(play)
        self._play = play
        self._store = play.cluster.store
        self._owners = self.timeline.owners
        self._preemptors = play.preemptions.preemptors
        self._histories = self.timeline.histories
        self._repetitions = self._histories.repetitions
        histories = self._histories.by_uid.values()
        # The others are where they were.
        self._pods = play.found({history.pod for history in histories})
        self._replacements = {history.replaces: history for history in histories}
        self._rows = {history.uid: self._owners.row(history) for history in histories}

    def placements(self) -> tuple[Placement, ...]:
        """Pods that have got a place, in the order in which they got it."""
        nodes = {one["metadata"]["name"] for one in self._store.list("Node").items}
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
                        at_s=round(history.bound_s, 3),
                        overslept_s=history.overslept_s,
                        replaces=self._pod_of(history.replaces),
                    )
                )
        turns = self.timeline.bound
        return tuple(sorted(placed, key=lambda one: (one.at_s, turns[one.pod])))

    def refusals(self) -> tuple[NodeRefusal, ...]:
        """Pods that their nodes refused; those that repeat others are counted with the first."""
        return tuple(
            NodeRefusal(
                **self._rows[pod.uid],
                node=pod.node,
                reason=pod.failed_for[0],
                message=pod.failed_for[1].removeprefix(REJECTED),
                at_s=round(pod.bound_s, 3),
                **self._repeated(pod),
            )
            for pod in self._told(self._histories.by_uid.values())
            if pod.bound_s is not None and pod.failed_for[1].startswith(REJECTED)
        )

    def pending(self) -> tuple[PendingPod, ...]:
        """Pods that wait in the end, the most important first."""
        waiting = [pod for pod in self._scheduled if not pod["spec"].get("schedulingGates")]
        waiting.sort(key=pod_priority, reverse=True)
        # Those that would fit, and that no event has woken.
        wakeups = self._play.machine.missed_wakeups() if waiting else ()
        missed_by_uid = {missed.pod.uid: missed for missed in wakeups}
        found = []
        for pod in waiting:
            missed = missed_by_uid.get(uid(pod))
            tried_at_s = None if missed is None else missed.retry_at_s - self._play.start_s
            found.append(
                PendingPod(
                    **self._owners.row_of(pod),
                    message=condition_message(pod, "PodScheduled") or _NOT_TRIED,
                    since_s=self._since_s(pod),
                    nominated_node=nominated_node_of(pod),
                    room_at_s=self._room_at_s(nominated_node_of(pod)),
                    replaces=self._pod_of(self._history(pod).replaces),
                    fits_on="" if missed is None else missed.node_name,
                    tried_at_s=None if tried_at_s is None else round(tried_at_s, 3),
                )
            )
        return tuple(found)

    def _room_at_s(self, node_name: str) -> float | None:
        node = self._store.get("Node", "", node_name) if node_name else None
        if node is None or not holds(node, "Ready"):
            return None
        ends_s = (
            epoch_s(pod["metadata"]["deletionTimestamp"])
            for pod in self._store.list("Pod").items
            if is_terminating(pod) and node_name_of(pod) == node_name
        )
        end_s = max(ends_s, default=None)
        return None if end_s is None else round(end_s - self._play.start_s, 3)

    def gated(self) -> Iterator[GatedPod]:
        """Pods that may not be tried."""
        scheduler = self._play.scheduler
        for pod in self._scheduled:
            if pod["spec"].get("schedulingGates"):
                gate = scheduler.decide(scheduler.pending(pod), scheduler_name_of(pod)).gate
                if gate is not None:
                    row, since_s = self._owners.row_of(pod), self._since_s(pod)
                    yield GatedPod(**row, plugin=gate.plugin, message=gate.message, since_s=since_s)

    def ignored(self) -> Iterator[IgnoredPod]:
        """Pods that are for other schedulers."""
        for pod in self._unbound:
            if (name := scheduler_name_of(pod)) not in self._play.scheduler.pipelines:
                row = self._owners.row_of(pod)
                yield IgnoredPod(**row, scheduler_name=name, since_s=self._since_s(pod))

    def disruptions(self) -> Iterator[Disruption]:
        """Pods that lost their places, with what became of each."""
        for history in self._told(self._histories.disrupted):
            new = self._replacements.get(history.uid)
            while new is not None and new.uid in self._repetitions.first:
                new = self._replacements.get(new.uid)
            cause, ended_s = history.cause, history.ended_s
            assert cause is not None
            assert ended_s is not None
            yield Disruption(
                **self._rows[history.uid],
                node=history.node,
                at_s=round(ended_s, 3),
                cause=cause,
                by=self._preemptor(history) if cause is BY_SCHEDULER else "",
                message=history.failed_for[1] if cause in (BY_KUBELET, BY_PRESSURE) else "",
                depth=self._histories.depth_of(history, self._preemptors),
                comes_again=self._return(history, new),
                replacement="" if new is None else new.pod,
                replaced_on="" if new is None else new.node,
                replaced_at_s=None if new is None or new.bound_s is None else round(new.bound_s, 3),
                **self._repeated(history),
            )

    def _return(self, history: PodHistory, replacement: PodHistory | None) -> Return:
        owner = history.owner
        if owner is None or (owner[0] == "DaemonSet" and history.cause is BY_POD_GC):
            return Return.NEVER
        if owner[0] not in RECREATING:
            return Return.UNKNOWN
        if replacement is None:
            if is_lost_with_job(self.timeline, history):
                return Return.NEVER
            if is_done_without(self.timeline, history):
                return Return.SURPLUS
            # A pod that has to go may still be there, as its node doesn't answer.
            pod = self._store.get("Pod", *history.pod.split("/"))
            is_held = pod is not None and uid(pod) == history.uid and is_terminating(pod)
            if is_held and is_silent(self._store, history.node):
                return Return.AFTER_NODE
        is_gone = replacement is None or replacement.ended_s is not None
        if is_gone and has_all_its_pods(self._store, owner):
            return Return.SURPLUS
        return Return.CERTAIN

    def moments(self) -> Iterator[Moment]:
        """What happened, in order, and who is behind it."""
        for entry, happening in self.timeline.happenings:
            if entry.uid not in self._repetitions.first:
                yield self._moment(entry, happening, self._histories.by_uid[entry.uid])

    def _moment(self, entry: TimelineEntry, happening: Happening, pod: PodHistory) -> Moment:
        node, detail, by = pod.node, "", ""
        if happening is Happening.CREATED:
            node, by = "", self._pod_of(pod.replaces)
        elif happening is Happening.FAILED:
            detail = str(entry.details.get("reason") or "")
        elif happening is Happening.TERMINATING:
            detail = str(entry.details.get("disruption") or "")
            by = self._preemptor(pod) if detail == BY_SCHEDULER.reason else ""
        elif happening is Happening.BOUND and (slept_s := entry.details.get("overslept")):
            detail = overslept(slept_s)
        return Moment(
            **self._rows[pod.uid],
            at_s=round(entry.at_s, 3),
            happening=happening,
            uid=pod.uid,
            node=node,
            detail=detail,
            by=by,
            **self._repeated(pod if is_end(entry) and entry.at_s == pod.ended_s else _NOWHERE),
        )

    def _told(self, pods: Iterable[PodHistory]) -> Iterator[PodHistory]:
        return (pod for pod in pods if pod.uid not in self._repetitions.first)

    def _repeated(self, pod: PodHistory) -> RepeatedFields:
        until_s = self._repetitions.until_s.get(pod.uid)
        return {
            "repeats": self._repetitions.times[pod.uid],
            "repeated_until_s": None if until_s is None else round(until_s, 3),
        }

    def _preemptor(self, victim: PodHistory) -> str:
        return self._pod_of(self._preemptors.get(victim.uid, ""))

    def _pod_of(self, pod_uid: str) -> str:
        history = self._histories.by_uid.get(pod_uid)
        return "" if history is None else history.pod

    def _history(self, pod: Object) -> PodHistory:
        return self._histories.by_uid.get(uid(pod), _NOWHERE)

    @cached_property
    def _unbound(self) -> Sequence[Object]:
        arrivals = {one: turn for turn, one in enumerate(self._histories.by_uid)}
        waiting = (
            pod
            for pod in self._pods
            if not (node_name_of(pod) or is_terminating(pod) or phase_of(pod) == "Failed")
        )
        return sorted(
            waiting,
            key=lambda pod: (
                str(pod["metadata"].get("creationTimestamp") or ""),
                arrivals.get(uid(pod), 0),
            ),
        )

    @property
    def _scheduled(self) -> list[Object]:
        profiles = self._play.scheduler.pipelines
        return [pod for pod in self._unbound if scheduler_name_of(pod) in profiles]

    def _since_s(self, pod: Object) -> float:
        return round(self._history(pod).created_s, 3)


def drainages(drainers: Iterable[Drainer], start_s: float) -> Iterator[Drainage]:
    """The drains that have begun, in order; times are seconds since `start_s`."""
    for one in drainers:
        done = one.state == "done"
        blocks = one.blocks()
        reasons = [block.text for block in blocks]
        yield Drainage(
            node=one.drain.node,
            state="Done" if done else "Failed" if one.state == "failed" else "Open",
            evicted=one.evicted,
            at_s=round(one.moved_s - start_s, 3) if done else None,
            message=one.failure,
            left=tuple(one.left()),
            held=tuple(one.held_by_silence()),
            blockers=tuple(
                DrainBlocker(budget, block.pods, block.reason, block.remedies)
                for block in blocks
                for budget in block.budgets
            ),
            reasons=(*reasons, DELETION) if reasons else (),
        )


def silent_nodes(timeline: Timeline) -> Iterator[SilentNode]:
    """The nodes that have fallen silent in a play that is over."""
    for node in timeline.play.changer.silenced_s:
        live = timeline.store.get("Node", "", node)
        zone = labels(live).get(ZONE_LABEL, "") if live is not None else ""
        tainted_s, on_hold = timeline.tainted_s.get(node), timeline.on_hold.get(zone, "")
        yield SilentNode(node=node, tainted_at_s=tainted_s, on_hold=on_hold)


def outcome_of(play: Play) -> Plan:
    """What a play that is over came to."""
    outcome = OutcomeReader(play)
    timeline = outcome.timeline
    pending, refusals = outcome.pending(), outcome.refusals()
    gone = tuple(removed(timeline))
    rejected = (*play.rejected, *short_of_pods(timeline))
    found = Plan(
        placements=outcome.placements(),
        preemptions=tuple(play.preemptions.outcomes),
        pending=pending,
        budgets=tuple(budget_changes(timeline, gone)),
        refusals=refusals,
        rejected=rejected,
        gated=tuple(outcome.gated()),
        removed=gone,
        ignored=tuple(outcome.ignored()),
        disruptions=tuple(outcome.disruptions()),
        rollouts=tuple(with_reasons(play.rollouts.found(), pending, rejected, refusals)),
        failed_jobs=tuple(failed_jobs(timeline)),
        drains=tuple(drainages(play.changer.drainers, play.start_s)),
        timeline=tuple(outcome.moments()),
        silent_nodes=tuple(silent_nodes(timeline)),
        until_s=round(play.passed_s, 3),
    )
    found = replace(found, workloads=summaries(timeline, found))
    placed = sum(not one.replaces for one in found.placements)
    counts = Counts(
        placed=placed,
        preempted=sum(len(one.taken) for one in found.preemptions),
        pending=len(found.pending),
        evicted=sum(1 + one.repeats for one in found.disruptions if one.cause in _EVICTIONS),
        recreated=len(found.placements) - placed,
        lost_for_good=sum(one.comes_again is Return.NEVER for one in found.disruptions),
        failed_jobs=len(found.failed_jobs),
        gated=len(found.gated),
        refused=sum(1 + one.repeats for one in found.refusals),
        rejected=sum(one.count for one in found.rejected),
        ignored=len(found.ignored),
        removed=len(found.removed),
        unavailable=sum(one.is_unavailable for one in found.workloads),
        budgets_below=sum(one.is_below for one in found.budgets),
    )
    return replace(found, counts=counts)
