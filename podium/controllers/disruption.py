"""The disruption controller: updates the allowed disruptions in PodDisruptionBudgets' statuses.

The arithmetic is in `podium.api.policy.disruption_budgets`. Rules and texts are those of v1.36's
`disruption` controller.
"""

from collections.abc import Hashable, Iterator, Mapping
from typing import Any

import msgspec

from podium.api.conditions import observed_generation, set_condition
from podium.api.objects import (
    Object,
    Place,
    condition_of,
    condition_status,
    controller_of,
    entries,
    is_terminating,
    labels,
    metadata_of,
    name,
    namespace,
    place_of,
    spec_of,
    status_of,
    uid_of,
)
from podium.api.pods import is_finished, phase_of
from podium.api.policy.disruption_budgets import (
    DELETION_TIMEOUT_NANOS,
    DISRUPTION_ALLOWED,
    SYNC_FAILED,
    allowed_disruptions,
    budget_selector,
    expected_count,
    needs_scale,
    scale_error,
    scale_finder,
)
from podium.api.policy.disruption_target import BY_KUBELET, DISRUPTION_TARGET
from podium.api.selectors.labels import SelectorError
from podium.api.values.times import NANOS_PER_SECOND, epoch_s, timestamp
from podium.api.workloads import SCALED, selector_of
from podium.controllers.kit.selected_pods import SelectedPods
from podium.machines.effects import Effect, status_patch_of
from podium.machines.events import Change
from podium.machines.reconciler.indexer import by_namespace
from podium.machines.reconciler.reconciler import Reconciler

DELETION_TIMEOUT_S = DELETION_TIMEOUT_NANOS / NANOS_PER_SECOND
STALE_CONDITION_S = 120.0
_EVER = timestamp(0)

_BUDGET = "PodDisruptionBudget"
_POD = "stale condition of pod"

_UNMANAGED = (
    "Pods selected by this PodDisruptionBudget (selector: {}) were found to be unmanaged. As a "
    "result, the status of the PDB cannot be calculated correctly, which may result in undefined "
    'behavior. To account for these pods please set ".spec.minAvailable" field of the PDB to an '
    "integer value."
)


class DisruptionController(Reconciler):
    """Keeps the statuses of PodDisruptionBudgets up to date."""

    name = "controllermanager"
    kinds = frozenset({"Pod", _BUDGET, *SCALED})
    tends = frozenset({_BUDGET})
    indexes = (by_namespace("Pod"), by_namespace(_BUDGET))

    def __init__(self) -> None:
        super().__init__()
        self._members = SelectedPods(self.objects, _BUDGET, budget_selector)
        # By the order in which budgets became known: times of creation are whole seconds.
        self._order: dict[Place, int] = {}
        self._number = 0
        self._scale_of = scale_finder(
            lambda kind, namespace, obj_name: self.objects.get(kind, obj_name, namespace)
        )

    def keys_of(self, change: Change, before: Object | None) -> Iterator[Hashable]:
        obj = change.obj
        place = place_of(obj)
        now = self.objects.at(change.kind, place)
        if change.kind == _BUDGET:
            if now is None:
                self._order.pop(place, None)
            else:
                self._number += 1
                self._order.setdefault(place, self._number)
            self._members.update_selector(before, now)
            yield place
        elif change.kind == "Pod":
            if not same_to_budgets(before, now):
                # Of several budgets that select a pod only the oldest is looked at. Upstream takes
                # any, by a map that hands out few in the order in which they came. The others
                # aren't looked at before something else happens to them.
                selecting = [*self._members.update_pod(before, now)]
                if now is not None:
                    selecting = [*self._members.owners_of(place)]
                yield from selecting if len(selecting) < 2 else (min(selecting, key=self._age),)
            if now is not None and _may_go_stale(now):
                yield _POD, *place
        elif before is None:
            # What could not be counted is tried again. Scaled workloads matter once pods change.
            for budget in self.objects.by(_BUDGET, "namespace", namespace(obj)):
                if needs_scale(budget):
                    yield place_of(budget)

    def _age(self, place: Place) -> tuple[str, int]:
        budget = self.objects.at(_BUDGET, place)
        created = metadata_of(budget or {}).get("creationTimestamp")
        return str(created or ""), self._order[place]

    def stirs(self, change: Change, before: Object | None) -> bool:
        # What `keys_of` names has been judged by then: readiness counts, too.
        return change.kind == "Pod" or super().stirs(change, before)

    def reconcile(self, key: Hashable, now_s: float) -> Iterator[Effect]:
        if isinstance(key, tuple) and key[0] == _POD and len(key) == 3:
            pod = self.objects.at("Pod", key[1:])
            target = condition_of(pod, DISRUPTION_TARGET) if pod is not None else None
            if pod is None or target is None or not _may_go_stale(pod):
                return
            if (due_s := stale_s(pod)) > now_s:
                self.look_again(key, due_s)
                return
            fields = {"type": DISRUPTION_TARGET, "status": "False", "reason": None, "message": None}
            cleared = set_condition(target, {**fields, **observed_generation(pod)}, now_s)
            yield status_patch_of("Pod", pod, {"conditions": [cleared]})
            return
        budget = self.objects.at(_BUDGET, key)
        if budget is None:
            return
        try:
            selector_of(budget)
        except SelectorError as error:
            yield self.event(budget, "Warning", "NoPods", f"Failed to get pods: {error}")
            yield from self._fail_safe(budget, f"{error}", now_s)
            return
        pods = self._members.of(budget)
        if not pods:
            yield self.event(budget, "Normal", "NoPods", "No matching pods found")
        expected = expected_count(pods, self._scale_of) if needs_scale(budget) else None
        if needs_scale(budget):
            if expected is None:
                why = scale_error(pods, self._scale_of)
                note = f"Failed to calculate the number of expected pods: {why}"
                yield self.event(budget, "Warning", "CalculateExpectedPodCountFailed", note)
                yield from self._fail_safe(budget, why, now_s)
                return
            if any(controller_of(pod) is None for pod in pods):
                selector = spec_of(budget).get("selector")
                note = _UNMANAGED.format("nil" if selector is None else _shown(selector))
                yield self.event(budget, "Warning", "UnmanagedPods", note)
        present = {name(pod): pod for pod in pods if not is_terminating(pod)}
        granted: Mapping[str, str] = status_of(budget).get("disruptedPods") or {}
        disrupted, place = {}, namespace(budget)
        for pod_name, since in granted.items():
            until_s = epoch_s(since) + DELETION_TIMEOUT_S
            if pod_name in present and until_s > now_s:
                disrupted[pod_name] = since
                self.look_again(key, until_s)
        for pod_name, pod in present.items():
            if pod_name in granted and pod_name not in disrupted:
                # Upstream puts the namespace where the budget's name should be.
                note = f"Pod was expected by PDB {place}/{place} to be deleted but it wasn't"
                yield self.event(pod, "Warning", "NotDeleted", note)
        pending = {**budget, "status": {**status_of(budget), "disruptedPods": disrupted}}
        now_ns = int(now_s * NANOS_PER_SECOND)
        counted = allowed_disruptions(pending, pods, expected, now=now_ns)
        old, allowed = status_of(budget), counted.disruptions_allowed
        status: dict[str, Any] = {
            **msgspec.to_builtins(counted),
            "observedGeneration": budget["metadata"].get("generation"),
        }
        known = condition_of(budget, DISRUPTION_ALLOWED)
        condition = {
            "type": DISRUPTION_ALLOWED,
            "status": str(allowed > 0),
            "reason": "SufficientPods" if allowed else "InsufficientPods",
            "message": "",
            **observed_generation(budget),
        }
        status["conditions"] = [set_condition(known, condition, now_s)]
        is_same = all(old.get(field) == status[field] for field in status if field != "conditions")
        if is_same and granted == disrupted and status["conditions"] == [known]:
            return
        if granted != disrupted:
            gone = {pod_name: None for pod_name in granted if pod_name not in disrupted}
            status["disruptedPods"] = gone if disrupted else None
        # The version guards against an eviction granted in between.
        yield status_patch_of(_BUDGET, budget, status, if_unchanged=True)

    def _fail_safe(self, budget: Object, why: str, now_s: float) -> Iterator[Effect]:
        # No disruption is allowed while the allowed number can't be computed.
        old = status_of(budget)
        known = condition_of(budget, DISRUPTION_ALLOWED)
        condition = {"type": DISRUPTION_ALLOWED, "status": "False", "reason": SYNC_FAILED}
        condition["message"] = why
        if seen := old.get("observedGeneration"):
            condition["observedGeneration"] = seen
        condition = set_condition(known, condition, now_s)
        if old.get("disruptionsAllowed") != 0 or condition != known:
            status = {"disruptionsAllowed": 0, "conditions": [condition]}
            yield status_patch_of(_BUDGET, budget, status, if_unchanged=True)


def stale_s(pod: Object) -> float:
    """Return when a pod's DisruptionTarget condition becomes stale, in seconds since the epoch."""
    target = condition_of(pod, DISRUPTION_TARGET) or {}
    # A condition without a time counts as having waited forever.
    since = target.get("lastTransitionTime") or _EVER
    return epoch_s(since) + STALE_CONDITION_S


def same_to_budgets(before: Object | None, after: Object | None) -> bool:
    """Return whether two states of a pod are equal in every field that disruption budgets count."""

    def facts(pod: Object) -> tuple[object, ...]:
        ready = condition_status(pod, "Ready")
        identity = (uid_of(pod), labels(pod), controller_of(pod))
        return *identity, is_terminating(pod), phase_of(pod), ready

    return before is not None and after is not None and facts(before) == facts(after)


def _may_go_stale(pod: Object) -> bool:
    target = condition_of(pod, DISRUPTION_TARGET)
    return (
        target is not None
        and target.get("status") == "True"
        and target.get("reason") != BY_KUBELET.reason
        and not is_terminating(pod)
        and not is_finished(pod)
    )


def _shown(selector: Object) -> str:
    carried: Mapping[str, str] = selector.get("matchLabels") or {}
    pairs = "".join(f"{key}: {carried[key]}," for key in sorted(carried))
    requirements = "".join(
        f"LabelSelectorRequirement{{Key:{one.get('key')},Operator:{one.get('operator')},"
        f"Values:[{' '.join(entries(one, 'values'))}],}},"
        for one in entries(selector, "matchExpressions")
    )
    return (
        f"&LabelSelector{{MatchLabels:map[string]string{{{pairs}}},"
        f"MatchExpressions:[]LabelSelectorRequirement{{{requirements}}},}}"
    )
