"""What a plan comes to for each workload: how many pods it loses, and how few are ready."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from podium.api.objects import uid
from podium.api.pods import is_ready
from podium.plan.outcome import (
    Disruption,
    PendingPod,
    Placement,
    Plan,
    PodRow,
    RemovedPod,
    WorkloadSummary,
)
from podium.plan.owners import Owners
from podium.plan.play import Play
from podium.simulation.timeline.pod_history import PodHistories

_BECOMES_READY = frozenset({"PodRunning", "PodReady"})
_IS_READY_NO_MORE = frozenset(
    {"PodNotReady", "PodTerminating", "PodFailed", "PodSucceeded", "PodGone"}
)


@dataclass(slots=True)
class _Readiness:
    """How many pods of a workload are ready, from the beginning of a plan on."""

    before: int = 0
    now: int = 0
    since_s: float = 0.0
    for_s: dict[int, float] = field(default_factory=dict)

    def change(self, by: int, at_s: float) -> None:
        """A pod becomes ready (1) or is so no more (-1)."""
        self.for_s[self.now] = self.for_s.get(self.now, 0.0) + at_s - self.since_s
        self.now, self.since_s = self.now + by, at_s

    def least(self) -> tuple[int, float]:
        """The smallest number that lasted, and for how long altogether."""
        lasting = {number: s for number, s in self.for_s.items() if s > 0}
        number = min(lasting, default=self.now)
        return number, round(lasting.get(number, 0.0), 3)


def summaries(play: Play, histories: PodHistories, plan: Plan) -> tuple[WorkloadSummary, ...]:
    """The workloads to which anything happens: who loses pods first, the most important first.

    Args:
        play: one that is over.
        histories: of its pods.
        plan: what it came to.
    """
    found: dict[str, _Counts] = defaultdict(_Counts)
    for row in (*plan.disruptions, *plan.placements, *plan.pending, *plan.removed):
        found[row.workload].take(row)
    owners = Owners(play)
    pods = Counter(
        owners.workload(one.pod, one.owner)
        for one in histories
        if not one.is_new and not one.was_leaving and one.node
    )
    readiness = _readiness(play, histories, owners)
    rows = [
        _summary(workload, counts, pods[workload], readiness[workload])
        for workload, counts in found.items()
    ]
    rows.sort(key=lambda row: (-bool(row.lost or row.pending), -row.priority, row.workload))
    return tuple(rows)


@dataclass(slots=True)
class _Counts:
    """What is counted of one workload."""

    lost: Counter[str] = field(default_factory=Counter)
    recreated: int = 0
    pending: int = 0
    new: int = 0
    removed: int = 0
    priority: int | None = None

    def take(self, row: PodRow) -> None:
        """Count what a row of the plan tells."""
        self.priority = row.priority if self.priority is None else max(self.priority, row.priority)
        match row:
            case Disruption():
                self.lost[row.cause.group] += 1
                self.recreated += row.replaced_at_s is not None
            case Placement():
                self.new += not row.replaces
            case PendingPod():
                self.pending += 1
            case RemovedPod():
                self.removed += 1


def _summary(workload: str, counts: _Counts, pods: int, readiness: _Readiness) -> WorkloadSummary:
    least, for_s = readiness.least()
    return WorkloadSummary(
        workload=workload,
        priority=counts.priority or 0,
        pods=pods,
        lost=dict(counts.lost),
        recreated=counts.recreated,
        pending=counts.pending,
        new=counts.new,
        removed=counts.removed,
        ready_before=readiness.before,
        ready_least=least,
        ready_least_for_s=for_s,
        is_ready_in_the_end=readiness.now >= readiness.before,
    )


def _readiness(play: Play, histories: PodHistories, owners: Owners) -> Mapping[str, _Readiness]:
    """By workload, how many of its pods were ready for how long."""
    found: dict[str, _Readiness] = defaultdict(_Readiness)
    before = {uid(pod): is_ready(pod) for pod in play.pods_before}
    ready = set()
    for one in histories:
        if before.get(one.uid) and not one.was_leaving:
            workload = found[owners.workload(one.pod, one.owner)]
            workload.before += 1
            workload.now += 1
            ready.add(one.uid)
    for at_s, pod_uid, is_now in _changes(play):
        history = histories.by_uid.get(pod_uid)
        if history is not None and (pod_uid in ready) != is_now:
            found[owners.workload(history.pod, history.owner)].change(1 if is_now else -1, at_s)
            (ready.add if is_now else ready.discard)(pod_uid)
    for readiness in found.values():
        readiness.change(0, play.passed_s)
    return found


def _changes(play: Play) -> Iterator[tuple[float, str, bool]]:
    """(when, uid, whether the pod is ready from then on)."""
    for entry in play.observer.entries[play.entries_before :]:
        if entry.type in _BECOMES_READY and entry.details.get("ready", True):
            yield entry.at_s, entry.uid, True
        elif entry.type in _IS_READY_NO_MORE:
            yield entry.at_s, entry.uid, False
