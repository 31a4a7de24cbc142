"""Histories of pods, collected from the timeline."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping

import msgspec

from podium.api.kinds.snapshot_kinds import Identity
from podium.api.objects import Object, controller_key, is_terminating, key, uid
from podium.api.pods import completion_index, is_finished, node_name_of
from podium.api.policy.disruption_target import BY_SCHEDULER, Cause, cause_of_reason
from podium.api.priority import pod_priority
from podium.controllers.daemon_set.daemon_set_state import target_of
from podium.simulation.timeline.facts import TimelineEntry

_ENDS = ("PodTerminating", "PodFailed", "PodGone")
_AT_ONCE_S = 1.0
_NO_PODS: Mapping[str, Object] = {}


def is_end(entry: TimelineEntry) -> bool:
    """Return whether an entry is the end of a pod, or the beginning of its termination."""
    return entry.type in _ENDS


def pods_by_uid(pods: Iterable[Object]) -> dict[str, Object]:
    """Return pods by uid."""
    return {uid(pod): pod for pod in pods}


class PodHistory(msgspec.Struct):
    """A pod from its creation or first observation on; times are seconds since the beginning."""

    uid: str
    pod: str
    priority: int
    priority_class: str
    owner: Identity | None
    is_new: bool
    node: str = ""
    created_s: float = 0.0
    bound_s: float | None = None
    """When it was bound; None if never, or before the beginning."""
    bound_by: str = ""
    overslept_s: float | None = None
    """How long it had waited when bound, if no event had woken it."""
    ended_s: float | None = None
    """When it began to terminate, was deleted or failed; None if none of these."""
    ended_by: str = ""
    cause: Cause | None = None
    replaces: str = ""
    has_finished: bool = False
    was_leaving: bool = False
    """Whether it was terminating or finished at the beginning."""
    failed_for: tuple[str, str] = ("", "")
    index: int | None = None
    """Its completion index; None unless it belongs to an indexed Job."""
    number: int = 0
    """How many pods were known before it."""


class Repetitions(msgspec.Struct):
    """The pods that repeat the end of an earlier pod of their controller.

    If a node rejects pods, their controller creates one after the other. A pod repeats another if
    it was created after the end of the other, and if both ended in their first second, on the same
    node and for the same reason. Preemptions are never repetitions.
    """

    first: dict[str, str] = msgspec.field(default_factory=dict)
    """The uid of the first of several such pods, by the uid of each repeating pod."""
    times: Counter[str] = msgspec.field(default_factory=Counter)
    """The number of repeating pods, by the uid of the first."""
    until_s: dict[str, float] = msgspec.field(default_factory=dict)
    """When the last one ended, in seconds since the beginning, by the uid of the first."""


class PodHistories:
    """The histories of all pods of a cluster; those that existed at the beginning come first."""

    def __init__(
        self,
        entries: Iterable[TimelineEntry],
        before: Mapping[str, Object] = _NO_PODS,
        find: Callable[[str, str, str], Object | None] = lambda *_: None,
    ) -> None:
        self.by_uid: dict[str, PodHistory] = {}
        """The pods with entries in the timeline, in order."""
        self.disrupted: list[PodHistory] = []
        self.repetitions = Repetitions()
        self._before = before
        self._find = find
        self._lost: dict[Identity, list[PodHistory]] = defaultdict(list)
        # The pods so far, and of those that ended alike the first, with how many there were then.
        self._ended: dict[tuple[object, ...], tuple[str, int]] = {}
        for entry in entries:
            self.take(entry)

    def take(self, entry: TimelineEntry) -> None:
        # What users do about a pod isn't written to it.
        if entry.kind != "Pod" or not entry.uid:
            return
        history = self.by_uid.get(entry.uid)
        if history is None:
            known = self._before.get(entry.uid)
            history = _new(entry) if known is None else _known(known)
            history.number = len(self.by_uid)
            self.by_uid[entry.uid] = history
            self._replace(history)
        if entry.type == "PodBound":
            history.node, history.bound_by = entry.details["node"], entry.by
            history.bound_s = entry.at_s
            history.overslept_s = entry.details.get("overslept")
        elif entry.type in ("PodSucceeded", "PodFailed"):
            history.has_finished |= history.ended_s is None
            if entry.type == "PodFailed":
                reason, message = (entry.details.get(of) for of in ("reason", "message"))
                history.failed_for = str(reason or ""), str(message or "")
        if entry.type in _ENDS and history.ended_s is None and not history.was_leaving:
            history.ended_s, history.ended_by = entry.at_s, entry.by
            disruption, reason = (
                str(entry.details.get(of) or "") for of in ("disruption", "reason")
            )
            history.cause = cause_of_reason(disruption, reason)
            self._repeat(history, disruption or reason)
            if history.cause is not None:
                self.disrupted.append(history)
                if history.owner is not None:
                    self._lost[history.owner].append(history)

    def __iter__(self) -> Iterator[PodHistory]:
        for one, pod in self._before.items():
            yield self.by_uid.get(one) or _known(pod)
        yield from (history for history in self.by_uid.values() if history.is_new)

    def depth_of(self, lost: PodHistory, preemptors: Mapping[str, str]) -> int:
        """Return 1, or the depth of the lost pod that the preemptor replaces plus 1."""
        depth, seen = 1, {lost.uid}
        while True:
            preemptor = self.by_uid.get(preemptors.get(lost.uid, ""))
            before = None if preemptor is None else self.by_uid.get(preemptor.replaces)
            if before is None or before.uid in seen:
                return depth
            seen.add(before.uid)
            depth, lost = depth + 1, before

    def _repeat(self, history: PodHistory, reason: str) -> None:
        ended_s = history.ended_s or 0.0
        is_told = not reason or reason == BY_SCHEDULER.reason or not history.is_new
        if is_told or history.owner is None or ended_s - history.created_s >= _AT_ONCE_S:
            return
        alike = (history.owner, history.node, reason)
        first, pods = self._ended.setdefault(alike, (history.uid, len(self.by_uid)))
        if history.number >= pods:
            self.repetitions.first[history.uid] = first
            self.repetitions.times[first] += 1
            self.repetitions.until_s[first] = ended_s

    def _replace(self, history: PodHistory) -> None:
        """Record which lost pod a new pod replaces, by name (StatefulSet) or node (DaemonSet)."""
        if history.owner is None or not history.is_new:
            return
        kind, lost = history.owner[0], self._lost.get(history.owner, [])
        for one in lost:
            if kind == "StatefulSet" and one.pod != history.pod:
                continue
            if kind == "DaemonSet":
                pod = self._find("Pod", *history.pod.split("/"))
                is_it = pod is not None and uid(pod) == history.uid
                if pod is not None and is_it and one.node != target_of(pod):
                    continue
            lost.remove(one)
            history.replaces = one.uid
            return


def _known(pod: Object) -> PodHistory:
    return PodHistory(
        uid=uid(pod),
        pod=key(pod),
        priority=pod_priority(pod),
        priority_class=pod["spec"].get("priorityClassName") or "",
        owner=controller_key(pod),
        is_new=False,
        node=node_name_of(pod),
        was_leaving=is_terminating(pod) or is_finished(pod),
        index=completion_index(pod),
    )


def _new(entry: TimelineEntry) -> PodHistory:
    details = entry.details
    owner = details.get("owner")
    return PodHistory(
        uid=entry.uid,
        pod=f"{entry.namespace}/{entry.name}",
        priority=int(details.get("priority") or 0),
        priority_class=details.get("priorityClass") or "",
        owner=owner and (str(owner["kind"]), entry.namespace, str(owner["name"])),
        is_new=True,
        created_s=entry.at_s,
        index=details.get("completionIndex"),
    )
