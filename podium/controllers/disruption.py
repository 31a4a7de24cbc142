"""The disruption controller: what PodDisruptionBudgets allow right now, kept in their status.

The arithmetic is `podium.core.budgets`; this file says when it is done anew, and writes the
outcome. Rules and texts are those of v1.36's `disruption` controller.
"""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Any

from podium.api.labels import SelectorError, label_selector
from podium.api.meta import controller_of, is_terminating, labels, name, namespace
from podium.api.times import NANOS_PER_SECOND, parse_time, timestamp
from podium.control.effects import Effect, Patch, Record
from podium.control.events import Change
from podium.controllers.kit.objects import Place, place_of, uid_of
from podium.controllers.kit.pods import condition_of, namespaces
from podium.controllers.kit.reconciler import Reconciler
from podium.core.budgets import (
    DELETION_TIMEOUT_NANOS,
    BudgetStatus,
    Scale,
    allowed_disruptions,
    expected_count,
    needs_scale,
)

Object = Mapping[str, Any]

DELETION_TIMEOUT_S = DELETION_TIMEOUT_NANOS / NANOS_PER_SECOND
STALE_CONDITION_S = 120.0

_BUDGET = "PodDisruptionBudget"
_SCALED = ("ReplicaSet", "ReplicationController", "StatefulSet", "Deployment")
_POD = "stale condition of pod"


class DisruptionController(Reconciler):
    """Keeps the status of budgets true."""

    name = "controllermanager"
    kinds = frozenset({"Pod", _BUDGET, *_SCALED})

    def __init__(self) -> None:
        super().__init__(
            {
                "Pod": {"namespace": namespaces},
                _BUDGET: {"namespace": namespaces},
            }
        )
        self._members: dict[Place, dict[Place, None]] = {}

    def keys_of(self, change: Change, before: Object | None) -> Iterator[Hashable]:
        obj = change.new if change.new is not None else change.old
        if obj is None:
            return
        if change.kind == _BUDGET:
            self._recruit(before, change.new)
            yield place_of(obj)
        elif change.kind == "Pod":
            yield from self._budgets_of(before, change.new)
            if change.new is not None and _has_stale_candidate(change.new):
                yield (_POD, *place_of(change.new))
        elif _replicas(before) != _replicas(change.new):
            # Budgets refer to what controllers want of those pods that are theirs.
            for budget in self.objects.by(_BUDGET, "namespace", namespace(obj)):
                if needs_scale(budget):
                    yield place_of(budget)

    def reconcile(self, key: Hashable, now_s: float) -> Sequence[Effect]:
        assert isinstance(key, tuple)
        if key[0] == _POD and len(key) == 3:
            return list(self._clear_stale(key, now_s))
        budget = self.objects.get(_BUDGET, key[1], key[0])
        return [] if budget is None else list(self._sync(key, budget, now_s))

    def _recruit(self, before: Object | None, after: Object | None) -> None:
        """Find the pods of a budget that is new or has another selector."""
        if after is None:
            if before is not None:
                self._members.pop(place_of(before), None)
        elif before is None or before.get("spec") != after.get("spec"):
            pods = self.objects.by("Pod", "namespace", namespace(after))
            self._members[place_of(after)] = {
                place_of(pod): None for pod in pods if _selects(after, pod)
            }

    def _budgets_of(self, before: Object | None, after: Object | None) -> Iterator[Hashable]:
        pod = after if after is not None else before
        if pod is None or _counts_alike(before, after):
            return
        place = place_of(pod)
        for budget in self.objects.by(_BUDGET, "namespace", namespace(pod)):
            members = self._members.setdefault(place_of(budget), {})
            was_member = place in members
            members.pop(place, None)
            if after is not None and _selects(budget, after):
                members[place] = None
            if was_member or place in members:
                yield place_of(budget)

    def _pods_of(self, budget: Object) -> list[Object]:
        found = (
            self.objects.get("Pod", called, place)
            for place, called in self._members.get(place_of(budget), ())
        )
        return [pod for pod in found if pod is not None]

    def _sync(self, key: Hashable, budget: Object, now_s: float) -> Iterator[Effect]:
        try:
            label_selector((budget.get("spec") or {}).get("selector"))
        except SelectorError as error:
            yield from self._write(budget, None, {}, f"{error}", now_s)
            return
        pods = self._pods_of(budget)
        disrupted = self._still_disrupted(key, budget, pods, now_s)
        counted = {**budget, "status": {**(budget.get("status") or {}), "disruptedPods": disrupted}}
        expected = expected_count(pods, self._scale_of)
        if expected is None and needs_scale(budget):
            yield from self._expected_unknown(budget, pods, now_s)
            return
        now_ns = int(now_s * NANOS_PER_SECOND)
        status = allowed_disruptions(counted, pods, expected, now=now_ns)
        yield from self._write(budget, status, disrupted, "", now_s)

    def _still_disrupted(
        self, key: Hashable, budget: Object, pods: Sequence[Object], now_s: float
    ) -> dict[str, str]:
        """The granted evictions that are still to be waited for."""
        present = {name(pod): pod for pod in pods}
        kept = {}
        granted: Mapping[str, str] = (budget.get("status") or {}).get("disruptedPods") or {}
        for called, since in granted.items():
            pod = present.get(called)
            if pod is None or is_terminating(pod):
                continue
            until_s = parse_time(since) / NANOS_PER_SECOND + DELETION_TIMEOUT_S
            if until_s > now_s:
                kept[called] = since
                self.look_again(key, until_s)
        return kept

    def _expected_unknown(
        self, budget: Object, pods: Sequence[Object], now_s: float
    ) -> Iterator[Effect]:
        owner = next((o for pod in pods if (o := controller_of(pod)) is not None), {})
        message = f"found no controllers for pod {name(pods[0])!r}" if pods else ""
        if owner:
            message = f"{owner.get('kind')} {owner.get('name')} does not say how many pods it wants"
        yield Record(
            regarding=budget,
            reporting_controller=self.name,
            type="Warning",
            reason="CalculateExpectedPodCountFailed",
            action="",
            note=f"Failed to calculate the number of expected pods: {message}",
        )
        yield from self._write(budget, None, None, message, now_s)

    def _write(
        self,
        budget: Object,
        counted: BudgetStatus | None,
        disrupted: Mapping[str, str] | None,
        failure: str,
        now_s: float,
    ) -> Iterator[Effect]:
        old: Object = budget.get("status") or {}
        generation = budget["metadata"].get("generation")
        allowed = 0 if counted is None else counted.disruptions_allowed
        status: dict[str, Any] = {"disruptionsAllowed": allowed, "observedGeneration": generation}
        if counted is not None:
            status["currentHealthy"] = counted.current_healthy
            status["desiredHealthy"] = counted.desired_healthy
            status["expectedPods"] = counted.expected_pods
        gone = {}
        if disrupted is not None:
            before: Mapping[str, str] = old.get("disruptedPods") or {}
            gone = {called: None for called in before if called not in disrupted}
        condition = self._condition(budget, allowed, failure, generation, now_s)
        known = condition_of(budget, "DisruptionAllowed")
        if all(old.get(k) == v for k, v in status.items()) and not gone and condition == known:
            return
        if gone:
            status["disruptedPods"] = gone
        place, called = place_of(budget)
        # The version guards against an eviction that was granted in between.
        yield Patch(
            kind=_BUDGET,
            namespace=place,
            name=called,
            subresource="status",
            body={
                "metadata": {
                    "uid": uid_of(budget),
                    "resourceVersion": budget["metadata"].get("resourceVersion"),
                },
                "status": {**status, "conditions": [condition]},
            },
        )

    def _condition(
        self, budget: Object, allowed: int, failure: str, generation: Any, now_s: float
    ) -> Object:
        if failure:
            value, reason = "False", "SyncFailed"
        else:
            value, reason = ("True", "SufficientPods") if allowed else ("False", "InsufficientPods")
        known = condition_of(budget, "DisruptionAllowed")
        since = timestamp(now_s)
        if known is not None and known.get("status") == value:
            since = known.get("lastTransitionTime", since)
        return {
            "type": "DisruptionAllowed",
            "status": value,
            "observedGeneration": generation,
            "lastTransitionTime": since,
            "reason": reason,
            "message": failure,
        }

    def _scale_of(self, reference: Object, place: str) -> Scale | None:
        owner = self._find(reference, place)
        above = (
            controller_of(owner) if owner is not None and owner["kind"] == "ReplicaSet" else None
        )
        if above is not None and above.get("kind") == "Deployment":
            owner = self._find(above, place)
        if owner is None:
            return None
        replicas = _replicas(owner)
        return Scale(uid_of(owner), 1 if replicas is None else replicas)

    def _find(self, reference: Object, place: str) -> Object | None:
        kind = str(reference.get("kind"))
        if kind not in _SCALED:
            return None
        found = self.objects.get(kind, str(reference.get("name")), place)
        return found if found is not None and uid_of(found) == reference.get("uid") else None

    def _clear_stale(self, key: tuple[str, ...], now_s: float) -> Iterator[Effect]:
        """A pod that was to be disrupted and wasn't loses the condition after a while."""
        pod = self.objects.get("Pod", key[2], key[1])
        target = condition_of(pod, "DisruptionTarget") if pod is not None else None
        if pod is None or target is None or not _has_stale_candidate(pod):
            return
        since = target.get("lastTransitionTime")
        due_s = (parse_time(since) / NANOS_PER_SECOND if since else now_s) + STALE_CONDITION_S
        if due_s > now_s:
            self.look_again(key, due_s)
            return
        cleared = {
            "type": "DisruptionTarget",
            "status": "False",
            "lastTransitionTime": timestamp(now_s),
            "reason": None,
            "message": None,
        }
        yield Patch(
            kind="Pod",
            namespace=key[1],
            name=key[2],
            subresource="status",
            body={"metadata": {"uid": uid_of(pod)}, "status": {"conditions": [cleared]}},
        )


def _selects(budget: Object, pod: Object) -> bool:
    try:
        raw = (budget.get("spec") or {}).get("selector")
        return label_selector(raw).matches(labels(pod))
    except SelectorError:
        return False


def _replicas(workload: Object | None) -> int | None:
    spec: Object = (workload or {}).get("spec") or {}
    replicas = spec.get("replicas")
    return None if replicas is None else int(replicas)


def _counts_alike(before: Object | None, after: Object | None) -> bool:
    """Whether two states of a pod are the same to budgets: labels, readiness, leaving, phase."""
    if before is None or after is None:
        return False
    return (
        uid_of(before) == uid_of(after)
        and labels(before) == labels(after)
        and is_terminating(before) == is_terminating(after)
        and (before.get("status") or {}).get("phase") == (after.get("status") or {}).get("phase")
        and (condition_of(before, "Ready") or {}).get("status")
        == (condition_of(after, "Ready") or {}).get("status")
        and controller_of(before) == controller_of(after)
    )


def _has_stale_candidate(pod: Object) -> bool:
    target = condition_of(pod, "DisruptionTarget")
    return (
        target is not None
        and target.get("status") == "True"
        and not is_terminating(pod)
        and (pod.get("status") or {}).get("phase") not in ("Succeeded", "Failed")
    )
