"""The workloads of a scene: the pods that they want and have, and the budgets that cover them."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from podium.api.objects import (
    Object,
    condition_message,
    condition_of,
    controller_of,
    holds,
    labels,
    name,
    namespace,
    spec_of,
    status_of,
)
from podium.api.policy.disruption_budgets import budget_selector
from podium.api.selectors.labels import Selector
from podium.api.workloads import TEMPLATED, pod_template_of, replicas_of
from podium.ui.dashboard.views import Pod, Workload

KINDS = TEMPLATED
# The owner of a static pod is its node.
_NODE = "Node/"


class _Wanted(NamedTuple):
    """What the object of a workload, or a ReplicaSet of a Deployment, asks for.

    Attributes:
        pods: wanted number of pods; None if it is the number of those that there are.
        template: labels of the pods.
    """

    pods: int | None
    note: str
    template: Mapping[str, str]


class WorkloadCounts:
    """Workloads, kept up to date with the changes of their objects, pods and budgets.

    A Deployment that isn't seen itself, as by a scheduler, wants what its ReplicaSets want, and a
    controller without any object the pods that it has.

    Attributes:
        values: the workloads as of the last `take`, by `namespace/Kind/name`.
    """

    def __init__(self) -> None:
        self.values: dict[str, Workload] = {}
        self._wanted: dict[str, dict[str, _Wanted]] = {}
        self._pods: dict[str, Counter[str]] = {}
        self._budgets: dict[str, dict[str, tuple[Any, Selector]]] = {}
        # The names of a workload's budgets, until its object or a budget changes.
        self._covering: dict[str, list[str]] = {}
        self._changed: set[str] = set()

    def object_changed(self, obj: Object, is_gone: bool) -> None:
        """Note a change of a workload's object."""
        kind = str(obj["kind"])
        called = above = f"{kind}/{name(obj)}"
        owner = controller_of(obj) if kind == "ReplicaSet" else None
        if owner is not None:
            above = f"{owner.get('kind')}/{owner.get('name')}"
        key = f"{namespace(obj)}/{above}"
        wanted = self._wanted.setdefault(key, {})
        if is_gone:
            wanted.pop(called, None)
        else:
            wanted[called] = _wanted(obj)
        self._covering.pop(key, None)
        self._changed.add(key)

    def pod_changed(self, old: Pod | None, new: Pod | None) -> None:
        """Count a pod in its new state instead of its old one."""
        for pod, number in ((old, -1), (new, 1)):
            if pod is not None and pod.owner and not pod.owner.startswith(_NODE):
                key = f"{pod.namespace}/{pod.owner}"
                self._pods.setdefault(key, Counter())[pod.state] += number
                self._changed.add(key)

    def budget_changed(self, budget: Object, is_gone: bool) -> None:
        """Note a change of a PodDisruptionBudget."""
        place, called = namespace(budget), name(budget)
        known = self._budgets.setdefault(place, {})
        raw = spec_of(budget).get("selector")
        if is_gone:
            known.pop(called, None)
        elif called in known and known[called][0] == raw:
            return
        else:
            known[called] = raw, budget_selector(budget)
        covered = [key for key in self._covering if key.startswith(f"{place}/")]
        for key in covered:
            del self._covering[key]
        self._changed.update(covered)

    def take(self) -> tuple[list[Workload], list[str]]:
        """Return the workloads that have changed since the last call, and the keys of gone ones."""
        new, gone = [], []
        for key in sorted(self._changed):
            wanted, pods = self._wanted.get(key), self._pods.get(key, Counter())
            if not wanted and not +pods:
                for known in (self._wanted, self._pods, self._covering):
                    known.pop(key, None)
                if self.values.pop(key, None) is not None:
                    gone.append(key)
                continue
            workload = self._workload(key, wanted or {}, pods)
            if self.values.get(key) != workload:
                self.values[key] = workload
                new.append(workload)
        self._changed.clear()
        return new, gone

    def _workload(self, key: str, wanted: Mapping[str, _Wanted], pods: Counter[str]) -> Workload:
        place, kind, called = key.split("/", 2)
        own = wanted.get(f"{kind}/{called}")
        asked = [*wanted.values()] if own is None else [own]
        ready, pending = pods["running"], pods["pending"]
        unready = pods["bound"] + pods["unready"]
        known = [one.pods for one in asked if one.pods is not None]
        return Workload(
            namespace=place,
            kind=kind,
            name=called,
            desired=sum(known) if known else ready + pending + unready,
            ready=ready,
            pending=pending,
            unready=unready,
            note="; ".join(one.note for one in asked if one.note),
            budgets=self._budgets_of(key, place, asked),
        )

    def _budgets_of(self, key: str, place: str, asked: Iterable[_Wanted]) -> list[str]:
        if key not in self._covering:
            self._covering[key] = [
                called
                for called, (_, selector) in sorted(self._budgets.get(place, {}).items())
                if any(selector.matches(one.template) for one in asked)
            ]
        return self._covering[key]


def _wanted(obj: Object) -> _Wanted:
    template = labels(pod_template_of(obj))
    match obj["kind"]:
        case "DaemonSet":
            number, note = status_of(obj).get("desiredNumberScheduled"), ""
        case "Job":
            number, note = _wanted_by_job(obj)
        case _:
            number, note = replicas_of(obj), condition_message(obj, "ReplicaFailure")
            if spec_of(obj).get("paused"):
                note = note or "paused"
    return _Wanted(number, note, template)


def _wanted_by_job(job: Object) -> tuple[int, str]:
    # The pods that run at once, until what is to be completed is completed.
    if holds(job, "Complete"):
        return 0, "complete"
    if holds(job, "Failed"):
        failure = condition_of(job, "Failed") or {}
        return 0, f"failed: {failure.get('message') or failure.get('reason')}"
    spec = spec_of(job)
    if spec.get("suspend"):
        return 0, "suspended"
    parallelism, completions = spec.get("parallelism"), spec.get("completions")
    at_once = 1 if parallelism is None else int(parallelism)
    if completions is None:
        return at_once, ""
    return min(at_once, int(completions) - (status_of(job).get("succeeded") or 0)), ""
