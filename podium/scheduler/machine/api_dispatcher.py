"""The scheduler's API calls: status patches and bindings in order, and any other effects.

At most one call about a pending pod is sent at a time, so that a late outcome can't restore an
older status; waiting patches are merged. A binding replaces them, since it sets PodScheduled and
clears the nomination itself (in the order of kube-scheduler's API dispatcher). A failed patch is
retried until it succeeds, a later call replaces it, or the pod is gone. It contains the pod's
resourceVersion, so that a patch with an unknown outcome can't be stored later on.
"""

from collections.abc import Iterable
from math import inf
from typing import Any

import msgspec

from podium.api.conditions import stamped_condition
from podium.api.objects import Object, condition_of, conditions_of, status_of
from podium.machines.effects import Bind, Effect, Patch, patch_of
from podium.machines.events import Outcome
from podium.machines.reconciler.work_queue import Backoff, DelayedKeys
from podium.scheduler.snapshot.pod_info import PodInfo

_BACKOFF = Backoff(first_s=1.0, max_s=10.0)
_NOMINATION = "nominatedNodeName"
_HOPELESS = frozenset({"NotFound", "Invalid", "Forbidden"})


class PodCall(msgspec.Struct, frozen=True):
    """The purpose of an API call that patches or binds a pending pod."""

    uid: str


class _Calls(msgspec.Struct):
    """The API call that is sent for one pod, and those that wait."""

    pod: PodInfo
    version: int
    """The newest known resourceVersion of the pod."""
    wanted: dict[str, Any] = msgspec.field(default_factory=dict)
    """Values to write to its status: conditions by type, and the nomination."""
    binding: Bind | None = None
    sent: Effect | None = None
    sent_fields: dict[str, Any] = msgspec.field(default_factory=dict)
    failures: int = 0
    """Number of failures since the last success."""
    uncertain: bool = False
    """Whether a binding was sent whose outcome is unknown."""

    def known(self, name: str) -> Any:
        if name in self.wanted or self.sent is None:
            return self.wanted.get(name)
        return self.sent_fields.get(name)


class APIDispatcher:
    """Collects API calls; sends at most one at a time about a pod that isn't bound.

    `patches_max` limits concurrent patches; nominations come first.
    """

    def __init__(self) -> None:
        self.patches_max: float = inf
        self._patches = 0
        self._effects: list[Effect] = []
        self._calls: dict[str, _Calls] = {}
        self._waiting_to_nominate: dict[str, _Calls] = {}
        self._waiting: dict[str, _Calls] = {}
        self._retries = DelayedKeys[str]()

    def put(self, effect: Effect) -> None:
        self._effects.append(effect)

    def take(self) -> list[Effect]:
        effects, self._effects = self._effects, []
        return effects

    def set_status(
        self,
        pod: PodInfo,
        now_s: float,
        *,
        condition: Object | None = None,
        nomination: str | None = None,
    ) -> None:
        """Write a condition, a nomination or both to a pod's status, unless it has them already.

        Args:
            condition: type, status, reason, message and observedGeneration; lastTransitionTime is
                added.
            nomination: the node's name; an empty name clears the nomination, None keeps it.
        """
        wanted: dict[str, Any] = {}
        if condition is not None:
            kind = str(condition["type"])
            known = self._known(pod, kind) or condition_of(pod.obj, kind)
            stamped = stamped_condition(known, condition, now_s)
            if stamped is not None:
                wanted[kind] = stamped
        if nomination is not None:
            name = self._known(pod, _NOMINATION)
            if name is None:
                name = status_of(pod.obj).get(_NOMINATION) or ""
            if name != nomination:
                wanted[_NOMINATION] = nomination
        if wanted:
            calls = self._of(pod)
            calls.wanted |= wanted
            self._send_next(calls)

    def bind(self, pod: PodInfo, node_name: str) -> None:
        calls = self._of(pod)
        calls.wanted.clear()
        calls.binding = Bind(
            namespace=pod.namespace, name=pod.name, uid=pod.uid, node_name=node_name
        )
        self._recover(calls)
        self._send_next(calls)

    def seen(self, pod: PodInfo) -> None:
        if pod.uid in self._calls:
            self._of(pod)

    def forget(self, uid: str) -> None:
        self._calls.pop(uid, None)
        self._waiting_to_nominate.pop(uid, None)
        self._waiting.pop(uid, None)
        self._retries.discard(uid)

    def drop_patches(self, uid: str) -> None:
        calls = self._calls.get(uid)
        if calls is not None:
            calls.wanted.clear()
            # The patch that is being sent isn't retried if it fails.
            calls.sent_fields = {}

    def drop_uncertain_binding(self, uid: str) -> bool:
        """Drop the calls about a pod if its binding's outcome is unknown; return whether it is."""
        calls = self._calls.get(uid)
        if calls is None or not calls.uncertain:
            return False
        self.forget(uid)
        return True

    def outcome(self, purpose: PodCall, outcome: Outcome, now_s: float) -> bool:
        """Process the outcome of a call; return True if it settles whether a pod is bound."""
        calls = self._calls.get(purpose.uid)
        if calls is None or calls.sent is not outcome.effect:
            return False
        effect, error = calls.sent, outcome.error
        calls.sent = None
        if isinstance(effect, Patch):
            self._patches -= 1
            # Send waiting patches, except of pods whose calls were forgotten meanwhile.
            while self._patches < self.patches_max and (
                waiting := self._waiting_to_nominate or self._waiting
            ):
                next_calls = waiting.pop(next(iter(waiting)))
                if next_calls.pod.uid in self._calls:
                    self._send_next(next_calls)
        if isinstance(effect, Bind):
            if error is not None and (
                error.is_unknown or (calls.uncertain and error.reason != "NotFound")
            ):
                # Sending it again settles that: it succeeds now, or the pod is bound already, which
                # a watch will show. Until then the first call may still be carried out.
                calls.binding, calls.uncertain = effect, True
                self._retry_later(calls, now_s)
                return False
            self._send_next(calls)
            return True
        if error is None or error.reason in _HOPELESS:
            self._recover(calls)
            if outcome.obj is not None:
                calls.version = max(calls.version, _version(outcome.obj))
            if error is not None and error.reason == "NotFound":
                calls.wanted.clear()
        elif calls.binding is None:
            calls.wanted = {**calls.sent_fields, **calls.wanted}
            self._retry_later(calls, now_s)
        self._send_next(calls)
        return False

    def wake(self, now_s: float) -> None:
        for uid in self._retries.take_due(now_s):
            self._send_next(self._calls[uid])

    def next_wakeup_s(self) -> float | None:
        return self._retries.next_s() if self._retries else None

    def is_idle(self) -> bool:
        return not self._calls

    def _of(self, pod: PodInfo) -> _Calls:
        calls = self._calls.get(pod.uid)
        if calls is None:
            calls = self._calls[pod.uid] = _Calls(pod, 0)
        calls.pod = pod
        calls.version = max(calls.version, _version(pod.obj))
        return calls

    def _known(self, pod: PodInfo, name: str) -> Any:
        calls = self._calls.get(pod.uid)
        return None if calls is None else calls.known(name)

    def _send_next(self, calls: _Calls) -> None:
        if calls.sent is not None or calls.pod.uid in self._retries:
            return
        if calls.binding is not None:
            # A new object each time, so that a repeated outcome isn't taken for the next one.
            calls.sent, calls.binding = calls.binding.with_purpose(PodCall(calls.pod.uid)), None
        elif calls.wanted and self._patches >= self.patches_max:
            nominates = calls.wanted.get(_NOMINATION)
            waiting = self._waiting_to_nominate if nominates else self._waiting
            waiting[calls.pod.uid] = calls
            return
        elif calls.wanted:
            fields, pod, status = calls.wanted, calls.pod, dict[str, Any]()
            calls.sent_fields, calls.wanted = fields, {}
            metadata = {"resourceVersion": str(calls.version)} if calls.version else {}
            conditions = [value for name, value in fields.items() if name != _NOMINATION]
            if conditions:
                status |= patched_conditions(pod.obj, conditions)
            if _NOMINATION in fields:
                # An empty name is absent from a stored object: null removes it.
                status[_NOMINATION] = fields[_NOMINATION] or None
            patch = patch_of("Pod", pod.obj, {"metadata": metadata, "status": status}, "status")
            calls.sent = patch.with_purpose(PodCall(pod.uid))
            self._patches += 1
        else:
            del self._calls[calls.pod.uid]
            return
        self.put(calls.sent)

    def _retry_later(self, calls: _Calls, now_s: float) -> None:
        calls.failures += 1
        self._retries.add(calls.pod.uid, now_s + _BACKOFF.wait_s(calls.failures))

    def _recover(self, calls: _Calls) -> None:
        calls.failures = 0
        self._retries.discard(calls.pod.uid)


def patched_conditions(pod: Object, conditions: Iterable[Object]) -> dict[str, Any]:
    """Return a strategic merge patch of conditions; new ones follow those that the pod has."""
    new = {condition["type"]: condition for condition in conditions}
    has = [condition.get("type") for condition in conditions_of(pod)]
    order = [*has, *(kind for kind in new if kind not in has)]
    return {
        "conditions": [new[kind] for kind in order if kind in new],
        "$setElementOrder/conditions": [{"type": kind} for kind in order],
    }


def _version(pod: Object) -> int:
    text = pod["metadata"].get("resourceVersion")
    return int(text) if text else 0
