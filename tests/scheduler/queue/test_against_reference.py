"""The queue and its plain twin do the same, whatever happens in whatever order."""

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from podium.api.objects import Object
from podium.scheduler.framework.cluster_events import Action, ClusterEvent, EventResource
from podium.scheduler.queue.queue_events import events_of_pod_update
from podium.scheduler.queue.queued_pod import QueuedPod, QueueName
from podium.scheduler.queue.scheduling_queue import SchedulingQueue
from podium.scheduler.snapshot.pod_info import PodInfo
from tests.reference.scheduling_queue import PlainQueue, Waiter
from tests.scheduler.queue import toys

OWN = EventResource.UNSCHEDULED_POD
OWN_ANY = ClusterEvent(OWN, Action.UPDATE)
APPS = ("a", "b", "c")
PLUGINS = ("A", "B", "C", "D")
EVENTS = (
    toys.NODE_ADD,
    toys.NODE_LABEL,
    toys.POD_DELETE,
    ClusterEvent(EventResource.STORAGE_CLASS, Action.ADD),
)


def helps(pod: PodInfo, old: Object | None, new: Object | None) -> bool:
    """The object says which apps it helps."""
    return pod.cls.labels["app"] in (new or old or {}).get("helps", ())


def is_own(pod: PodInfo, old: Object | None, new: Object | None) -> bool:
    return new is not None and new["metadata"]["name"] == pod.name


HINTS = {
    "A": toys.hinted(toys.NODE_ADD, toys.NODE_LABEL, by=helps)
    + toys.hinted(toys.OWN_LABEL, by=is_own),
    "B": toys.hinted(toys.POD_DELETE),
    "C": toys.hinted(toys.NODE_LABEL, by=helps) + toys.hinted(OWN_ANY, by=is_own),
    "D": (),
    "Gates": toys.hinted(toys.OWN_GATES, by=is_own),
    "Preemption": toys.hinted(toys.POD_DELETE),
}

instants = st.sampled_from([0.0, 0.1, 0.4, 0.5, 0.6, 0.9, 1.0, 1.0, 2.0, 3.3, 7.0, 31.0, 302.5])
names = st.sampled_from(APPS)
some_apps = st.sampled_from([[*APPS], [*APPS], ["a", "b"], ["c"], []])
some_plugins = st.sets(st.sampled_from(PLUGINS), max_size=2).map(frozenset)


class TwoQueues(RuleBasedStateMachine):
    """Both are told the same; the real one is woken when it asks to be, and at no other time."""

    @initialize(early=st.booleans())
    def start(self, early: bool) -> None:
        self.gates = (toys.Gate("Gates"), toys.Gate("Preemption"))
        closed = {gate.name: gate.closed_to for gate in self.gates}
        self.plain = PlainQueue(HINTS, closed, early=early)
        self.real: SchedulingQueue = toys.queue(HINTS, self.gates, pop_from_backoff=early)
        self.flights: list[tuple[QueuedPod, Waiter]] = []
        self.pods: list[PodInfo] = []

    @property
    def now_s(self) -> float:
        return self.plain.now_s

    def pick(self, data: st.DataObject) -> PodInfo:
        return data.draw(st.sampled_from(self.pods))

    @rule(app=names, priority=st.integers(0, 2), gated=st.sampled_from([False, False, False, True]))
    def add(self, app: str, priority: int, gated: bool) -> None:
        pod = toys.waiting(app, priority)
        if gated:
            self.gates[0].closed_to.add(pod.uid)
        self.pods.append(pod)
        self.plain.add(pod)
        self.real.add(pod, toys.PROFILE, self.now_s)

    @precondition(lambda self: self.pods)
    @rule(data=st.data(), app=names, opens=st.booleans(), tolerates=st.booleans())
    def update(self, data: st.DataObject, app: str, opens: bool, tolerates: bool) -> None:
        old = self.pick(data)
        if opens:
            self.gates[0].closed_to.discard(old.uid)
        gates = [{"name": "g"}] if old.uid in self.gates[0].closed_to else []
        tolerations = [{"operator": "Exists"}] if tolerates else []
        new = toys.changed(old, {"app": app}, schedulingGates=gates, tolerations=tolerations)
        self.pods[self.pods.index(old)] = new
        action = events_of_pod_update(old.obj, new.obj)
        self.plain.update(old, new, [ClusterEvent(OWN, single) for single in action])
        self.real.update(old, new, self.now_s)

    @precondition(lambda self: self.pods)
    @rule(data=st.data())
    def delete(self, data: st.DataObject) -> None:
        pod = self.pick(data)
        self.pods.remove(pod)
        self.plain.delete(pod.uid)
        self.real.delete(pod.uid)

    @rule()
    def pop(self) -> None:
        assert self.real.has_next() == (self.plain_has_next())
        queued, waiter = self.real.pop(self.now_s), self.plain.pop()
        assert (queued and queued.uid) == (waiter and waiter.pod.uid)
        if queued and waiter:
            self.flights.append((queued, waiter))

    def plain_has_next(self) -> bool:
        early = [w for w in self.plain.at("backoff") if w.plugins | w.pending]
        return bool(self.plain.at("active") or (self.plain.early and early))

    @precondition(lambda self: self.flights)
    @rule(data=st.data())
    def done(self, data: st.DataObject) -> None:
        queued, _ = self.flights.pop(data.draw(st.integers(0, len(self.flights) - 1)))
        self.pods = [pod for pod in self.pods if pod.uid != queued.uid]
        self.plain.done(queued.uid)
        self.real.done(queued.uid)

    @precondition(lambda self: self.flights)
    @rule(data=st.data(), plugins=some_plugins, pending=some_plugins)
    def fail(self, data: st.DataObject, plugins: frozenset[str], pending: frozenset[str]) -> None:
        queued, waiter = self.flights.pop(data.draw(st.integers(0, len(self.flights) - 1)))
        self.plain.fail(waiter, plugins, pending)
        self.real.fail(queued, plugins, pending_plugins=pending, now_s=self.now_s)

    @rule(plugins=some_plugins)
    def reject_next(self, plugins: frozenset[str]) -> None:
        self.pop()
        if self.flights:
            queued, waiter = self.flights.pop()
            self.plain.fail(waiter, plugins, frozenset())
            self.real.fail(queued, plugins, now_s=self.now_s)

    @precondition(lambda self: self.pods)
    @rule(data=st.data())
    def activate(self, data: st.DataObject) -> None:
        pod = self.pick(data)
        self.plain.activate_by_name(pod.uid)
        self.real.activate([pod.uid], self.now_s)

    @precondition(lambda self: self.pods)
    @rule(data=st.data())
    def hold_back_or_let_go(self, data: st.DataObject) -> None:
        self.gates[1].closed_to ^= {self.pick(data).uid}

    @rule(data=st.data(), event=st.sampled_from(EVENTS), apps=some_apps)
    def happen(self, data: st.DataObject, event: ClusterEvent, apps: list[str]) -> None:
        obj = {"helps": apps}
        but = data.draw(st.sampled_from(["", *(pod.uid for pod in self.pods)]))
        moved = self.plain.event(event, None, obj, but)
        assert self.real.event(event, None, obj, self.now_s, except_uid=but) == moved

    @rule(elapsed_s=instants)
    def wait(self, elapsed_s: float) -> None:
        end_s = self.now_s + elapsed_s
        while (wakeup_s := self.real.next_wakeup_s()) is not None and wakeup_s <= end_s:
            assert wakeup_s > self.now_s or wakeup_s == 0
            self.plain.advance(wakeup_s)
            self.real.flush(wakeup_s)
        self.plain.advance(end_s)

    @invariant()
    def every_pod_is_in_one_place_the_same_in_both(self) -> None:
        if not hasattr(self, "real"):
            return
        real = {queued.uid: queued for queued in self.real}
        assert {uid: queued.place for uid, queued in real.items()} == {
            waiter.pod.uid: waiter.place for waiter in self.plain.waiters
        }
        for waiter in self.plain.waiters:
            queued = real[waiter.pod.uid]
            assert queued.pod is waiter.pod
            assert (queued.added_at_s, queued.attempts) == (waiter.time_s, waiter.attempts)
            assert queued.unschedulable_count == waiter.rejections
            assert queued.consecutive_errors == waiter.errors
            assert queued.unschedulable_plugins == waiter.plugins
            assert queued.pending_plugins == waiter.pending
            assert (queued.gated_by.plugin if queued.gated_by else "") == waiter.gate
        assert self.real.incoming == self.plain.incoming

    @invariant()
    def counts_are_of_what_there_is(self) -> None:
        if not hasattr(self, "real"):
            return
        places = [queued.place for queued in self.real]
        counts = self.real.counts()
        assert {place: counts[place] for place in counts} == {
            place: places.count(place) for place in counts
        }
        assert {QueueName.DONE, QueueName.DELETED}.isdisjoint(places)


TestTwoQueues = TwoQueues.TestCase
# Much has to happen before pods are in backoff, gated and in flight at once.
TestTwoQueues.settings = settings(stateful_step_count=250)
