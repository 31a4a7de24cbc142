"""What a play came to: what the observer has noted, and how the cluster is in the end."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
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
from podium.api.taints import NO_EXECUTE
from podium.api.values.times import epoch_s
from podium.api.well_known import ZONE_LABEL
from podium.cluster.virtual.loading.overdue_pods import is_silent
from podium.kubelet.pod_status import REJECTED
from podium.scheduler.machine.sleepers import sleepers
from podium.simulation.runner.drain import Drainer
from podium.simulation.runner.eviction_advice import DELETION
from podium.simulation.timeline import TimelineEntry
from podium.simulation.timeline.pod_history import PodHistories, PodHistory, is_end
from podium.simulation.timeline.timeline_sentences import overslept
from podium.whatif.plan.outcome.budget_courses import BudgetCourses
from podium.whatif.plan.outcome.failed_jobs import FailedJobs
from podium.whatif.plan.outcome.leaving_pods import has_all_its_pods, removed, short_of_pods
from podium.whatif.plan.outcome.workload_summary import summaries
from podium.whatif.plan.plan_report import (
    UNREACHABLE,
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
from podium.whatif.plan.workload_owners import PodRowFields

_RECREATING = frozenset({"ReplicaSet", "ReplicationController", "StatefulSet", "DaemonSet", "Job"})
_BY_KUBELET = (BY_KUBELET, BY_PRESSURE)
_NOT_TRIED = "no scheduler has come to it yet"
_NOWHERE = PodHistory("", "", 0, "", None, is_new=False)
_HAPPENINGS = {
    "PodCreated": Happening.CREATED,
    "PodBound": Happening.BOUND,
    "PodTerminating": Happening.TERMINATING,
    "PodFailed": Happening.FAILED,
    "PodSucceeded": Happening.SUCCEEDED,
    "PodReady": Happening.READY,
    "PodGone": Happening.GONE,
}


class RepeatedFields(TypedDict):
    """The fields of a row that say how often something happened again."""

    repeats: int
    repeated_until_s: float | None


class OutcomeReader:
    """Reads the parts of a plan from a play that is over."""

    def __init__(self, play: Play) -> None:
        store = play.cluster.store
        self._play = play
        self._owners = play.owners()
        self._preemptors = play.preemptions.preemptors
        self._nodes = {one["metadata"]["name"] for one in store.list("Node").items}
        self.histories = PodHistories(play.observer.entries, play.before.by_uid, store.get)
        self.failed_jobs = FailedJobs(play.timeline, store)
        # The others are where they were.
        self._repetitions = self.histories.repetitions
        self._pods = play.found({one.pod for one in self.histories.by_uid.values()})
        self._arrivals = {one: turn for turn, one in enumerate(self.histories.by_uid)}
        self._replacements = {
            one.replaces: one for one in self.histories.by_uid.values() if one.replaces
        }

    def placements(self) -> tuple[Placement, ...]:
        """Pods that have got a place, in the order in which they got it."""
        placed = []
        for pod in self._pods:
            history = self._history(pod)
            if history.bound_s is None or is_terminating(pod) or _failed(pod):
                continue
            if node_name_of(pod) in self._nodes:
                placed.append(
                    Placement(
                        **self._owners.row_of(pod),
                        node=node_name_of(pod),
                        by_node_name=history.bound_by not in self._play.cluster.schedulers,
                        at_s=round(history.bound_s, 3),
                        overslept_s=history.overslept_s,
                        replaces=self._replaced(history),
                    )
                )
        bound = (one for one in self._play.observer.entries if one.type == "PodBound")
        turns = {f"{one.namespace}/{one.name}": turn for turn, one in enumerate(bound)}
        return tuple(sorted(placed, key=lambda one: (one.at_s, turns[one.pod])))

    def refusals(self) -> tuple[NodeRefusal, ...]:
        """Pods that their nodes refused; those that repeat others are counted with the first."""
        return tuple(
            NodeRefusal(
                **self._owners.row(pod),
                node=pod.node,
                reason=pod.failed_for[0],
                message=pod.failed_for[1].removeprefix(REJECTED),
                at_s=round(pod.bound_s, 3),
                **self._repeated(pod),
            )
            for pod in self._told(self.histories.by_uid.values())
            if pod.bound_s is not None and pod.failed_for[1].startswith(REJECTED)
        )

    def pending(self) -> tuple[PendingPod, ...]:
        """Pods that wait in the end, the most important first."""
        profiles = self._play.scheduler.pipelines
        waiting = [
            pod
            for pod in self._unbound
            if scheduler_name_of(pod) in profiles and not pod["spec"].get("schedulingGates")
        ]
        waiting.sort(key=pod_priority, reverse=True)
        # Those that would fit, and that no event has woken.
        asleep = {one.pod.uid: one for one in sleepers(self._play.machine)} if waiting else {}
        found = []
        for pod in waiting:
            sleeper = asleep.get(uid(pod))
            tried_at_s = None if sleeper is None else sleeper.tried_at_s - self._play.start_s
            found.append(
                PendingPod(
                    **self._owners.row_of(pod),
                    message=condition_message(pod, "PodScheduled") or _NOT_TRIED,
                    since_s=self._since_s(pod),
                    nominated_node=nominated_node_of(pod),
                    room_at_s=self._room_at_s(nominated_node_of(pod)),
                    replaces=self._replaced(self._history(pod)),
                    fits_on="" if sleeper is None else sleeper.node_name,
                    tried_at_s=None if tried_at_s is None else round(tried_at_s, 3),
                )
            )
        return tuple(found)

    def _room_at_s(self, node_name: str) -> float | None:
        store = self._play.cluster.store
        node = store.get("Node", "", node_name) if node_name else None
        if node is None or not holds(node, "Ready"):
            return None
        ends_s = (
            epoch_s(pod["metadata"]["deletionTimestamp"])
            for pod in store.list("Pod").items
            if is_terminating(pod) and node_name_of(pod) == node_name
        )
        end_s = max(ends_s, default=None)
        return None if end_s is None else round(end_s - self._play.start_s, 3)

    def gated(self) -> Iterator[GatedPod]:
        """Pods that may not be tried."""
        scheduler = self._play.scheduler
        for pod in self._unbound:
            if pod["spec"].get("schedulingGates") and scheduler_name_of(pod) in scheduler.pipelines:
                gate = scheduler.decide(scheduler.pending(pod), scheduler_name_of(pod)).gate
                if gate is not None:
                    row = self._owners.row_of(pod)
                    since_s = self._since_s(pod)
                    yield GatedPod(**row, plugin=gate.plugin, message=gate.message, since_s=since_s)

    def ignored(self) -> Iterator[IgnoredPod]:
        """Pods that are for other schedulers."""
        for pod in self._unbound:
            if scheduler_name_of(pod) not in self._play.scheduler.pipelines:
                row = self._owners.row_of(pod)
                since_s = self._since_s(pod)
                yield IgnoredPod(**row, scheduler_name=scheduler_name_of(pod), since_s=since_s)

    def disruptions(self) -> tuple[Disruption, ...]:
        """Pods that lost their places, with what became of each."""
        return tuple(map(self._disruption, self._told(self.histories.disrupted)))

    def timeline(self) -> tuple[Moment, ...]:
        """What happened, in order, and who is behind it.

        A pod on a node that goes at once is told to terminate at that moment, too.
        """
        moments = []
        terminating = {one for one, pod in self._play.before.by_uid.items() if is_terminating(pod)}
        for number, entry in enumerate(self._play.observer.entries):
            happening = _HAPPENINGS.get(entry.type)
            if entry.type == "PodRunning" and entry.details.get("ready"):
                happening = Happening.READY
            if happening is None or entry.uid in self._repetitions.first:
                continue
            pod = self.histories.by_uid[entry.uid]
            if not pod.is_new and number < self._play.entries_before:
                continue
            if happening is Happening.TERMINATING:
                terminating.add(entry.uid)
            elif happening is Happening.GONE and pod.node and entry.uid not in terminating:
                moments.append(self._moment(entry, Happening.TERMINATING, pod))
            moments.append(self._moment(entry, happening, pod))
        return tuple(moments)

    def _moment(self, entry: TimelineEntry, happening: Happening, pod: PodHistory) -> Moment:
        node, detail, by = pod.node, "", ""
        if happening is Happening.CREATED:
            node, by = "", self._replaced(pod)
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

    @cached_property
    def _rows(self) -> Mapping[str, PodRowFields]:
        return {one: self._owners.row(pod) for one, pod in self.histories.by_uid.items()}

    def _disruption(self, history: PodHistory) -> Disruption:
        new = self._replacements.get(history.uid)
        while new is not None and new.uid in self._repetitions.first:
            new = self._replacements.get(new.uid)
        assert history.cause is not None
        assert history.ended_s is not None
        return Disruption(
            **self._owners.row(history),
            node=history.node,
            at_s=round(history.ended_s, 3),
            cause=history.cause,
            by=self._preemptor(history) if history.cause is BY_SCHEDULER else "",
            message=history.failed_for[1] if history.cause in _BY_KUBELET else "",
            depth=self.histories.depth_of(history, self._preemptors),
            comes_again=self._return(history, new),
            replacement="" if new is None else new.pod,
            replaced_on="" if new is None else new.node,
            replaced_at_s=None if new is None or new.bound_s is None else round(new.bound_s, 3),
            **self._repeated(history),
        )

    def _return(self, history: PodHistory, replacement: PodHistory | None) -> Return:
        if history.owner is None or (
            history.owner[0] == "DaemonSet" and history.cause is BY_POD_GC
        ):
            return Return.NEVER
        if history.owner[0] not in _RECREATING:
            return Return.UNKNOWN
        if replacement is None and self.failed_jobs.has_lost(history):
            return Return.NEVER
        if replacement is None and self.failed_jobs.has_done_without(history):
            return Return.SURPLUS
        is_gone = replacement is None or replacement.ended_s is not None
        if replacement is None and self._is_held_by_silence(history):
            return Return.AFTER_NODE
        if is_gone and has_all_its_pods(self._play.cluster.store, history.owner):
            return Return.SURPLUS
        return Return.CERTAIN

    def _is_held_by_silence(self, history: PodHistory) -> bool:
        """Whether a pod that has to go is still there, as its node doesn't answer."""
        store = self._play.cluster.store
        pod = store.get("Pod", *history.pod.split("/"))
        if pod is None or uid(pod) != history.uid or not is_terminating(pod):
            return False
        return is_silent(store, node_name_of(pod))

    def _preemptor(self, victim: PodHistory) -> str:
        preemptor = self.histories.by_uid.get(self._preemptors.get(victim.uid, ""))
        return "" if preemptor is None else preemptor.pod

    def _replaced(self, history: PodHistory) -> str:
        lost = self.histories.by_uid.get(history.replaces)
        return "" if lost is None else lost.pod

    def _history(self, pod: Object) -> PodHistory:
        return self.histories.by_uid.get(uid(pod), _NOWHERE)

    @cached_property
    def _unbound(self) -> Sequence[Object]:
        waiting = (
            pod
            for pod in self._pods
            if not node_name_of(pod) and not is_terminating(pod) and not _failed(pod)
        )
        return sorted(
            waiting,
            key=lambda pod: (
                str(pod["metadata"].get("creationTimestamp") or ""),
                self._arrivals.get(uid(pod), 0),
            ),
        )

    def _since_s(self, pod: Object) -> float:
        return round(self._history(pod).created_s, 3)


def _failed(pod: Object) -> bool:
    return phase_of(pod) == "Failed"


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


_TAINT = f"{UNREACHABLE}:{NO_EXECUTE}"


def silent_nodes(play: Play) -> Iterator[SilentNode]:
    """The nodes that have fallen silent in a play that is over."""
    silent, store = play.changer.silenced_s, play.cluster.store
    tainted_s: dict[str, float] = {}
    on_hold: dict[str, str] = {}
    for entry in play.timeline if silent else ():
        details = entry.details
        match entry.type:
            case "EvictionsOnHold":
                place = f"of zone {details['zone']}" if details["zone"] else "without a zone"
                few = f"{details['notReady']} of {details['nodes']} nodes {place}"
                on_hold[details["zone"]] = f"{few} aren't ready"
            case "EvictionsGoOn":
                on_hold.pop(details["zone"], None)
            case "NodeTainted" if details["taint"] == _TAINT:
                tainted_s[entry.name] = entry.at_s
            case "NodeUntainted" if details["taint"] == _TAINT:
                tainted_s.pop(entry.name, None)
    for node in silent:
        found = store.get("Node", "", node)
        zone = labels(found).get(ZONE_LABEL, "") if found is not None else ""
        yield SilentNode(node=node, tainted_at_s=tainted_s.get(node), on_hold=on_hold.get(zone, ""))


_EVICTIONS = (BY_EVICTION, BY_TAINT, BY_PRESSURE)


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
