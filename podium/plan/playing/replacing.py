"""What workloads do when they lose a pod: another one comes in its place.

When it comes is each kind's own rule. A ReplicaSet or ReplicationController counts a pod no more
once it terminates; a StatefulSet needs the name, and a DaemonSet the node, so both wait until it
is gone; a Job waits 10 s after it has begun to terminate, twice as long after each further one
(v1.36's `replicaset`, `statefulset`, `daemon` and `job` controllers). The new pod is made from the
lost one, since it is not certain that the state has its owner.
"""

import heapq
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from podium.api.meta import controller_of, is_finished, is_terminating, key, name, namespace, uid
from podium.control.effects import Create, Effect
from podium.control.events import Change, Event, Outcome, Synced
from podium.controllers.job.backoff import BACKOFF as JOB_BACKOFF
from podium.controllers.naming import generated_names

Object = Mapping[str, Any]

_AT_ONCE = frozenset({"ReplicaSet", "ReplicationController"})
_WHEN_GONE = frozenset({"StatefulSet", "DaemonSet"})
_LATER = frozenset({"Job"})
RECREATING = _AT_ONCE | _WHEN_GONE | _LATER
"""The kinds whose pods come again."""

# What the changes bring is there before anybody makes up for what they take.
NOTICED_S = 0.001
_KEPT_METADATA = ("namespace", "labels", "annotations", "ownerReferences", "generateName")


class Replacements:
    """The machine that makes up for lost pods.

    Attributes:
        replaced: by the uid of each new pod, that of the lost one.
        refused: by the uid of a lost pod, why the API let no other in.

    Args:
        lost: pods that are gone already when the plan begins.
    """

    name = "workload-controllers"
    kinds = frozenset({"Pod"})

    def __init__(self, lost: Iterable[Object] = ()) -> None:
        self.replaced: dict[str, str] = {}
        self.refused: dict[str, str] = {}
        self._names: set[str] = set()
        self._generated: dict[str, Iterator[str]] = {}
        self._losses: Counter[str] = Counter()
        self._handled: set[str] = set()
        self._due: list[tuple[float, int, Object]] = []
        self._count = 0
        self._lost = [pod for pod in lost if _owner_kind(pod) != "DaemonSet"]
        self._synced = False

    def step(self, event: Event, now_s: float) -> Sequence[Effect]:
        """Take an event in; create the pods that are due."""
        if isinstance(event, Change):
            self._follow(event, now_s)
        elif isinstance(event, Outcome):
            lost = str(event.effect.purpose)
            if event.obj is not None:
                self.replaced[uid(event.obj)] = lost
            elif event.error is not None:
                self.refused[lost] = event.error.message
        elif isinstance(event, Synced):
            self._synced = True
            for pod in self._lost:
                self._lose(pod, now_s + NOTICED_S, is_gone=True)
        else:
            return self._create(now_s)
        return ()

    def next_wakeup_s(self) -> float | None:
        """When the first of the new pods is due."""
        return self._due[0][0] if self._due else None

    def _follow(self, change: Change, now_s: float) -> None:
        if change.new is not None:
            self._names.add(key(change.new))
        if not self._synced:
            self._pass_over(change.new)
            return
        if change.old is None:
            return
        if change.new is None:
            self._names.discard(key(change.old))
            self._lose(change.old, now_s, is_gone=True)
        elif is_terminating(change.new) or _has_failed(change.new):
            self._lose(change.new, now_s, is_gone=False)

    def _pass_over(self, pod: Object | None) -> None:
        """What was lost before the plan began has been made up for, as far as that could be."""
        if pod is None or _owner_kind(pod) in _WHEN_GONE:
            return
        if is_finished(pod) or is_terminating(pod):
            self._handled.add(uid(pod))

    def _lose(self, pod: Object, now_s: float, *, is_gone: bool) -> None:
        kind = _owner_kind(pod)
        if uid(pod) in self._handled or kind not in RECREATING:
            return
        if kind in _WHEN_GONE and not is_gone:
            return
        if is_finished(pod) and not _has_failed(pod):
            return
        self._handled.add(uid(pod))
        self._count += 1
        heapq.heappush(self._due, (now_s + self._delay_s(pod), self._count, pod))

    def _delay_s(self, pod: Object) -> float:
        if _owner_kind(pod) not in _LATER:
            return 0.0
        owner = str((controller_of(pod) or {}).get("uid"))
        self._losses[owner] += 1
        return JOB_BACKOFF.wait_s(self._losses[owner])

    def _create(self, now_s: float) -> list[Effect]:
        effects: list[Effect] = []
        while self._due and self._due[0][0] <= now_s:
            pod = heapq.heappop(self._due)[2]
            obj = successor(pod, self._name_for(pod))
            effects.append(Create(kind="Pod", obj=obj, purpose=uid(pod)))
        return effects

    def _name_for(self, pod: Object) -> str:
        if _owner_kind(pod) == "StatefulSet":
            return name(pod)
        owner = controller_of(pod) or {}
        base = str(pod["metadata"].get("generateName") or f"{owner.get('name')}-")
        identity = f"{owner.get('kind')} {namespace(pod)}/{owner.get('name')}"
        if identity not in self._generated:

            def is_taken(called: str) -> bool:
                return f"{namespace(pod)}/{called}" in self._names

            self._generated[identity] = generated_names(base, identity, is_taken)
        return next(self._generated[identity])


def successor(pod: Object, called: str) -> Object:
    """A new pod like a lost one, before anybody has decided about it."""
    kept = {field: pod["metadata"].get(field) for field in _KEPT_METADATA}
    metadata = {field: value for field, value in kept.items() if value}
    spec = {field: value for field, value in pod["spec"].items() if field != "nodeName"}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {**metadata, "name": called, "namespace": namespace(pod)},
        "spec": spec,
    }


def _owner_kind(pod: Object) -> str:
    return str((controller_of(pod) or {}).get("kind") or "")


def _has_failed(pod: Object) -> bool:
    return (pod.get("status") or {}).get("phase") == "Failed"
