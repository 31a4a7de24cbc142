"""All obstacles to a pod on each node: reasons, and the amounts, taints and pods behind them."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Annotated, NamedTuple

from podium.api.documents.report import HIDDEN, Report
from podium.api.nodes import taint_text, untolerated_taints
from podium.api.objects import condition_of
from podium.api.resources import (
    RESIZE_IN_PROGRESS,
    RESIZE_PENDING,
    pod_requests,
    pod_requests_in_use,
    resource_amount,
)
from podium.api.values.quantity import NANOS_PER_MILLI, NANOS_PER_UNIT, Format, Quantity
from podium.scheduler.explain.device_details import DeviceReader, device_reader
from podium.scheduler.explain.neighbours import affinity_details, spread_details
from podium.scheduler.explain.node_conditions import unmet_node_affinity
from podium.scheduler.explain.volume_details import (
    binding_details,
    limit_details,
    use_details,
    zone_details,
)
from podium.scheduler.framework.cycle.decision import Decision
from podium.scheduler.framework.status import Status
from podium.scheduler.plugins.dynamic_resources import DynamicResources
from podium.scheduler.scheduler import Scheduler
from podium.scheduler.snapshot.listers import Listers
from podium.scheduler.snapshot.pod_info import PodInfo
from podium.scheduler.snapshot.snapshot import Snapshot

# Number of nodes, of those refused for equal reasons, that get details.
_DETAILED_MAX = 20

_MI = 1 << 20


class Shortage(NamedTuple):
    """A resource of which a node has less than a pod needs; CPU is in thousandths."""

    resource: str
    needed: int
    allocatable: int
    requested: int
    lower: int
    """Amount that pods of lower priority request."""

    @property
    def missing(self) -> int:
        return self.needed - (self.allocatable - self.requested)


class Obstacle(Report):
    """The refusal of one node by one filter."""

    node: str
    """Name of the node."""
    plugin: str
    """Name of the filter."""
    code: str
    """`Unschedulable`, or `UnschedulableAndUnresolvable` where removing pods doesn't help."""
    reasons: tuple[str, ...]
    """The reasons in Kubernetes' words."""
    details: tuple[str, ...] = ()
    """The amounts, taints, labels and pods behind the reasons; empty for plugins that Podium can't
    explain, and after the first twenty nodes with equal reasons."""
    shortages: Annotated[tuple[Shortage, ...], HIDDEN] = ()
    """The amounts behind a refusal by NodeResourcesFit."""


def obstacles(
    decision: Decision, scheduler: Scheduler, refused: Mapping[str, Status]
) -> tuple[Obstacle, ...]:
    """Return the obstacles of a decision by node name, then in the order of filters.

    Empty if PreFilter refused all nodes. `refused` has the nodes to explain, with the status of the
    first filter that refuses; only that is returned if just nominated pods keep the pod away.
    """
    evaluation = decision.evaluation
    if evaluation is None or decision.pre_filter is not None:
        return ()
    found: list[Obstacle] = []
    alike: Counter[tuple[Status, ...]] = Counter()
    reader: DeviceReader | None = None
    for node_name, first in sorted(refused.items()):
        row = scheduler.snapshot.row_of[node_name]
        own = tuple(evaluation.filtering.objections(row))
        alike[own] += 1
        for status in own or (first,):
            details: tuple[str, ...] = ()
            describe = _DESCRIBERS.get(status.plugin)
            is_detailed = bool(own) and alike[own] <= _DETAILED_MAX
            if is_detailed and describe is not None:
                details = tuple(describe(scheduler.snapshot, scheduler.listers, decision.pod, row))
            elif is_detailed and status.plugin == DynamicResources.name:
                reader = reader or device_reader(scheduler, decision.pod.obj)
                details = () if reader is None else tuple(reader.details(decision.pod, row))
            if not own or (details and status.plugin == "NodeResourcesFit"):
                rivals = scheduler.nominator.rivals_on(decision.pod, node_name)
                if rivals:
                    named = ", ".join(f"{pod.key} (priority {pod.priority})" for pod in rivals)
                    details = (*details, f"room is kept for {named}")
            short: tuple[Shortage, ...] = ()
            if own and status.plugin == "NodeResourcesFit":
                short = tuple(_shortages(scheduler.snapshot, decision.pod, row))
            plugin, code = status.plugin, str(status.code)
            found.append(Obstacle(node_name, plugin, code, status.reasons, details, short))
    return tuple(found)


def _resources(snapshot: Snapshot, listers: Listers, pod: PodInfo, row: int) -> Iterator[str]:
    columns = snapshot.resources
    if columns.pods[row] + 1 > columns.allowed_pods[row]:
        yield f"{columns.pods[row]} of {columns.allowed_pods[row]} pods are on the node"
    for short in _shortages(snapshot, pod, row):
        resource, whole = short.resource, bare_amount(short.resource, short.allocatable)
        free = bare_amount(resource, max(short.allocatable - short.requested, 0))
        left, enough = short.missing - short.lower, "enough with pods of lower priority gone"
        if left > 0:
            gone = " with all pods of lower priority gone" if short.lower else ""
            enough = f"{amount_text(resource, left)} short{gone}"
        yield f"needs {amount_text(resource, short.needed)}, {free} of {whole} free; {enough}"
        yield from _resizes(snapshot.pods_on[row], resource)


def _shortages(snapshot: Snapshot, pod: PodInfo, row: int) -> Iterator[Shortage]:
    columns = snapshot.resources
    for index, needed in columns.counted(pod.cls.requests):
        has, held = int(columns.allocatable[index][row]), int(columns.requested[index][row])
        if needed <= max(has - held, 0):
            continue
        resource = columns.names[index]
        lower = sum(
            other.cls.held.get(resource, 0)
            for other in snapshot.pods_on[row]
            if other.priority < pod.priority
        )
        yield Shortage(resource, needed, has, held, lower)


def _resizes(pods: Iterable[PodInfo], resource: str) -> Iterator[str]:
    for pod in pods:
        waits = condition_of(pod.obj, RESIZE_PENDING)
        if waits is None and condition_of(pod.obj, RESIZE_IN_PROGRESS) is None:
            continue
        counts = pod.cls.held.get(resource, 0)
        has, asks = (
            resource_amount(resource, amounts.get(resource, 0))
            for amounts in (pod_requests_in_use(pod.obj), pod_requests(pod.obj))
        )
        amount = amount_text(resource, counts)
        if waits is not None and counts > has:
            yield (
                f"{pod.key} counts for {amount}, having {bare_amount(resource, has)}, as its "
                f"resize waits ({RESIZE_PENDING}: {waits.get('reason')})"
            )
        elif counts > asks:
            yield (
                f"{pod.key} counts for {amount} until its resize to {bare_amount(resource, asks)} "
                "is done"
            )


def _taints(snapshot: Snapshot, listers: Listers, pod: PodInfo, row: int) -> Iterator[str]:
    for taint in untolerated_taints(snapshot.nodes[row], pod.cls.spec.get("tolerations")):
        yield f"taint {taint_text(taint)} isn't tolerated"


def _labels(snapshot: Snapshot, listers: Listers, pod: PodInfo, row: int) -> Iterator[str]:
    return unmet_node_affinity(pod.cls.pod, snapshot.labels_of(row), snapshot.names[row])


def _ports(snapshot: Snapshot, listers: Listers, pod: PodInfo, row: int) -> Iterator[str]:
    wanted = pod.cls.host_ports
    for holder in snapshot.pods_on[row]:
        for port in sorted(holder.cls.host_ports):
            if any(map(port.conflicts, wanted)):
                yield f"{holder.key}, priority {holder.priority}, holds port {port}"


def amount_text(resource: str, amount: int) -> str:
    """Return an amount with its unit, as `250m CPU` or `1536Mi memory`; cpu is in thousandths."""
    word = "CPU" if resource == "cpu" else resource
    return f"{bare_amount(resource, amount)} {word}"


def bare_amount(resource: str, amount: int) -> str:
    """Return an amount without the resource's name; bytes are rounded to Mi if little is lost."""
    if resource == "cpu":
        return str(Quantity(amount * NANOS_PER_MILLI))
    if not resource.startswith(("memory", "ephemeral-storage", "hugepages-")):
        return str(amount)
    # Bytes are rounded where little is lost.
    rounded = round(amount / _MI) * _MI if abs(amount) >= 10 * _MI else amount
    return str(Quantity(rounded * NANOS_PER_UNIT, Format.BINARY_SI))


_DESCRIBERS: Mapping[str, Callable[[Snapshot, Listers, PodInfo, int], Iterator[str]]] = {
    "NodeResourcesFit": _resources,
    "TaintToleration": _taints,
    "NodeAffinity": _labels,
    "NodePorts": _ports,
    "NodeUnschedulable": lambda *_: iter(("the node is cordoned (spec.unschedulable)",)),
    "PodTopologySpread": spread_details,
    "InterPodAffinity": affinity_details,
    "VolumeRestrictions": use_details,
    "NodeVolumeLimits": limit_details,
    "VolumeBinding": binding_details,
    "VolumeZone": zone_details,
}
