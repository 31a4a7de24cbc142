"""The pods of each ReplicaSet, counted change by change.

So a change costs the same, however many pods there are. Counted are pods that have the owner for
their controller and match its selector. Those that match no more, to be released, and those without
a controller, perhaps to be adopted, are noted.
"""

from collections.abc import Iterator
from typing import Any

import msgspec

from podium.api.objects import (
    Object,
    Place,
    controller_of,
    is_terminating,
    labels,
    place_of,
    uid_of,
)
from podium.api.pods import is_active, is_finished
from podium.api.workloads import pod_template_of, selector_of
from podium.controllers.kit.workload_fields import available_from_s, min_ready_s
from podium.machines.reconciler.indexer import Indexer


class _PodCounts(msgspec.Struct, frozen=True):
    """The counts to which one pod adds.

    Attributes:
        active: neither finished nor on its way out.
        fully_labeled: active, with all labels of the template.
        terminating: on its way out and not finished.
        available_from_s: of an active, ready pod; None if it isn't one.
    """

    active: bool
    fully_labeled: bool
    terminating: bool
    available_from_s: float | None


class ReplicaCounts:
    """Counts the pods of one ReplicaSet or ReplicationController.

    Attributes:
        active: how many are neither finished nor on their way out.
        fully_labeled: how many of these have all labels of the template.
        ready: how many of these are ready.
        terminating: how many are on their way out and not finished.
        mismatched: where pods are that are the owner's and don't match its selector.
        orphans: where pods without a controller are, or were, that match it.

    Args:
        owner: a ReplicaSet or ReplicationController.
    """

    def __init__(self, owner: Object) -> None:
        self.basis = _basis(owner)
        self.selector = selector_of(owner)
        self._wanted = labels(pod_template_of(owner)).items()
        self._min_ready_s = min_ready_s(owner)
        self._counted: dict[Place, _PodCounts] = {}
        self._maturing: dict[Place, float] = {}
        self.active = self.fully_labeled = self.ready = self.terminating = 0
        self.mismatched: dict[Place, None] = {}
        self.orphans: dict[Place, None] = {}

    def put(self, pod: Object) -> _PodCounts | None:
        """Count a pod of the owner, which isn't counted yet; what it adds to, if it matches."""
        place = place_of(pod)
        if not self.selector.matches(labels(pod)):
            self.mismatched[place] = None
            return None
        active = is_active(pod)
        counted = _PodCounts(
            active,
            active and self._wanted <= labels(pod).items(),
            is_terminating(pod) and not is_finished(pod),
            available_from_s(pod, self._min_ready_s) if active else None,
        )
        self._counted[place] = counted
        self._add(counted, 1)
        if counted.available_from_s:
            self._maturing[place] = counted.available_from_s
        return counted

    def drop(self, place: Place) -> _PodCounts | None:
        """Count a pod no longer; what it added to, if it did."""
        self.mismatched.pop(place, None)
        self._maturing.pop(place, None)
        counted = self._counted.pop(place, None)
        if counted is not None:
            self._add(counted, -1)
        return counted

    def available(self, now_s: float) -> int:
        """How many pods have been ready for long enough."""
        for place in [place for place, from_s in self._maturing.items() if from_s <= now_s]:
            del self._maturing[place]
        return self.ready - len(self._maturing)

    def next_available_s(self) -> float | None:
        """When the next ready pod will be available; None if no pod has to wait."""
        return min(self._maturing.values(), default=None)

    def places(self) -> Iterator[Place]:
        """Where the active pods are."""
        return (place for place, counted in self._counted.items() if counted.active)

    def _add(self, counted: _PodCounts, count: int) -> None:
        self.active += count * counted.active
        self.fully_labeled += count * counted.fully_labeled
        self.ready += count * (counted.available_from_s is not None)
        self.terminating += count * counted.terminating


class ReplicaCountsByOwner:
    """The counts of all owners that were asked for.

    Args:
        objects: with the indexes `owner` and `orphan` for pods.
    """

    def __init__(self, objects: Indexer) -> None:
        self._objects = objects
        self._by_uid: dict[str, ReplicaCounts] = {}

    def of(self, owner: Object) -> ReplicaCounts:
        """The tally of an owner; made anew if there is none, or its spec has changed."""
        known = self._by_uid.get(uid_of(owner))
        if known is not None and known.basis == _basis(owner):
            return known
        counts = self._by_uid[uid_of(owner)] = ReplicaCounts(owner)
        for pod in self._objects.by("Pod", "owner", uid_of(owner)):
            counts.put(pod)
        for pod in self._objects.by("Pod", "orphan", place_of(owner)[0]):
            if counts.selector.matches(labels(pod)):
                counts.orphans[place_of(pod)] = None
        return counts

    def forget(self, owner: Object) -> None:
        """The owner is gone."""
        self._by_uid.pop(uid_of(owner), None)

    def follow(self, before: Object | None, after: Object | None) -> bool:
        """Take in a change of a pod with a controller, or that had one.

        Returns:
            Whether it still counts as it did, with the same owner.
        """
        former, latter = self._counts_of(before), self._counts_of(after)
        was = None if before is None or former is None else former.drop(place_of(before))
        now = None if after is None or latter is None else latter.put(after)
        return former is latter and was is not None and was == now

    def _counts_of(self, pod: Object | None) -> ReplicaCounts | None:
        reference = None if pod is None else controller_of(pod)
        return None if reference is None else self._by_uid.get(str(reference.get("uid")))

    def find_orphan(self, owner: Object, pod: Object) -> None:
        """Note a pod without a controller that an owner selects."""
        counts = self._by_uid.get(uid_of(owner))
        if counts is not None:
            counts.orphans[place_of(pod)] = None


def _basis(owner: Object) -> tuple[Any, ...]:
    spec = owner["spec"]
    return (spec.get("selector"), labels(pod_template_of(owner)), min_ready_s(owner))
