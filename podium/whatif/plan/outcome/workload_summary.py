"""Sums a plan up by workload: how many pods it loses, and how few are ready."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from operator import itemgetter

import msgspec

from podium.api.objects import status_of
from podium.api.policy.disruption_budgets import SCALED
from podium.api.workloads import replicas_of
from podium.simulation.timeline.pod_history import PodHistories
from podium.whatif.plan.plan_report import (
    Disruption,
    PendingPod,
    Placement,
    Plan,
    PodRow,
    RemovedPod,
    WorkloadSummary,
)
from podium.whatif.plan.play import Play

_BECOMES_READY = frozenset({"PodRunning", "PodReady"})
_IS_READY_NO_MORE = frozenset(
    {"PodNotReady", "PodTerminating", "PodFailed", "PodSucceeded", "PodGone"}
)


# A pod that belongs to its node goes down with it.
_OF_NODES = frozenset({"DaemonSet", "Node"})


class _Readiness(msgspec.Struct):
    before: int
    now: int
    since_s: float = 0.0
    for_s: dict[int, float] = msgspec.field(default_factory=dict)
    first_s: dict[int, float] = msgspec.field(default_factory=dict)

    def change(self, by: int, at_s: float) -> None:
        """Count a pod that becomes ready (1) or is so no more (-1)."""
        if at_s > self.since_s:
            self.for_s[self.now] = self.for_s.get(self.now, 0.0) + at_s - self.since_s
            self.first_s.setdefault(self.now, self.since_s)
        self.now, self.since_s = self.now + by, at_s

    def least(self) -> tuple[int, float, float]:
        number = min(self.for_s, default=self.now)
        since_s, for_s = self.first_s.get(number, 0.0), self.for_s.get(number, 0.0)
        return number, round(since_s, 3), round(for_s, 3)


def summaries(play: Play, histories: PodHistories, plan: Plan) -> tuple[WorkloadSummary, ...]:
    """The workloads to which anything happens.

    Those come first of which no pod is ready for a while, then those that lose pods, the most
    important first.
    """
    found: dict[str, _Counts] = defaultdict(_Counts)
    for row in (*plan.disruptions, *plan.placements, *plan.pending, *plan.removed):
        found[row.workload].take(row)
    readiness = _readiness(play, histories)
    for workload, course in readiness.items():
        is_of_nodes = workload.partition(" ")[0] in _OF_NODES
        serves = workload in play.before.serving and not is_of_nodes
        if serves and course.least()[0] < course.before:
            found[workload].take_unless_counted(play.before.priorities[workload])
    rows = []
    for workload, counts in found.items():
        ready, end_s = play.before.ready[workload], play.passed_s
        unchanged = _Readiness(ready, ready, end_s, {ready: end_s}, {ready: 0.0})
        rows.append(_summary(play, workload, counts, readiness.get(workload, unchanged)))
    rows.sort(
        key=lambda row: (
            not row.is_unavailable,
            not (row.lost or row.pending),
            -row.priority,
            row.workload,
        )
    )
    return tuple(rows)


class _Counts(msgspec.Struct):
    lost: Counter[str] = msgspec.field(default_factory=Counter)
    recreated: int = 0
    pending: int = 0
    new: int = 0
    removed: int = 0
    priority: int | None = None
    priority_class: str = ""

    def take_unless_counted(self, priority: tuple[int, str]) -> None:
        if self.priority is None:
            self.priority, self.priority_class = priority

    def take(self, row: PodRow) -> None:
        if self.priority is None or row.priority > self.priority:
            self.priority, self.priority_class = row.priority, row.priority_class
        match row:
            case Disruption():
                self.lost[row.cause.group] += 1 + row.repeats
                self.recreated += row.replaced_at_s is not None
            case Placement():
                self.new += not row.replaces
            case PendingPod():
                self.pending += 1
            case RemovedPod():
                self.removed += 1


def _summary(play: Play, workload: str, counts: _Counts, readiness: _Readiness) -> WorkloadSummary:
    least, since_s, for_s = readiness.least()
    pods, serves = play.before.pods[workload], workload in play.before.serving
    wanted = _wanted(play, workload, pods if counts.removed < pods else 0)
    return WorkloadSummary(
        workload=workload,
        namespace=workload.partition(" ")[2].partition("/")[0],
        priority=counts.priority or 0,
        priority_class=counts.priority_class,
        pods=pods,
        wanted=wanted,
        lost=dict(counts.lost),
        recreated=counts.recreated,
        pending=counts.pending,
        new=counts.new,
        removed=counts.removed,
        ready_before=readiness.before,
        ready_least=least,
        ready_least_at_s=since_s,
        ready_least_for_s=for_s,
        ready_after=readiness.now,
        is_ready_in_the_end=readiness.now >= readiness.before,
        is_unavailable=serves and least == 0 and readiness.before > 0 and wanted > 0,
        serves=serves,
    )


def _wanted(play: Play, workload: str, otherwise: int) -> int:
    """How many pods a workload is to have in the end; `otherwise` if nothing says so."""
    kind, _, place = workload.partition(" ")
    if kind not in (*SCALED, "DaemonSet"):
        return otherwise
    found = play.cluster.store.get(kind, *place.split("/"))
    if found is None:
        return 0
    if kind == "DaemonSet":
        return int(status_of(found).get("desiredNumberScheduled") or 0)
    return replicas_of(found)


def _readiness(play: Play, histories: PodHistories) -> Mapping[str, _Readiness]:
    owners, before, silent_s = play.owners(), play.before, play.changer.silenced_s
    # What stood on a node that falls silent serves no more from that moment on, though the control
    # plane takes it for ready until the node is missed.
    changes = sorted(
        (silent_s[one.node], one.uid, False)
        for one in histories.by_uid.values()
        if one.node in silent_s and not one.is_new
    )
    for entry in play.timeline:
        if entry.type in _BECOMES_READY and entry.details.get("ready", True):
            changes.append((entry.at_s, entry.uid, True))
        elif entry.type in _IS_READY_NO_MORE:
            changes.append((entry.at_s, entry.uid, False))
    found: dict[str, _Readiness] = {}
    is_ready: dict[str, bool] = {}
    for at_s, pod_uid, is_now in sorted(changes, key=itemgetter(0)):
        history = histories.by_uid.get(pod_uid)
        if history is None or is_ready.get(pod_uid, pod_uid in before.ready_uids) == is_now:
            continue
        workload = owners.workload(history.pod, history.owner)
        if workload not in found:
            found[workload] = _Readiness(before.ready[workload], before.ready[workload])
        found[workload].change(1 if is_now else -1, at_s)
        is_ready[pod_uid] = is_now
    for readiness in found.values():
        readiness.change(0, play.passed_s)
    return found
