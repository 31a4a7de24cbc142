"""Taint-based eviction: deletes pods that don't tolerate NoExecute taints of their nodes.

Rules and texts are those of v1.36's `tainteviction` controller. A pod that tolerates all taints for
some time is deleted after the shortest `tolerationSeconds`, counted from when the controller first
saw the taints; later changes of tolerations don't change that time. For nodes that were tainted
before the controller started, it counts from when the taint was added or the pod was bound.
"""

from collections.abc import Hashable, Iterator, Sequence

import msgspec

from podium.api.nodes import taints_of, tolerates
from podium.api.objects import (
    Object,
    Place,
    condition_of,
    is_terminating,
    name,
    place_of,
    spec_of,
    uid_of,
)
from podium.api.objects import key as key_of
from podium.api.pods import is_finished, node_name_of, node_names_of, tolerations_of
from podium.api.policy.disruption_target import (
    BY_TAINT,
    disruption_condition,
    disruption_reason,
    ending_of,
)
from podium.api.values.times import epoch_s
from podium.machines.effects import Effect, deletion_of, status_patch_of
from podium.machines.events import Change
from podium.machines.reconciler.reconciler import Reconciler

_FOREVER = None


class _Planned(msgspec.Struct, frozen=True):
    uid: str
    due_s: float


class TaintEvictionController(Reconciler):
    """Deletes pods that don't tolerate NoExecute taints of their nodes."""

    name = "taint-eviction-controller"
    kinds = frozenset({"Pod", "Node"})
    indexes = (("Pod", "node", node_names_of),)

    def __init__(self) -> None:
        super().__init__()
        self._planned: dict[Place, _Planned] = {}
        # By place, the uids of pods that were on tainted nodes at the start.
        self._found: dict[Place, str] = {}

    def heeds(self, change: Change) -> bool:
        # Of a pod it matters where it is, what it tolerates, and whether it ends.
        old, new = change.old, change.new
        if change.kind != "Pod" or old is None or new is None:
            return True
        return (
            old.get("spec") is not new.get("spec")
            or is_terminating(old) != is_terminating(new)
            or (old.get("status") is not new.get("status") and ending_of(old) != ending_of(new))
        )

    def keys_of(self, change: Change, before: Object | None) -> Iterator[Hashable]:
        obj = change.obj
        if change.kind == "Pod":
            place = place_of(obj)
            # Pods on other nodes are looked at when these are tainted.
            if (place in self._planned or self._taints_on(obj)) and (
                change.new is None or before is None or _facts(before) != _facts(change.new)
            ):
                yield place
        elif change.new is None or _no_execute(before) != _no_execute(change.new):
            yield from map(place_of, self.objects.by("Pod", "node", name(obj)))

    def synced(self, now_s: float) -> None:
        for node in self.objects.all("Node"):
            if _no_execute(node):
                for pod in self.objects.by("Pod", "node", name(node)):
                    self._found[place_of(pod)] = uid_of(pod)

    def reconcile(self, key: Hashable, now_s: float) -> Iterator[Effect]:
        pod = self.objects.at("Pod", key)
        assert isinstance(key, tuple)
        planned = self._planned.get(key)
        if pod is None or is_terminating(pod) or is_finished(pod):
            self._planned.pop(key, None)
            return
        if planned is not None and planned.uid != uid_of(pod):
            del self._planned[key]
        taints = self._taints_on(pod)
        stay_s = _stay_s(pod, taints)
        was_found = self._found.pop(key, None) == uid_of(pod)
        if stay_s is _FOREVER:
            if self._planned.pop(key, None) is not None:
                note = f"Cancelling deletion of Pod {key_of(pod)}"
                yield self.event(pod, "Normal", "TaintManagerEviction", note)
            return
        if stay_s and was_found:
            self._planned[key] = _Planned(uid_of(pod), _foreseen_s(pod, taints, now_s))
        if not stay_s or key not in self._planned:
            # A planned deletion stands, unless it has become due at once.
            self._planned[key] = _Planned(uid_of(pod), now_s + stay_s)
        if (due_s := self._planned[key].due_s) > now_s:
            self.look_again(key, due_s)
            return
        if disruption_reason(pod) != BY_TAINT.reason:
            note = f"Marking for deletion Pod {key_of(pod)}"
            yield self.event(pod, "Normal", "TaintManagerEviction", note)
            why = "Taint manager: deleting due to NoExecute taint"
            target = disruption_condition(pod, BY_TAINT, why, now_s)
            yield status_patch_of("Pod", pod, {"conditions": [target]})
        else:
            yield deletion_of("Pod", pod)

    def _taints_on(self, pod: Object) -> list[Object]:
        return _no_execute(self.objects.get("Node", node_name_of(pod)))


def _stay_s(pod: Object, taints: Sequence[Object]) -> float | None:
    if not taints:
        return _FOREVER
    tolerations = tolerations_of(spec_of(pod))
    used = []
    for taint in taints:
        matching = [toleration for toleration in tolerations if tolerates(toleration, taint)]
        if not matching:
            return 0.0
        used.append(matching[0])
    limits = [one["tolerationSeconds"] for one in used if one.get("tolerationSeconds") is not None]
    return max(float(min(limits)), 0.0) if limits else _FOREVER


def _foreseen_s(pod: Object, taints: Sequence[Object], now_s: float) -> float:
    # When a pod was to be deleted, by the times of its node's taints; an unknown time is now. The
    # first taint that the pod doesn't tolerate for ever has settled the moment.
    came = (condition_of(pod, "PodScheduled") or {}).get("lastTransitionTime")
    came_s = epoch_s(came) if came else 0.0
    # Times are stored in whole seconds, of which the current one counts as now.
    stored = [epoch_s(taint["timeAdded"]) if taint.get("timeAdded") else now_s for taint in taints]
    added = [now_s if at_s > now_s - 1 else at_s for at_s in stored]
    for added_s in sorted({*added}):
        by_then = [taint for taint, at_s in zip(taints, added, strict=True) if at_s <= added_s]
        stay_s = _stay_s(pod, by_then)
        if stay_s is not _FOREVER:
            return max(added_s, came_s) + stay_s
    return now_s


def _no_execute(node: Object | None) -> list[Object]:
    taints = taints_of(node) if node else ()
    return [taint for taint in taints if taint.get("effect") == "NoExecute"]


def _facts(pod: Object) -> tuple[object, ...]:
    # The facts of a pod that matter to its eviction.
    spec = spec_of(pod)
    facts = (uid_of(pod), spec.get("nodeName"), spec.get("tolerations"), ending_of(pod))
    return *facts, is_terminating(pod)
