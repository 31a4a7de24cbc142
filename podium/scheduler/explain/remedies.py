"""The smallest changes with which a pod that fits on no node would get one.

Each remedy is tried: the pod or the cluster is changed, the pod is decided, the change is undone.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import chain
from typing import Any, Literal

from podium.api.documents.report import PodReport, Report, pod_facts
from podium.api.nodes import is_cordoned, taint_text, untolerated_taints
from podium.api.objects import Object, condition_of, labels, name, spec_of
from podium.api.pods import containers_of, limits_of, requests_of, resources_of, tolerations_of
from podium.api.policy.disruption_budgets import Budget, CountedBudget, bound_text
from podium.api.priority import class_value
from podium.api.values.quantity import NANOS_PER_MILLI, NANOS_PER_UNIT, Quantity, nanos
from podium.scheduler.devices.node_shapes import SLICE
from podium.scheduler.explain.device_details import device_reader
from podium.scheduler.explain.device_remedies import DeviceTrials
from podium.scheduler.explain.extra_nodes import extra_node, shapes
from podium.scheduler.explain.node_conditions import missing_labels
from podium.scheduler.explain.obstacles import amount_text
from podium.scheduler.framework.cycle.decision import Decision
from podium.scheduler.scheduler import Scheduler
from podium.scheduler.snapshot.pod_info import PodInfo, pending_pod

# Prefixes of taints of nodes that are unhealthy, cordoned or not initialized.
_OF_KUBERNETES = ("node.kubernetes.io/", "node.cloudprovider.kubernetes.io/")
# Prefix of PriorityClasses that are reserved for system pods.
_OF_THE_SYSTEM = "system-"
_SHAPES_MAX = 20
_CLASSES_MAX = 20
_LABELS_MAX = 20
# What is assumed of a node that doesn't say whether it is ready.
_READY = {"status": "True"}
_LABELLED_MAX = 100


class Remedy(Report):
    """A change with which the pod gets a node."""

    kind: Literal["Request", "Toleration", "Label", "Removal", "Node", "Priority", "Budget"]
    """What is changed."""
    change: str
    """The change in words."""
    node: str
    """The node that the pod then gets."""
    victims: tuple[PodReport, ...] = ()
    """Pods that it then preempts, the most important first."""


BudgetOf = Callable[[str], CountedBudget | None]
"""Returns the budget with a `namespace/name`; None if it is gone."""


def remedies(
    scheduler: Scheduler,
    pod: Object,
    profile: str,
    priority_classes: Iterable[Object],
    budget_of: BudgetOf,
) -> list[Remedy]:
    """Find changes that give a pod a node, at most one of each kind; none if it has one already."""
    trial = _Trial(scheduler, profile)
    decision = trial.decide(pod)
    if decision.evaluation is None or decision.pre_filter is not None or decision.node_name:
        return []
    reader = device_reader(scheduler, pod)
    devices = reader and DeviceTrials(
        scheduler, reader, decision, lambda: trial.decide(pod).node_name
    )
    attempts = (
        _less(trial, decision),
        chain(
            _tolerations(trial, decision),
            (Remedy("Toleration", *one) for one in (devices.tolerations() if devices else ())),
        ),
        _labels(trial, decision),
        (Remedy("Removal", *removal) for removal in (devices.removals() if devices else ())),
        _node(trial, pod),
        _priority(trial, decision.pod, priority_classes),
        _budget(trial, decision, budget_of),
    )
    return [remedy for attempt in attempts if (remedy := next(attempt, None)) is not None]


class _Trial:
    def __init__(self, scheduler: Scheduler, profile: str) -> None:
        self.scheduler = scheduler
        self._profile = profile

    def decide(self, pod: Object) -> Decision:
        watch, self.scheduler.watch = self.scheduler.watch, None
        try:
            info = pending_pod(pod, self.scheduler.snapshot.classes)
            return self.scheduler.decide(info, self._profile)
        finally:
            self.scheduler.watch = watch

    @contextmanager
    def budget(self, changed: Budget) -> Iterator[None]:
        before = self.scheduler.budgets.budgets
        identity = changed.namespace, changed.name
        try:
            self.scheduler.budgets.replace(
                changed if (one.namespace, one.name) == identity else one for one in before
            )
            yield
        finally:
            self.scheduler.budgets.replace(before)

    @contextmanager
    def labelled(self, nodes: Iterable[Object], added: Mapping[str, str]) -> Iterator[None]:
        snapshot, before = self.scheduler.snapshot, [*nodes]
        try:
            for node in before:
                metadata = {**node["metadata"], "labels": {**labels(node), **added}}
                snapshot.set_node({**node, "metadata": metadata})
            yield
        finally:
            snapshot.set_nodes(before)


def _less(trial: _Trial, decision: Decision) -> Iterator[Remedy]:
    """Try lower requests where only NodeResourcesFit refuses, the smallest reduction first."""
    evaluation = decision.evaluation
    assert evaluation is not None
    limits = dict[str, int]()
    cuts, columns = [], trial.scheduler.snapshot.resources
    for node_name, row in sorted(trial.scheduler.snapshot.row_of.items()):
        objections = evaluation.filtering.objections(row)
        if not objections or any(status.plugin != "NodeResourcesFit" for status in objections):
            continue
        # (resource, amount, share of the request) that the node lacks.
        cut, is_full = [], False
        for index, needed in columns.counted(decision.pod.cls.requests):
            free = int(columns.allocatable[index][row] - columns.requested[index][row])
            if needed > free:
                is_full |= free <= 0
                cut.append((columns.names[index], needed - free, (needed - free) / needed))
                largest = int(columns.allocatable[index].max())
                if needed > largest:
                    limits[columns.names[index]] = largest
        if cut and not is_full:
            cuts.append((max(share for _, _, share in cut), node_name, cut))
    for _, _, cut in sorted(cuts):
        lowered = _with_less(decision.pod.obj, {resource: missing for resource, missing, _ in cut})
        if lowered is not None and (found := trial.decide(lowered)).node_name:
            left = " and ".join(_lowered_texts(decision.pod.obj, lowered, [r for r, _, _ in cut]))
            most = " and ".join(amount_text(r, limits[r]) for r, _, _ in cut if r in limits)
            why = f" (no node has more than {most})" if most else ""
            yield Remedy("Request", f"request at most {left}{why}", found.node_name)


def _tolerations(trial: _Trial, decision: Decision) -> Iterator[Remedy]:
    snapshot, own = trial.scheduler.snapshot, tolerations_of(decision.pod.cls.spec)
    sets: dict[tuple[str, ...], list[Object]] = {}
    for row in snapshot.row_of.values():
        taints = list(untolerated_taints(snapshot.nodes[row], own))
        if taints and not any(taint["key"].startswith(_OF_KUBERNETES) for taint in taints):
            sets.setdefault(tuple(map(taint_text, taints)), taints)
    for texts, taints in sorted(sets.items(), key=lambda entry: (len(entry[0]), entry[0])):
        added = [{"operator": "Equal", **taint} for taint in taints]
        trial_decision = trial.decide(_with_spec(decision.pod.obj, tolerations=[*own, *added]))
        if trial_decision.node_name:
            yield Remedy("Toleration", f"tolerate {' and '.join(texts)}", trial_decision.node_name)


def _labels(trial: _Trial, decision: Decision) -> Iterator[Remedy]:
    """Try new labels of well nodes that only NodeAffinity refuses, the fewest labels first."""
    evaluation, snapshot = decision.evaluation, trial.scheduler.snapshot
    assert evaluation is not None
    alike: dict[tuple[tuple[str, str], ...], list[Object]] = {}
    for node_name, row in sorted(snapshot.row_of.items()):
        objections, node = evaluation.filtering.objections(row), snapshot.nodes[row]
        if not objections or any(status.plugin != "NodeAffinity" for status in objections):
            continue
        if is_cordoned(node) or (condition_of(node, "Ready") or _READY).get("status") != "True":
            continue
        for added in missing_labels(decision.pod.cls.pod, snapshot.labels_of(row), node_name):
            alike.setdefault(tuple(sorted(added.items())), []).append(node)
    ranked = sorted(alike.items(), key=lambda entry: (len(entry[0]), entry[0]))
    for marks, nodes in ranked[:_LABELS_MAX]:
        with trial.labelled(nodes[:_LABELLED_MAX], dict(marks)):
            best = trial.decide(decision.pod.obj).node_name
        with trial.labelled([node for node in nodes if name(node) == best], dict(marks)):
            found = trial.decide(decision.pod.obj).node_name
        if found:
            written = " ".join(f"{key}={value}" for key, value in marks)
            yield Remedy("Label", f"label {found} {written}", found)


def _node(trial: _Trial, pod: Object) -> Iterator[Remedy]:
    snapshot, listers = trial.scheduler.snapshot, trial.scheduler.listers
    for like in shapes(snapshot, listers.list(SLICE))[:_SHAPES_MAX]:
        with extra_node(snapshot, listers, like) as node_name:
            trial_decision = trial.decide(pod)
        if trial_decision.node_name == node_name:
            yield Remedy("Node", f"one more node like {like}", node_name)


def _priority(trial: _Trial, pod: PodInfo, classes: Iterable[Object]) -> Iterator[Remedy]:
    changes = [] if pod.cls.preempts else [(pod.priority, "let it preempt")]
    higher = sorted(
        (class_value(priority_class), name(priority_class))
        for priority_class in classes
        if class_value(priority_class) > pod.priority
        and not name(priority_class).startswith(_OF_THE_SYSTEM)
    )
    for priority, called in higher[:_CLASSES_MAX]:
        changes.append((priority, f"priority class {called} ({priority})"))
    for priority, change in changes:
        raised = _with_spec(pod.obj, priority=priority, preemptionPolicy="PreemptLowerPriority")
        yield from _preempting(trial, raised, change)


def _budget(trial: _Trial, decision: Decision, budget_of: BudgetOf) -> Iterator[Remedy]:
    held = None if decision.preemption is None else decision.preemption.held
    for called in sorted(held.budgets) if held is not None else ():
        counted, allowed = budget_of(called), 0
        for looser in () if counted is None else counted.looser():
            budget = Budget.of(looser.with_status())
            if budget.allowed <= allowed:
                continue
            allowed = budget.allowed
            with trial.budget(budget):
                change = f"{bound_text(spec_of(looser.budget))} in PodDisruptionBudget {called}"
                found = [*_preempting(trial, decision.pod.obj, change, "Budget")]
            if found:
                yield from found
                break


def _preempting(
    trial: _Trial, pod: Object, change: str, kind: Literal["Priority", "Budget"] = "Priority"
) -> Iterator[Remedy]:
    preemption = trial.decide(pod).preemption
    if preemption is not None and preemption.node_name:
        victims = tuple(PodReport(**pod_facts(victim.obj)) for victim in preemption.victims)
        yield Remedy(kind, change, preemption.node_name, victims)


def _with_less(pod: Object, cuts: Mapping[str, int]) -> Object | None:
    # Reduces the largest containers first; None if the pod requests less than that.
    containers = [{**container} for container in containers_of(spec_of(pod))]
    for resource, amount in cuts.items():
        cut = amount * (NANOS_PER_MILLI if resource == "cpu" else NANOS_PER_UNIT)
        for container in sorted(containers, key=lambda one: -_requested(one, resource)):
            taken = min(cut, _requested(container, resource))
            if taken:
                left = str(Quantity(_requested(container, resource) - taken))
                # The limit stays where it was: it is never below the request.
                requests = {**_requests(container), resource: left}
                container["resources"] = {**resources_of(container), "requests": requests}
                cut -= taken
        if cut:
            return None
    return _with_spec(pod, containers=containers)


def _lowered_texts(pod: Object, lowered: Object, resources: Iterable[str]) -> Iterator[str]:
    before, after = containers_of(spec_of(pod)), containers_of(spec_of(lowered))
    for resource in resources:
        for old, new in zip(before, after, strict=True):
            left = _requested(new, resource)
            if left < _requested(old, resource):
                of_one = f" in container {new['name']}" if len(after) > 1 else ""
                amount = left // (NANOS_PER_MILLI if resource == "cpu" else NANOS_PER_UNIT)
                yield f"{amount_text(resource, amount)}{of_one}"


def _with_spec(pod: Object, **fields: Any) -> Object:
    return {**pod, "spec": {**spec_of(pod), **fields}}


def _requests(container: Object) -> Mapping[str, Any]:
    return {**limits_of(container), **requests_of(container)}


def _requested(container: Object, resource: str) -> int:
    amount = _requests(container).get(resource)
    return 0 if amount is None else nanos(amount)
