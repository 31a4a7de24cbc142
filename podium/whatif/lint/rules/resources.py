"""Rules about the requests and limits of containers."""

from collections.abc import Iterator

from podium.api.objects import Object, entries, part
from podium.api.priority import SYSTEM_CRITICAL
from podium.api.resources import is_pod_level, is_sidecar, qos_class
from podium.apiserver.admission.namespace_plugins import pod_faults
from podium.whatif.lint.cluster_view import ClusterView
from podium.whatif.lint.rule import Offence, Rule, workload_rule
from podium.whatif.lint.workload_reader import Workload

_STORAGE = "ephemeral-storage"


@workload_rule
def requests_missing(view: ClusterView, workload: Workload) -> Iterator[Offence]:
    """Neither a container nor its pod requests a resource, cpu or memory."""
    whole = _amounts(workload.spec, "requests")
    for place, container in _containers(workload):
        own = _amounts(container, "requests")
        missing = [one for one in ("cpu", "memory") if one not in own and one not in whole]
        if missing:
            message = f"container {container.get('name')} requests no {' and no '.join(missing)}"
            yield Offence(workload.obj, message, f"{place}.resources.requests")


@workload_rule
def memory_limit_missing(view: ClusterView, workload: Workload) -> Iterator[Offence]:
    """Neither a container nor its pod has a limit of memory."""
    if "memory" in _amounts(workload.spec, "limits"):
        return
    for place, container in _containers(workload):
        if "memory" not in _amounts(container, "limits"):
            message = f"container {container.get('name')} has no limit of memory"
            yield Offence(workload.obj, message, f"{place}.resources.limits")


@Rule
def critical_not_guaranteed(view: ClusterView) -> Iterator[Offence]:
    """Pods of critical priority are Burstable or BestEffort."""
    critical_from = view.critical_from
    for workload in view.workloads:
        priority = workload.priority
        if priority is None or not critical_from <= priority < SYSTEM_CRITICAL:
            continue
        qos = qos_class(workload.pod)
        if qos != "Guaranteed":
            message = f"its pods have priority {priority}, and are {qos}"
            yield Offence(workload.obj, message, f"{workload.path}.containers")


@workload_rule
def outside_limit_range(view: ClusterView, workload: Workload) -> Iterator[Offence]:
    """A LimitRange of the namespace would refuse the pods."""
    if workload.obj["kind"] == "Pod" and not workload.is_new:
        return
    for limits in view.limits.get(workload.namespace, ()):
        for fault in pod_faults(workload.pod, limits):
            message = f"{fault}: none of its pods is let in"
            yield Offence(workload.obj, message, f"{workload.path}.containers")


@workload_rule
def storage_limit_on_some(view: ClusterView, workload: Workload) -> Iterator[Offence]:
    """One container of a pod limits its ephemeral storage, and another one doesn't."""
    containers = [*_containers(workload)]
    limited = [one for _, one in containers if part(one, "resources", "limits").get(_STORAGE)]
    names = [str(one["name"]) for _, one in containers if one not in limited]
    if limited and names:
        sum_of = ", ".join(str(one["name"]) for one in limited)
        message = (
            f"only {sum_of} limits {_STORAGE}, and what {', '.join(names)} and volumes use "
            "counts towards that: the pod is evicted when all together use more"
        )
        yield Offence(workload.obj, message, f"{workload.path}.containers")


def _containers(workload: Workload) -> Iterator[tuple[str, Object]]:
    for field in ("containers", "initContainers"):
        for index, container in enumerate(entries(workload.spec, field)):
            if field == "containers" or is_sidecar(container):
                yield f"{workload.path}.{field}[{index}]", container


def _amounts(owner: Object, field: str) -> Object:
    amounts = part(owner, "resources", field)
    return {name: amount for name, amount in amounts.items() if is_pod_level(name)}
