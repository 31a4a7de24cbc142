"""What disruption budgets allow while a plan is carried out.

A budget starts from its status, as the disruption controller of the cluster has left it, and where
there is none that counts, from the pods. From then on it follows what happens to the pods that it
selects, by the controller's own arithmetic: what is allowed changes by as much as the numbers
computed from the pods do.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from podium.api.labels import NOTHING, Selector, SelectorError, label_selector
from podium.api.meta import key, labels, namespace, uid
from podium.core.budgets import (
    Budget,
    BudgetStatus,
    ScaleOf,
    allowed_disruptions,
    expected_count,
    needs_scale,
)
from podium.core.scales import scales
from podium.plan.outcome import BudgetChange
from podium.plan.state import State, was_in_a_cluster

Object = Mapping[str, Any]
Pods = dict[str, Object]
"""Pods by uid."""

_SCALED_KINDS = ("Deployment", "ReplicaSet", "ReplicationController", "StatefulSet")


def counted_status(pdb: Object) -> Object | None:
    """The budget's status, if the disruption controller has written it for the budget as it is."""
    status: Object = pdb.get("status") or {}
    if status.get("disruptionsAllowed") is None:
        return None
    observed, generation = (
        status.get("observedGeneration"),
        (pdb.get("metadata") or {}).get("generation"),
    )
    if observed is None:
        return None if was_in_a_cluster(pdb) else status
    return None if generation is not None and observed < generation else status


class _Tracked:
    """A budget and what it stands at.

    Attributes:
        pdb: the object.
        pods: the pods that count for it now, by uid.
        before: disruptions allowed in the state.
        violated_by: victims whose disruption broke it.
        lost: whether it has lost a pod.
    """

    def __init__(self, pdb: Object, selector: Selector, pods: Pods, scale_of: ScaleOf) -> None:
        """Start.

        Args:
            pdb: the budget; its status holds for the state.
            selector: of the pods that count.
            pods: those of the state.
            scale_of: who says how many there should be.
        """
        status = counted_status(pdb)
        self.pdb = pdb
        self.pods = pods
        self.violated_by: list[str] = []
        self.lost = False
        self._selector = selector
        self._scale_of = scale_of
        self._unscaled = len(pods) if status is None else status.get("expectedPods", len(pods))
        self._stated = None if status is None else _stated_margin(status)
        self._reference = self._computed(pods)
        self._allowed: int | None = None
        self.before = self.allowed

    def move_on(self, pdb: Object, pods: Pods, scale_of: ScaleOf) -> None:
        """The state has been changed: another object, other pods, other scales."""
        self.lost = not self.pods.keys() <= pods.keys()
        self.pdb, self.pods, self._scale_of = pdb, pods, scale_of
        self._allowed = None

    def lose(self, pod: Object) -> None:
        """One of the pods is gone."""
        del self.pods[uid(pod)]
        self.lost = True
        self._allowed = None

    @property
    def allowed(self) -> int:
        """Disruptions allowed now."""
        if self._allowed is None:
            self._allowed = self.allowed_with({})
        return self._allowed

    def allowed_with(self, ready: Pods) -> int:
        """Disruptions allowed once these pods are there as well, or are ready."""
        now = self._computed({**self.pods, **ready})
        if self._stated is None:
            return now.disruptions_allowed
        if now.expected_pods <= 0 < self._reference.expected_pods:
            return 0
        return max(self._stated + _margin(now) - _margin(self._reference), 0)

    def selects(self, pod: Object) -> bool:
        """Whether a pod of the budget's namespace counts."""
        return self._selector.matches(labels(pod))

    def _computed(self, pods: Pods) -> BudgetStatus:
        expected = expected_count(pods.values(), self._scale_of) if needs_scale(self.pdb) else 0
        if expected is None and self._stated is not None:
            # The cluster knows controllers that the state lacks; they want what they wanted.
            expected = self._unscaled
        return allowed_disruptions(self.pdb, list(pods.values()), expected)


def _stated_margin(status: Object) -> int:
    """Healthy pods beyond those desired, by a status; below 0 if they are too few."""
    allowed = max(int(status["disruptionsAllowed"]), 0)
    healthy, desired = status.get("currentHealthy"), status.get("desiredHealthy")
    if healthy is None or desired is None:
        return allowed
    margin = int(healthy) - int(desired)
    # An eviction that has just been granted is in one of the numbers before it is in the others.
    return margin if max(margin, 0) == allowed else allowed


def _margin(status: BudgetStatus) -> int:
    return status.current_healthy - status.desired_healthy


class BudgetBook:
    """All budgets of a plan, from the state before its changes to the end."""

    def __init__(self, before: State, after: State) -> None:
        """Start.

        Args:
            before: the state that the plan starts from.
            after: the same with the changes made, and the new pods in it that have no place yet.
        """
        self._tracked: dict[str, list[_Tracked]] = defaultdict(list)
        earlier, later = _Selection(before), _Selection(after)
        for pdb in after.of_kind("PodDisruptionBudget"):
            selector = _selector(pdb)
            tracked = self._start(pdb, selector, before.live(pdb), earlier)
            tracked.move_on(pdb, later.of(pdb, selector), later.scale_of)
            self._tracked[namespace(pdb)].append(tracked)

    @staticmethod
    def _start(
        pdb: Object, selector: Selector, live: Object | None, earlier: "_Selection"
    ) -> _Tracked:
        """What a budget stands at in the state; a status of another spec says nothing about it."""
        is_as_before = live is not None and live.get("spec") == pdb.get("spec")
        judged = pdb if is_as_before else {**pdb, "status": {}}
        tracked = _Tracked(judged, selector, earlier.of(pdb, selector), earlier.scale_of)
        if live is not None and (status := counted_status(live)) is not None:
            tracked.before = max(int(status["disruptionsAllowed"]), 0)
        return tracked

    def current(self) -> list[Budget]:
        """The budgets as the scheduler sees them now."""
        return [Budget.of(tracked.pdb, tracked.allowed) for tracked in self._all()]

    def remove(self, pod: Object, broken: Iterable[str]) -> bool:
        """A victim is gone; whether any budget allows another number now.

        Args:
            pod: the victim.
            broken: the budgets, `namespace/name`, that its disruption breaks.
        """
        broken_keys = set(broken)
        found = [t for t in self._tracked.get(namespace(pod), ()) if uid(pod) in t.pods]
        allowed_before = [tracked.allowed for tracked in found]
        for tracked in found:
            tracked.lose(pod)
            if key(tracked.pdb) in broken_keys:
                tracked.violated_by.append(key(pod))
        return [tracked.allowed for tracked in found] != allowed_before

    def changes(self, placed: Iterable[Object]) -> tuple[BudgetChange, ...]:
        """What has become of all budgets.

        Args:
            placed: pods that got a place, as they will be once they are ready.
        """
        ready: dict[str, Pods] = defaultdict(dict)
        for pod in placed:
            ready[namespace(pod)][uid(pod)] = pod
        return tuple(self._change(t, ready[namespace(t.pdb)]) for t in self._all())

    @staticmethod
    def _change(tracked: _Tracked, ready: Pods) -> BudgetChange:
        new = {pod_uid: pod for pod_uid, pod in ready.items() if tracked.selects(pod)}
        after = tracked.allowed_with(new) if new else tracked.allowed
        return BudgetChange(
            key(tracked.pdb),
            tracked.before,
            after,
            tuple(tracked.violated_by),
            is_touched=tracked.lost or after != tracked.before,
        )

    def _all(self) -> Iterator[_Tracked]:
        for tracked in self._tracked.values():
            yield from tracked


class _Selection:
    """Which pods of a state a budget selects, and who scales them.

    Pods are kept by namespace and labels: there are far fewer ways to be labelled than pods.
    """

    def __init__(self, state: State) -> None:
        self.scale_of = scales(state.of_kind(*_SCALED_KINDS))
        self._pods: dict[str, dict[frozenset[tuple[str, str]], list[Object]]] = {}
        for pod in state.of_kind("Pod"):
            by_labels = self._pods.setdefault(namespace(pod), {})
            by_labels.setdefault(frozenset(labels(pod).items()), []).append(pod)

    def of(self, pdb: Object, selector: Selector) -> Pods:
        """The pods by uid, finished ones included."""
        by_labels = self._pods.get(namespace(pdb), {})
        selected = (pods for carried, pods in by_labels.items() if selector.matches(dict(carried)))
        return {uid(pod): pod for pods in selected for pod in pods}


def _selector(pdb: Object) -> Selector:
    try:
        return label_selector((pdb.get("spec") or {}).get("selector"))
    except SelectorError:
        return NOTHING
