"""The summary of a plan by workload: how many pods are lost, and how many stay ready."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from operator import itemgetter

import msgspec

from podium.api.objects import status_of
from podium.api.workloads import SCALED, replicas_of
from podium.whatif.plan.outcome.timeline import Timeline
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

# A pod that belongs to its node goes down with it.
_OF_NODES = frozenset({"DaemonSet", "Node"})


class _Readiness(msgspec.Struct):
    before: int
    now: int
    since_s: float = 0.0
    for_s: dict[int, float] = msgspec.field(default_factory=dict)
    first_s: dict[int, float] = msgspec.field(default_factory=dict)

    def change(self, by: int, at_s: float) -> None:
        # By 1 for a pod that becomes ready, by -1 for one that is ready no more.
        if at_s > self.since_s:
            self.for_s[self.now] = self.for_s.get(self.now, 0.0) + at_s - self.since_s
            self.first_s.setdefault(self.now, self.since_s)
        self.now, self.since_s = self.now + by, at_s

    def least(self) -> tuple[int, float, float]:
        number = min(self.for_s, default=self.now)
        since_s, for_s = self.first_s.get(number, 0.0), self.for_s.get(number, 0.0)
        return number, round(since_s, 3), round(for_s, 3)


def summaries(timeline: Timeline, plan: Plan) -> tuple[WorkloadSummary, ...]:
    """Summarise the workloads that a plan affects.

    Workloads without a ready pod for a while come first, then those with lost or pending pods,
    each by descending priority.
    """
    pods: dict[str, list[PodRow]] = defaultdict(list)
    for row in (*plan.disruptions, *plan.placements, *plan.pending, *plan.removed):
        pods[row.workload].append(row)
    before, readiness = timeline.play.before, _readiness(timeline)
    for workload, course in readiness.items():
        is_of_nodes = workload.partition(" ")[0] in _OF_NODES
        serves = workload in before.serving and not is_of_nodes
        if serves and course.least()[0] < course.before:
            pods.setdefault(workload, [])
    workloads = []
    for workload, rows in pods.items():
        if workload not in readiness:
            steady = _Readiness(before.ready[workload], before.ready[workload])
            steady.change(0, timeline.play.passed_s)
            readiness[workload] = steady
        workloads.append(_summary(timeline.play, workload, rows, readiness[workload]))
    workloads.sort(
        key=lambda one: (
            not one.unavailable,
            not (one.lost or one.pending),
            -one.priority,
            one.workload,
        )
    )
    return tuple(workloads)


def _summary(
    play: Play, workload: str, rows: Sequence[PodRow], readiness: _Readiness
) -> WorkloadSummary:
    lost, recreated = Counter[str](), 0
    for row in rows:
        if isinstance(row, Disruption):
            lost[row.cause.group] += 1 + row.repeats
            recreated += row.replaced_at is not None
    removed = sum(isinstance(row, RemovedPod) for row in rows)
    top = max(rows, key=lambda row: row.priority, default=None)
    least, since_s, for_s = readiness.least()
    before, kind, place = play.before, *workload.split(" ", 1)
    # How many pods it is to have in the end; what it had, unless something else says so.
    pods, serves = before.pods[workload], workload in before.serving
    wanted = pods if removed < pods else 0
    if kind in (*SCALED, "DaemonSet"):
        live = play.cluster.store.get(kind, *place.split("/"))
        if live is None:
            wanted = 0
        elif kind == "DaemonSet":
            wanted = int(status_of(live).get("desiredNumberScheduled") or 0)
        else:
            wanted = replicas_of(live)
    return WorkloadSummary(
        workload=workload,
        namespace=place.partition("/")[0],
        priority=before.priorities[workload][0] if top is None else top.priority,
        priority_class=before.priorities[workload][1] if top is None else top.priority_class,
        pods=pods,
        wanted=wanted,
        lost=dict(lost),
        recreated=recreated,
        pending=sum(isinstance(row, PendingPod) for row in rows),
        new=sum(isinstance(row, Placement) and not row.replaces for row in rows),
        removed=removed,
        ready_before=readiness.before,
        ready_least=least,
        ready_least_at=since_s,
        ready_least_for_seconds=for_s,
        ready_after=readiness.now,
        ready_in_the_end=readiness.now >= readiness.before,
        unavailable=serves and least == 0 and readiness.before > 0 and wanted > 0,
        serves=serves,
    )


def _readiness(timeline: Timeline) -> dict[str, _Readiness]:
    play, histories = timeline.play, timeline.histories.by_uid
    before, silent_s = play.before, play.executor.silenced_s
    # What stood on a node that falls silent serves no more from that moment on, though the control
    # plane takes it for ready until the node is missed.
    silenced = sorted(
        (silent_s[pod.node], pod.uid, False)
        for pod in histories.values()
        if pod.node in silent_s and not pod.is_new
    )
    found: dict[str, _Readiness] = {}
    is_ready: dict[str, bool] = {}
    for at_s, pod_uid, is_now in sorted([*silenced, *timeline.readiness], key=itemgetter(0)):
        history = histories.get(pod_uid)
        if history is None or is_ready.get(pod_uid, pod_uid in before.ready_uids) == is_now:
            continue
        workload = timeline.owners.workload(history.pod, history.owner)
        if workload not in found:
            found[workload] = _Readiness(before.ready[workload], before.ready[workload])
        found[workload].change(1 if is_now else -1, at_s)
        is_ready[pod_uid] = is_now
    for readiness in found.values():
        readiness.change(0, play.passed_s)
    return found
