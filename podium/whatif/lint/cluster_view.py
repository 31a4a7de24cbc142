"""The objects that lint rules check, with workloads and budgets derived from them."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Annotated

import msgspec

from podium.api.documents.document import Document, Duration, Range
from podium.api.nodes import NO_EXECUTE, NO_SCHEDULE, untolerated
from podium.api.objects import (
    Object,
    controller_key,
    key,
    labels,
    name,
    namespace,
    owner_references,
    spec_of,
    uid_of,
    without,
)
from podium.api.pods import affinity_of, is_active, node_name_of
from podium.api.policy.disruption_budgets import (
    BudgetStatus,
    OwnerScale,
    allowed_disruptions,
    expected_count,
    needs_scale,
    selects,
)
from podium.api.priority import HIGHEST_USER_DEFINABLE, SYSTEM_PRIORITY_CLASSES, class_value
from podium.api.selectors.node_selector import required_node_affinity
from podium.api.workloads import RECREATING, SCALED
from podium.apiserver.admission.namespace_plugins import limits_by_namespace
from podium.kubelet.kubelet_config import KubeletConfiguration
from podium.whatif.lint.device_view import DeviceView
from podium.whatif.lint.workload_reader import BATCH, Workload, read_workloads
from podium.whatif.plan.outcome.stale_priorities import StalePods, stale_pods
from podium.whatif.plan.workload_owners import WorkloadOwners


class Thresholds(Document):
    """The numbers with which lint rules compare."""

    levels_max: Annotated[int, Range(1)] = 10
    """The most different values that PriorityClasses of users may have."""
    levels_between: Annotated[int, Range(0)] = 1
    """How many values must be free between those of neighbouring classes."""
    replicas_min: Annotated[int, Range(1)] = 2
    """The least replicas with which a workload should have a disruption budget."""
    critical_from: int | None = None
    """The least priority of a critical workload; by default the value of the highest PriorityClass
    of users."""
    grace_period: Duration = 60.0
    """The longest grace period that preemptable pods should have."""


_READY = {"conditions": [{"type": "Ready", "status": "True"}]}
_UNSCALED = BATCH | {"DaemonSet"}


class BudgetView(msgspec.Struct, frozen=True):
    """A disruption budget with its status if all pods that it selects existed and were ready."""

    budget: Object
    workloads: Sequence[Workload]
    status: BudgetStatus | None
    """The status that the disruption controller would compute; None if a controller of the pods is
    of an unknown kind."""

    @property
    def replicas(self) -> int:
        """The number of covered pods: the sum of the replicas of the workloads."""
        return sum(workload.replicas for workload in self.workloads)

    @property
    def bound(self) -> tuple[str, int | str]:
        """`minAvailable` or `maxUnavailable`, and its value."""
        spec = spec_of(self.budget)
        field = "maxUnavailable" if spec.get("maxUnavailable") is not None else "minAvailable"
        return field, spec.get(field, "")

    @property
    def unscaled(self) -> Sequence[Workload]:
        """The workloads without a scale subresource, if the budget depends on one; else empty."""
        unscaled = (*_UNSCALED, "Pod")
        return [one for one in self.workloads if one.kind in unscaled and needs_scale(self.budget)]


def _status_of(budget: Object, workloads: Iterable[Workload]) -> BudgetStatus | None:
    scales: dict[tuple[str, str], OwnerScale] = {}
    kinds, pods = set(), []
    for workload in workloads:
        pod = workload.pod
        for owner in owner_references(pod):
            kind, owner_name = str(owner["kind"]), str(owner["name"])
            kinds.add(kind)
            if kind in SCALED:
                scale = OwnerScale(f"{kind}/{owner_name}", workload.replicas)
                scales[kind, owner_name] = scale
        for n in range(workload.replicas):
            names = {"name": f"{name(pod)}-{n}", "uid": f"{uid_of(pod) or name(pod)}-{n}"}
            pods.append({**pod, "status": _READY, "metadata": pod["metadata"] | names})
    if needs_scale(budget) and not kinds <= {*SCALED, *_UNSCALED}:
        return None

    def scale_of(owner: Object, _: str) -> OwnerScale | None:
        return scales.get((str(owner["kind"]), str(owner["name"])))

    return allowed_disruptions(without(budget, "status"), pods, expected_count(pods, scale_of))


class ClusterView:
    """The objects of a cluster or of manifests, with cached values that rules derive from them."""

    def __init__(
        self,
        objects: Iterable[Object],
        kubelet: KubeletConfiguration | None = None,
        thresholds: Thresholds | None = None,
    ) -> None:
        self.by_kind: dict[str, list[Object]] = {}
        for obj in objects:
            self.by_kind.setdefault(str(obj["kind"]), []).append(obj)
        self.kubelet = kubelet
        self.thresholds = thresholds or Thresholds()
        self._nodes_for: dict[bytes, Sequence[Object]] = {}

    def of(self, kind: str) -> Sequence[Object]:
        """Return the objects of a kind."""
        return self.by_kind.get(kind, ())

    @cached_property
    def workloads(self) -> Sequence[Workload]:
        """All workloads, controllers first."""
        return [*read_workloads(self.by_kind)]

    @cached_property
    def budgets(self) -> Sequence[BudgetView]:
        """All disruption budgets, with the workloads whose pods they select."""
        views = []
        for budget in self.of("PodDisruptionBudget"):
            workloads = [workload for workload in self.workloads if selects(budget, workload.pod)]
            views.append(BudgetView(budget, workloads, _status_of(budget, workloads)))
        return views

    @property
    def nodes(self) -> Sequence[Object]:
        """The nodes; empty if only manifests were read."""
        return self.of("Node")

    @cached_property
    def devices(self) -> DeviceView:
        """Published devices and what claims request of them."""
        return DeviceView(self.by_kind)

    @cached_property
    def namespace_labels(self) -> Mapping[str, Mapping[str, str]]:
        """The labels of each namespace that was read."""
        return {name(one): labels(one) for one in self.of("Namespace")}

    @cached_property
    def classes(self) -> Sequence[Object]:
        """The PriorityClasses without those of the system, the lowest first."""
        own = (one for one in self.of("PriorityClass") if name(one) not in SYSTEM_PRIORITY_CLASSES)
        return sorted(own, key=lambda one: (class_value(one), name(one)))

    @property
    def knows_classes(self) -> bool:
        """Whether PriorityClasses were read, as every cluster has those of the system."""
        return bool(self.of("PriorityClass"))

    def class_names(self) -> set[str]:
        """Return the names of all PriorityClasses, including those of the system."""
        return {*SYSTEM_PRIORITY_CLASSES, *map(name, self.classes)}

    @cached_property
    def default_class(self) -> Object | None:
        """The PriorityClass of pods that name none."""
        return next((class_ for class_ in self.classes if class_.get("globalDefault")), None)

    @cached_property
    def limits(self) -> Mapping[str, Sequence[Sequence[Object]]]:
        """The limits of each LimitRange, by namespace."""
        return limits_by_namespace(self.of("LimitRange"))

    @cached_property
    def running_pods(self) -> Sequence[Object]:
        """The bound pods that have neither finished nor are terminating."""
        return [pod for pod in self.of("Pod") if node_name_of(pod) and is_active(pod)]

    @cached_property
    def pods_on(self) -> Mapping[str, Sequence[Object]]:
        """The running pods by the name of their node."""
        by_node: dict[str, list[Object]] = defaultdict(list)
        for pod in self.running_pods:
            by_node[node_name_of(pod)].append(pod)
        return by_node

    def pods_of(self, workload: Workload) -> Sequence[Object]:
        """Return the running pods of a workload."""
        obj = workload.obj
        is_pod = obj["kind"] == "Pod"
        return self._pods_by_workload.get(self._workload_of(obj) if is_pod else str(workload), ())

    @cached_property
    def stale_pods(self) -> Sequence[StalePods]:
        """The running pods whose priority differs from that of their replacements."""
        if not self.knows_classes:
            return ()
        controllers = {
            (kind, namespace(obj), name(obj)): obj for kind in RECREATING for obj in self.of(kind)
        }
        classes = self.of("PriorityClass")
        return stale_pods(self.running_pods, classes, controllers.get, self._owners)

    @cached_property
    def _owners(self) -> WorkloadOwners:
        return WorkloadOwners((*self.of("ReplicaSet"), *self.of("Job")))

    @cached_property
    def _pods_by_workload(self) -> Mapping[str, Sequence[Object]]:
        by_workload: dict[str, list[Object]] = defaultdict(list)
        for pod in self.running_pods:
            by_workload[self._workload_of(pod)].append(pod)
        return by_workload

    def _workload_of(self, pod: Object) -> str:
        return self._owners.workload(key(pod), controller_key(pod))

    @cached_property
    def critical_from(self) -> int:
        """The least priority of critical pods; above the range of users if no class is critical."""
        if self.thresholds.critical_from is not None:
            return self.thresholds.critical_from
        top = max(map(class_value, self.classes), default=0)
        default = 0 if self.default_class is None else class_value(self.default_class)
        return top if top > max(default, 0) else HIGHEST_USER_DEFINABLE + 1

    def nodes_for(self, workload: Workload) -> Sequence[Object]:
        """Return the nodes, even full ones, that match a workload's affinity and tolerations."""
        spec = workload.spec
        near = affinity_of(spec).get("nodeAffinity")
        wanted = msgspec.json.encode((spec.get("nodeSelector"), near, spec.get("tolerations")))
        if wanted not in self._nodes_for:
            refusal = refusal_of(workload.pod)
            self._nodes_for[wanted] = [node for node in self.nodes if not refusal(node)]
        return self._nodes_for[wanted]


def refusal_of(pod: Object) -> Callable[[Object], str]:
    """Return a function that returns why a node doesn't match a pod; empty if it matches."""
    required, tolerations = required_node_affinity(pod), spec_of(pod).get("tolerations")

    def refusal(node: Object) -> str:
        if not required.matches(labels(node), name(node)):
            return "not selected"
        taint = untolerated(spec_of(node).get("taints"), tolerations, (NO_SCHEDULE, NO_EXECUTE))
        return "" if taint is None else f"taint {taint['key']}:{taint['effect']}"

    return refusal
