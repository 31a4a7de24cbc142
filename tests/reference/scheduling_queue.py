"""The scheduling queue said plainly: a list of pods, looked through for everything.

It is told the time second by second, as the tickers of kube-scheduler would tell it, asks hints
about each pod by itself, and finds the next pod by sorting.
"""

import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from podium.api.objects import Object
from podium.scheduler.framework.cluster_events import Action, ClusterEvent, EventHint, EventResource
from podium.scheduler.snapshot.pod_info import PodInfo

ALL = ClusterEvent(EventResource.WILDCARD, Action.ALL)


@dataclass
class Waiter:
    """A pod of the queue."""

    pod: PodInfo
    time_s: float
    turn: int
    place: str = "in flight"
    attempts: int = 0
    rejections: int = 0
    errors: int = 0
    plugins: set[str] = field(default_factory=set)
    pending: set[str] = field(default_factory=set)
    gate: str = ""
    flushed_s: float = -math.inf
    seen: list[tuple[ClusterEvent, Object | None, Object | None]] = field(default_factory=list)


class PlainQueue:
    """The queue of one profile.

    Args:
        hints: by plugin.
        gates: by PreEnqueue plugin in their order, the uids that each keeps out.
        early: whether rejected pods may leave the backoff queue early.
    """

    def __init__(
        self,
        hints: Mapping[str, Sequence[EventHint]],
        gates: Mapping[str, Collection[str]],
        *,
        early: bool,
    ) -> None:
        self.hints = hints
        self.gates = gates
        self.early = early
        self.waiters: list[Waiter] = []
        self.incoming: Counter[tuple[str, str]] = Counter()
        self.now_s = 0.0
        self.turns = 0

    def find(self, uid: str) -> Waiter | None:
        return next((w for w in self.waiters if w.pod.uid == uid), None)

    def at(self, *places: str) -> list[Waiter]:
        return [w for w in self.waiters if w.place in places]

    def advance(self, to_s: float) -> None:
        for second in range(math.floor(self.now_s) + 1, math.floor(to_s) + 1):
            self.now_s = float(second)
            self.tick(second)
        self.now_s = to_s

    def tick(self, second: int) -> None:
        for waiter in self.at("backoff"):
            if self.backoff_until(waiter) < second:
                self.activate(waiter, "BackoffComplete", ask=not self.early)
        if second % 30 == 0:
            since = [(w, max(w.time_s, w.flushed_s)) for w in self.at("unschedulable", "gated")]
            leftovers = [w for w, since_s in since if second - since_s > 300]
            for waiter in leftovers:
                waiter.flushed_s = float(second)
                self.requeue(waiter, "backoff", "UnschedulableTimeout")
            if leftovers:
                self.remember(ALL, None, None)

    def backoff_until(self, waiter: Waiter) -> float:
        times = waiter.errors or waiter.rejections
        if times == 0:
            return -math.inf
        until_s = waiter.time_s + [1, 2, 4, 8, 10][min(times, 5) - 1]
        return math.floor(until_s) if self.early else until_s

    def is_backing_off(self, waiter: Waiter) -> bool:
        now_s = math.floor(self.now_s) if self.early else self.now_s
        return self.backoff_until(waiter) >= now_s

    def add(self, pod: PodInfo) -> None:
        self.turns += 1
        waiter = Waiter(pod, self.now_s, self.turns)
        self.waiters.append(waiter)
        self.activate(waiter, "UnschedulablePodAdd", ask=True)

    def update(self, old: PodInfo, new: PodInfo, events: Iterable[ClusterEvent]) -> None:
        waiter = self.find(new.uid)
        if waiter is None:
            return
        waiter.pod = new
        for event in events:
            if waiter.place == "in flight":
                waiter.seen.append((event, old.obj, new.obj))
            elif waiter.place in ("unschedulable", "gated"):
                answer = self.judge(waiter, event, old.obj, new.obj)
                if answer:
                    self.requeue(waiter, answer, label(event))

    def delete(self, uid: str) -> None:
        self.waiters = [w for w in self.waiters if w.pod.uid != uid]

    def pop(self) -> Waiter | None:
        active = sorted(self.at("active"), key=self.rank)
        if active:
            return self.take_off(active[0])
        rejected = [w for w in self.at("backoff") if w.plugins or w.pending]
        rejected.sort(key=lambda w: (self.backoff_until(w), *self.rank(w)))
        if rejected and self.early:
            self.incoming["active", "PopFromBackoffQ"] += 1
            return self.take_off(rejected[0])
        return None

    def rank(self, waiter: Waiter) -> tuple[float, ...]:
        return (-waiter.pod.priority, waiter.time_s, waiter.turn)

    def take_off(self, waiter: Waiter) -> Waiter:
        waiter.place = "in flight"
        waiter.attempts += 1
        waiter.plugins, waiter.pending, waiter.seen = set(), set(), []
        return waiter

    def done(self, uid: str) -> None:
        self.delete(uid)

    def fail(self, waiter: Waiter, plugins: Collection[str], pending: Collection[str]) -> None:
        if waiter not in self.waiters:
            return
        waiter.plugins, waiter.pending = set(plugins), set(pending)
        if plugins or pending:
            waiter.rejections, waiter.errors = waiter.rejections + 1, 0
        else:
            waiter.errors += 1
        self.turns += 1
        waiter.time_s, waiter.turn = self.now_s, self.turns
        answers = [self.judge(waiter, *seen) for seen in waiter.seen]
        if not (plugins or pending):
            answers = ["backoff"]
        answer = next((a for a in ("active", "backoff") if a in answers), "")
        self.requeue(waiter, answer, "ScheduleAttemptFailure")

    def activate_by_name(self, uid: str) -> None:
        waiter = self.find(uid)
        if waiter is None or waiter.place == "active":
            return
        if waiter.place == "in flight":
            waiter.seen.append((ALL, None, None))
        else:
            ask = waiter.place != "backoff" or not self.early
            self.activate(waiter, "ForceActivate", ask=ask)

    def event(
        self, event: ClusterEvent, old: Object | None, new: Object | None, except_uid: str
    ) -> int:
        moved = 0
        registered = [entry for entries in self.hints.values() for entry in entries]
        if not any(entry.event.matches(event) for entry in registered):
            return 0
        for waiter in self.at("unschedulable", "gated"):
            if waiter.pod.uid == except_uid:
                continue
            if waiter.gate and not self.cares(waiter.gate, event):
                continue
            answer = self.judge(waiter, event, old, new)
            if answer:
                self.requeue(waiter, answer, label(event))
                moved += waiter.place in ("active", "backoff")
        self.remember(event, old, new, except_uid)
        return moved

    def remember(
        self, event: ClusterEvent, old: Object | None, new: Object | None, except_uid: str = ""
    ) -> None:
        for waiter in self.at("in flight"):
            if waiter.pod.uid != except_uid:
                waiter.seen.append((event, old, new))

    def cares(self, plugin: str, event: ClusterEvent) -> bool:
        return any(entry.event.matches(event) for entry in self.hints[plugin])

    def judge(
        self, waiter: Waiter, event: ClusterEvent, old: Object | None, new: Object | None
    ) -> str:
        """Where an event lets a pod go: "active", "backoff", or nowhere (empty)."""
        if event == ALL or not waiter.plugins | waiter.pending:
            return "backoff"
        willing = {
            plugin
            for plugin in waiter.plugins | waiter.pending
            for entry in self.hints[plugin]
            if entry.event.matches(event)
            and (entry.hint is None or entry.hint(waiter.pod, old, new))
        }
        if willing & waiter.pending:
            return "active"
        return "backoff" if willing else ""

    def requeue(self, waiter: Waiter, answer: str, reason: str) -> None:
        if not answer:
            self.wait(waiter, reason)
        elif answer == "backoff" and self.is_backing_off(waiter):
            if self.early and not self.enters(waiter):
                self.wait(waiter, reason)
            else:
                self.move(waiter, "backoff", reason)
        else:
            self.activate(waiter, reason, ask=True)

    def activate(self, waiter: Waiter, reason: str, *, ask: bool) -> None:
        if ask and not self.enters(waiter):
            self.wait(waiter, reason)
        else:
            self.move(waiter, "active", reason)

    def enters(self, waiter: Waiter) -> bool:
        names = sorted(self.gates, key=lambda name: name != waiter.gate)
        closed = [name for name in names if waiter.pod.uid in self.gates[name]]
        waiter.gate = closed[0] if closed else ""
        waiter.plugins |= set(closed[:1])
        return not closed

    def wait(self, waiter: Waiter, reason: str) -> None:
        waiter.place = "gated" if waiter.gate else "unschedulable"
        self.incoming["unschedulable", reason] += 1

    def move(self, waiter: Waiter, place: str, reason: str) -> None:
        waiter.place = place
        self.incoming[place, reason] += 1


def label(event: ClusterEvent) -> str:
    """The name that metrics give to an event of one action."""
    words = str(event.action.name).lower().split("_")
    action = "".join(word.capitalize() for word in words).replace("UpdateOther", "Update")
    resource = {
        "UnscheduledPod": "UnschedulablePod",
        "StorageClass": "storage.k8s.io/StorageClass",
    }.get(event.resource, event.resource)
    return f"{resource}{action}"
