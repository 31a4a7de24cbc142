"""Has the statuses of pods written: each when it has changed, one write of a pod at a time."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from podium.api.meta import name, uid
from podium.control.backoff import Backoff
from podium.control.effects import Patch
from podium.control.events import CallError

Object = Mapping[str, Any]

_BACKOFF = Backoff(first_s=0.5, max_s=30.0)
_GONE = ("NotFound", "Conflict")


@dataclass(slots=True)
class _Entry:
    pod: Object
    wanted: Object
    written: Object | None = None
    sent: Object | None = None
    failures: int = 0
    due_s: float = 0.0


class StatusWriter:
    """All of a node's pods."""

    def __init__(self) -> None:
        self._entries: dict[str, _Entry] = {}

    def told(self, pod: Object) -> Object:
        """What was last wanted to be written of a pod; else what is written."""
        entry = self._entries.get(uid(pod))
        status: Object = (pod.get("status") or {}) if entry is None else entry.wanted
        return status

    def want(self, pod: Object, status: Object) -> None:
        """A pod's status is like this."""
        entry = self._entries.get(uid(pod))
        if entry is None:
            self._entries[uid(pod)] = _Entry(pod, status)
        else:
            entry.wanted = status

    def is_written(self, pod_uid: str) -> bool:
        """Whether all there is to tell of a pod is written."""
        entry = self._entries.get(pod_uid)
        return entry is None or (entry.sent is None and entry.written == entry.wanted)

    def forget(self, pod_uid: str) -> None:
        """A pod is gone."""
        self._entries.pop(pod_uid, None)

    def writes(self, now_s: float) -> Iterator[Patch]:
        """What is to be written now; purposes are pods' uids."""
        for pod_uid, entry in self._entries.items():
            if entry.sent is None and entry.written != entry.wanted and entry.due_s <= now_s:
                entry.sent = entry.wanted
                yield Patch(
                    purpose=(Patch, pod_uid),
                    kind="Pod",
                    namespace=entry.pod["metadata"]["namespace"],
                    name=name(entry.pod),
                    subresource="status",
                    body={"metadata": {"uid": pod_uid}, "status": entry.wanted},
                )

    def outcome(self, pod_uid: str, error: CallError | None, now_s: float) -> None:
        """What became of a write."""
        entry = self._entries.get(pod_uid)
        if entry is None:
            return
        sent, entry.sent = entry.sent, None
        if error is None:
            entry.written, entry.failures = sent, 0
        elif error.reason in _GONE:
            # There is nobody to be told any more.
            entry.written = entry.wanted
        else:
            entry.written = None
            entry.failures += 1
            entry.due_s = now_s + max(_BACKOFF.wait_s(entry.failures), error.retry_after_s)

    def next_s(self) -> float:
        """When a write is due that failed before; `inf` if none is."""
        waiting = (
            one.due_s
            for one in self._entries.values()
            if one.sent is None and one.written != one.wanted
        )
        return min(waiting, default=float("inf"))
