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
from podium.api.meta import is_terminating, key, labels, namespace, uid
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


class Tracked:
    """A budget and what it stands at.

    Attributes:
        pdb: the object.
        pods: the pods that count for it now, by uid.
        before: disruptions allowed in the state.
        least: the fewest that were allowed since the changes, and
        least_at_s: when that was first so, in seconds since the plan began.
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
        self.lost = False
        self._selector = selector
        self._scale_of = scale_of
        self._unscaled = len(pods) if status is None else status.get("expectedPods", len(pods))
        self._stated = None if status is None else _stated_margin(status)
        self._reference = self._computed(pods)
        self._allowed: int | None = None
        self.before = self.least = self._noted = self.allowed
        self.least_at_s = 0.0

    def move_on(self, pdb: Object, pods: Pods, scale_of: ScaleOf) -> None:
        """The state has been changed: another object, other pods, other scales."""
        self.lost = not self.pods.keys() <= pods.keys()
        self.pdb, self.pods, self._scale_of = pdb, pods, scale_of
        self._allowed = None
        self.least = self._noted = self.allowed

    def see(self, pod: Object) -> None:
        """One of the pods is new or has changed."""
        self.lost |= is_terminating(pod) and uid(pod) in self.pods
        self.pods[uid(pod)] = pod
        self._allowed = None

    def lose(self, pod: Object) -> None:
        """One of the pods is gone."""
        self.pods.pop(uid(pod), None)
        self.lost = True
        self._allowed = None

    def note(self, at_s: float) -> bool:
        """Take down what is allowed now; whether it is another number than last time."""
        if self.allowed == self._noted:
            return False
        self._noted = self.allowed
        if self.allowed < self.least:
            self.least, self.least_at_s = self.allowed, at_s
        return True

    @property
    def allowed(self) -> int:
        """Disruptions allowed now."""
        if self._allowed is None:
            self._allowed = self._counted()
        return self._allowed

    def _counted(self) -> int:
        now = self._computed(self.pods)
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
        self._tracked: dict[str, list[Tracked]] = defaultdict(list)
        self._by_labels: dict[tuple[str, frozenset[tuple[str, str]]], list[Tracked]] = {}
        earlier, later = _Selection(before), _Selection(after)
        for pdb in after.of_kind("PodDisruptionBudget"):
            selector = _selector(pdb)
            tracked = self._start(pdb, selector, before.live(pdb), earlier)
            tracked.move_on(pdb, later.of(pdb, selector), later.scale_of)
            self._tracked[namespace(pdb)].append(tracked)

    @staticmethod
    def _start(
        pdb: Object, selector: Selector, live: Object | None, earlier: "_Selection"
    ) -> Tracked:
        """What a budget stands at in the state; a status of another spec says nothing about it."""
        is_as_before = live is not None and live.get("spec") == pdb.get("spec")
        judged = pdb if is_as_before else {**pdb, "status": {}}
        tracked = Tracked(judged, selector, earlier.of(pdb, selector), earlier.scale_of)
        if live is not None and (status := counted_status(live)) is not None:
            tracked.before = max(int(status["disruptionsAllowed"]), 0)
        return tracked

    def current(self) -> list[Budget]:
        """The budgets as the scheduler sees them now."""
        return [Budget.of(tracked.pdb, tracked.allowed) for tracked in self._all()]

    def remove(self, pod: Object) -> bool:
        """A victim is gone; whether any budget allows another number now."""
        found = [t for t in self._tracked.get(namespace(pod), ()) if uid(pod) in t.pods]
        allowed_before = [tracked.allowed for tracked in found]
        for tracked in found:
            tracked.lose(pod)
        return [tracked.allowed for tracked in found] != allowed_before

    def follow(self, old: Object | None, new: Object | None) -> list[Tracked]:
        """A pod came, changed or went; the budgets that are for it."""
        pod = new if new is not None else old
        if pod is None or not self._tracked.get(namespace(pod)):
            return []
        found = self._for(pod)
        for tracked in found:
            if new is None:
                tracked.lose(pod)
            else:
                tracked.see(new)
        return found

    def changes(self, broken: Mapping[str, Iterable[str]]) -> tuple[BudgetChange, ...]:
        """What has become of all budgets.

        Args:
            broken: by budget, `namespace/name`, the victims whose disruption broke it.
        """
        return tuple(
            BudgetChange(
                key(tracked.pdb),
                tracked.before,
                tracked.allowed,
                tuple(broken.get(key(tracked.pdb), ())),
                is_touched=tracked.lost or tracked.allowed != tracked.before,
                allowed_least=tracked.least,
                least_at_s=tracked.least_at_s,
            )
            for tracked in self._all()
        )

    def statuses(self) -> Iterator[tuple[Object, int]]:
        """Each budget, and what it allows."""
        return ((tracked.pdb, tracked.allowed) for tracked in self._all())

    def _for(self, pod: Object) -> list[Tracked]:
        kinship = (namespace(pod), frozenset(labels(pod).items()))
        if kinship not in self._by_labels:
            candidates = self._tracked.get(namespace(pod), ())
            self._by_labels[kinship] = [one for one in candidates if one.selects(pod)]
        return self._by_labels[kinship]

    def _all(self) -> Iterator[Tracked]:
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
