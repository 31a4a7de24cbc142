"""The pace at which a controller replaces pods that fail as soon as they are created.

A controller that replaces every pod and a kubelet that rejects every pod form an endless loop. A
real cluster slows it down by the duration of calls and the client's limit of 20 calls a second, to
2 to 30 pods a second in reports. In virtual time calls take no time, so this module limits the
pace. The first replacement isn't delayed.
"""

from collections.abc import Hashable

from podium.api.objects import Object, is_terminating
from podium.api.pods import is_finished
from podium.api.policy.disruption_target import BY_TAINT, disruption_reason
from podium.api.values.times import epoch_s

PACE_S = 0.25
"""Seconds between replacements of pods that ended at once."""

_AT_ONCE_S = 1.0


class ReplacementPace:
    """The times from which pods that ended at once may be replaced, by key of their owner."""

    def __init__(self) -> None:
        self._free_s = 0.0
        self._held_until_s: dict[Hashable, float] = {}

    def replaced_s(self, key: Hashable, now_s: float) -> float:
        """Reserve and return the earliest time for an owner to replace a pod that ended at once."""
        at_s = max(now_s, self._free_s)
        self._free_s = at_s + PACE_S
        if at_s > now_s:
            self._held_until_s[key] = at_s
        return at_s

    def release(self, key: Hashable) -> None:
        """Let an owner that has changed replace its pods now."""
        self._held_until_s.pop(key, None)

    def is_held(self, key: Hashable, now_s: float) -> bool:
        """Return whether an owner has to wait before it is reconciled."""
        if not self._held_until_s or key not in self._held_until_s:
            return False
        if now_s < self._held_until_s[key]:
            return True
        del self._held_until_s[key]
        return False


def ended_at_once(pod: Object, before: Object | None, now_s: float) -> bool:
    """Return whether a new pod was ended by its node or a taint within a second of its creation."""
    if not _is_ended(pod) or (before is not None and _is_ended(before)):
        return False
    created = pod["metadata"].get("creationTimestamp")
    return bool(created) and now_s - epoch_s(created) < _AT_ONCE_S


def _is_ended(pod: Object) -> bool:
    return is_finished(pod) or (is_terminating(pod) and disruption_reason(pod) == BY_TAINT.reason)
