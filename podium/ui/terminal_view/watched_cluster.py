"""The nodes, requests, pending pods and news of a cluster, from watches of its API."""

from collections import Counter, deque
from collections.abc import Iterator, Mapping, Sequence
from itertools import count

import msgspec

from podium.api.objects import Object, is_terminating, key, metadata_of, name, namespace, uid
from podium.api.pods import is_finished, node_name_of
from podium.api.policy.disruption_target import cause_of
from podium.api.resources import pod_requests
from podium.machines.effects import Effect
from podium.machines.events import Change, Event, Synced
from podium.machines.machine import Machine
from podium.scheduler.preemption.record import preemptor_uid
from podium.simulation.timeline.facts import PodFacts, TimelineEntry, event_facts, node_facts
from podium.simulation.timeline.observer import USER, Facts
from podium.simulation.timeline.timeline_sentences import sentence, subject

_NEWS_MAX = 2_000


class WatchedNode(msgspec.Struct):
    """A node, with the requests of its pods."""

    obj: Object | None = None
    """The Node object; None while it is unknown, and after its deletion."""
    requested: Counter[str] = msgspec.field(default_factory=Counter)
    """Sum of the requests by resource, in nanos."""
    pods: set[str] = set()
    """Keys of the pods that count for the requests."""


class News(msgspec.Struct, frozen=True):
    """Something that happened in the cluster."""

    number: int
    at_s: float
    """When this process received it, in seconds since the epoch."""
    type: str
    text: str
    pod: str
    """Key of the pod that it is about; empty if it isn't about a pod."""


class WatchedCluster(Machine):
    """A state machine that tracks the changes of a cluster, and returns no effects."""

    name = "podium-top"
    kinds = frozenset({"Node", "Pod", "Event"})

    def __init__(self) -> None:
        self.pods: dict[str, Object] = {}
        self.waiting: set[str] = set()
        """Keys of the pending pods."""
        self.news: deque[News] = deque(maxlen=_NEWS_MAX)
        """News since the first lists, the latest at the end."""
        self.counts: Counter[str] = Counter()
        """Numbers of pods that were bound, preempted, evicted and lost since the first lists."""
        self.is_synced = False
        self.version = 0
        """Increases with each change."""
        self._known: dict[str, WatchedNode] = {}
        self._requests: dict[str, tuple[str, Mapping[str, int]]] = {}
        self._facts: Mapping[str, Facts] = {
            "Pod": PodFacts(),
            "Node": node_facts,
            "Event": event_facts,
        }
        self._numbers = count()

    @property
    def nodes(self) -> dict[str, WatchedNode]:
        """The existing nodes by name."""
        return {name: node for name, node in self._known.items() if node.obj is not None}

    def node(self, name: str) -> WatchedNode:
        """Return a node; makes an entry for a node that doesn't exist any more, or yet."""
        return self._known.setdefault(name, WatchedNode())

    def step(self, event: Event, now_s: float) -> Sequence[Effect]:
        """Handle an event."""
        self.version += 1
        if isinstance(event, Synced):
            self.is_synced = True
        elif isinstance(event, Change):
            if event.kind == "Node":
                self.node(name(event.obj)).obj = event.new
            elif event.kind == "Pod":
                self._pod(event)
            if self.is_synced:
                self.news.extend(self._news_of(event, now_s))
        return ()

    def _pod(self, change: Change) -> None:
        pod, pod_key = change.new, key(change.obj)
        waits = pod is not None and not node_name_of(pod)
        if waits and not is_finished(change.obj) and not is_terminating(change.obj):
            self.waiting.add(pod_key)
        else:
            self.waiting.discard(pod_key)
        self.pods.pop(pod_key, None)
        if pod is not None:
            self.pods[pod_key] = pod
        node = "" if pod is None or is_finished(pod) else node_name_of(pod)
        requests = pod_requests(pod, use_status=True) if pod is not None and node else {}
        before = self._requests.pop(pod_key, None)
        if before is not None:
            self.node(before[0]).requested.subtract(before[1])
            self.node(before[0]).pods.discard(pod_key)
        if node:
            self._requests[pod_key] = node, requests
            self.node(node).requested.update(requests)
            self.node(node).pods.add(pod_key)
        if not self.is_synced:
            return
        old, new = change.old, change.obj
        if old is not None and node_name_of(new) and not node_name_of(old):
            self.counts["bound"] += 1
        cause = cause_of(new)
        # A pod that is disrupted for a second reason, too, counts once.
        if cause is not None and (old is None or cause_of(old) is None):
            self.counts[cause.group] += 1

    def _news_of(self, change: Change, now_s: float) -> Iterator[News]:
        obj = change.obj
        about = change.kind, namespace(obj), name(obj)
        pod = key(obj) if change.kind == "Pod" else ""
        for fact in self._facts[change.kind](change.old, change.new):
            details = fact.details
            if fact.type == "Event":
                regarding = details["regarding"]
                pod = f"{regarding.get('namespace', '')}/{regarding.get('name', '')}"
            entry = TimelineEntry(now_s, fact.type, *about, USER, details, uid(obj))
            text = sentence(entry) or self._preempted(obj, pod)
            if text:
                yield News(next(self._numbers), now_s, fact.type, text, pod)

    def _preempted(self, event: Object, victim: str) -> str:
        preemptor = preemptor_uid(event)
        if not preemptor:
            return ""
        _, _, where = str(event.get("message")).partition(f"{preemptor} ")
        known = (pod for pod in self.pods.values() if metadata_of(pod).get("uid") == preemptor)
        by = next((subject("Pod", namespace(pod), name(pod)) for pod in known), f"pod {preemptor}")
        return f"{subject('Pod', *victim.split('/', 1))} is preempted by {by} {where}"
