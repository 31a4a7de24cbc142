"""JSON that the dashboard's page reads: views of a cluster, steps that change them, and details.

The page applies steps to a view: objects of a step replace objects of the same name (pods: of the
same uid), deleted objects are removed, and entries are appended.
"""

import zlib
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import msgspec
from msgspec import UNSET, UnsetType

from podium.api.presentation import Presentation


class Shape(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Base of all types that the page reads; names in JSON are in camel case."""


class Node(Shape, frozen=True, kw_only=True):
    """A node, as the page shows it.

    Attributes:
        pool: node pool, from the usual labels of cloud providers; empty without such a label.
        taints: as `key=value:Effect`.
        pressure: pressure conditions that are true, such as `MemoryPressure`.
        allocatable: allocatable amount of each resource, in millicores for `cpu`.
        devices: number of its devices by driver; unset without any.
        unused_devices: those of them that claims have which no pod uses; unset without any.
    """

    name: str
    zone: str
    pool: str
    ready: bool
    cordoned: bool
    taints: Sequence[str]
    pressure: Sequence[str]
    allocatable: Mapping[str, int]
    devices: Mapping[str, float] | UnsetType = UNSET
    unused_devices: Mapping[str, float] | UnsetType = UNSET


class Pod(Shape, frozen=True, kw_only=True):
    """A pod, as the page shows it.

    Attributes:
        owner: the pod's workload, such as `Deployment/web`; empty without a controller.
        requests: requested amount of each resource, in millicores for `cpu`.
        state: `pending`, `bound`, `running`, `unready` (runs and isn't ready), `terminating` or
            `finished`.
        queue: scheduling queue of a pending pod: `active`, `backoff`, `unschedulable` or `gated`.
        devices: number of devices that it has by driver, also parts of some; unset without any.
    """

    uid: str
    namespace: str
    name: str
    node: str
    nominated_node: str
    priority: int
    priority_class: str
    owner: str
    requests: Mapping[str, int]
    state: str
    queue: str
    message: str
    devices: Mapping[str, float] | UnsetType = UNSET


class Budget(Shape, frozen=True, kw_only=True):
    """A PodDisruptionBudget: the disruptions allowed now, and the numbers of pods that say why."""

    namespace: str
    name: str
    allowed: int
    healthy: int
    desired: int
    expected: int


class Workload(Shape, frozen=True, kw_only=True):
    """A controller of pods, with the pods that it wants and has.

    Attributes:
        unready: number of pods on nodes that aren't ready, starting ones included.
        note: such as `paused`, `complete`, or why pods can't be created; usually empty.
        budgets: names of the budgets that cover its pods.
    """

    namespace: str
    kind: str
    name: str
    desired: int
    ready: int
    pending: int
    unready: int
    note: str
    budgets: Sequence[str]


class PriorityClass(Shape, frozen=True, kw_only=True):
    """A PriorityClass: its name and its value."""

    name: str
    value: int


class Entry(Shape, frozen=True, kw_only=True):
    """A line in the page's timeline, about something that happened.

    Attributes:
        at_s: seconds since the start of the cluster's clock; negative for earlier Events.
        type: type of the timeline entry, or the reason of an Event.
        by: name of the component that acted, or `user`.
        node: the pod's node at that time; empty if the entry isn't about one.
    """

    at_s: float
    type: str
    kind: str
    namespace: str
    name: str
    by: str
    text: str
    node: str = ""


class Disruption(Shape, frozen=True, kw_only=True):
    """A disruption of a pod, with the pod as it was then.

    Attributes:
        number: 1 for the first disruption of a cluster, and so on.
        at_s: when the pod began to terminate, or failed, in seconds since the epoch.
        cause: name of the cause, with its `group` and its `clause`, such as `is preempted`.
        message: what the component that disrupted the pod says.
        owner_uid: uid of the pod's controller.
        budgets: the budgets that cover the pod, with the disruptions that they allowed then.
        preemptor: `namespace/name` of the preemptor; empty if there is none or it is unknown.
        preemptor_requests: as in `Pod`, with what the preemptor requested then.
        replacement: the pod that the controller made next, `namespace/name`; empty until then.
    """

    number: int
    at_s: float
    cause: str
    group: str
    clause: str
    message: str
    pod: Pod
    owner_uid: str
    budgets: Sequence[Budget]
    preemptor: str = ""
    preemptor_priority: int = 0
    preemptor_requests: Mapping[str, int] = {}
    replacement: str = ""


class Abilities(NamedTuple):
    """The title of a dashboard, and the features of its page.

    Attributes:
        live: whether there will be more steps; a recorded run has all of its steps.
    """

    title: str
    live: bool = True
    can_plan: bool = False
    can_apply: bool = False


class View(Shape, frozen=True, kw_only=True):
    """The state of a cluster at one time.

    Attributes:
        number: number of the last step that the view includes.
        at_s: seconds since the start of the cluster's clock.
        clock: start of the cluster's clock, such as `2026-01-01T00:00:00.000000Z`.
        disruptions: number of the last disruption that the view includes.
        summary: presentation of the result of a finished run; None for a running cluster.
    """

    number: int
    at_s: float
    clock: str
    title: str
    live: bool
    can_plan: bool
    can_apply: bool
    priority_classes: Sequence[PriorityClass]
    nodes: Sequence[Node]
    pods: Sequence[Pod]
    budgets: Sequence[Budget]
    workloads: Sequence[Workload] = ()
    entries: Sequence[Entry]
    disruptions: int = 0
    summary: Any = None


class Step(Shape, frozen=True, kw_only=True):
    """The objects that have changed since the previous step, each as a whole.

    Attributes:
        gone_budgets: `namespace/name` of each deleted budget.
        gone_workloads: `namespace/Kind/name` of each workload without object and pods.
        priority_classes: all priority classes if any has changed, otherwise null.
        disruptions: new disruptions, and those whose replacement or preemptor is known now.
    """

    number: int
    at_s: float
    nodes: Sequence[Node] = ()
    gone_nodes: Sequence[str] = ()
    pods: Sequence[Pod] = ()
    gone_pods: Sequence[str] = ()
    budgets: Sequence[Budget] = ()
    gone_budgets: Sequence[str] = ()
    workloads: Sequence[Workload] = ()
    gone_workloads: Sequence[str] = ()
    priority_classes: Sequence[PriorityClass] | None = None
    entries: Sequence[Entry] = ()
    disruptions: Sequence[msgspec.Raw] = ()


_GZIP = 16 + zlib.MAX_WBITS


def compressed(value: Any) -> bytes:
    """Return a view, or another value, as gzipped JSON."""
    packer = zlib.compressobj(1, wbits=_GZIP)
    return packer.compress(msgspec.json.encode(value)) + packer.flush()


class DeviceUse(Shape, frozen=True, kw_only=True):
    """A claim that has a device, `namespace/name`, and its pods.

    Attributes:
        part: what the claim has of the device, such as `10Gi memory`; empty for the whole device.
    """

    claim: str
    pods: Sequence[str]
    part: str


class DeviceRow(Shape, frozen=True, kw_only=True):
    """A device that a node reaches.

    Attributes:
        pool: the device's pool, `driver/pool`.
        attributes: attributes with their values, those that DeviceClasses select by first.
        taints: as `key=value:Effect`.
        left: what is left of its capacities, or of the counters that it consumes.
        state: `free`, `in use`, or why it can't be allocated.
    """

    device: str
    pool: str
    attributes: str
    taints: Sequence[str]
    left: str
    state: str
    uses: Sequence[DeviceUse]


class ClaimRow(Shape, frozen=True, kw_only=True):
    """A claim of a pod.

    Attributes:
        name: of the pod's entry; empty for the claim that stands for its extended resources.
        claim: name of the claim; empty until it is made.
        requests: such as `gpu: 1 of class gpu`.
        devices: the devices, such as `gpu: gpu-0, gpu-1 of driver/pool`.
        others: the other pods that use the claim, `namespace/name`.
    """

    name: str
    claim: str
    requests: Sequence[str]
    devices: Sequence[str]
    others: Sequence[str]


class PodPage(Shape, frozen=True, kw_only=True):
    """Details of a pod.

    Attributes:
        manifest: YAML of the pod; empty if the pod was deleted.
        preemption: presentation of the last preemption by or of the pod; None without any.
        explanation: presentation of the decision about the pod; None if there is a `problem`, or if
            the pod was deleted.
    """

    manifest: str
    history: Sequence[Entry]
    claims: Sequence[ClaimRow] = ()
    preemption: Any = None
    explanation: Any
    problem: str


class SignalRow(Shape, frozen=True, kw_only=True):
    """An eviction signal of a node.

    Attributes:
        available: amount that isn't used; empty if it isn't measured.
        threshold: amount below which the node evicts pods.
        kind: `hard`, or `soft` with its grace period.
    """

    signal: str
    available: str
    threshold: str
    kind: str


class NodePage(Shape, frozen=True, kw_only=True):
    """Details of a node.

    Attributes:
        history: entries about the node, and about the pods on it.
        devices: the devices that the node reaches, in the order of allocation.
        pool_faults: why the devices of some pools can't be allocated.
        usage: measured amounts of resources by pod, `namespace/name`; empty key: the whole node.
    """

    manifest: str
    signals: Sequence[SignalRow]
    history: Sequence[Entry]
    devices: Sequence[DeviceRow] = ()
    pool_faults: Sequence[str] = ()
    usage: Mapping[str, Mapping[str, int]]


class WorkloadPage(Shape, frozen=True, kw_only=True):
    """Details of a workload; `manifest` is empty for one that is known by its pods alone."""

    manifest: str
    history: Sequence[Entry]


class NodeUsage(Shape, frozen=True, kw_only=True):
    """What nodes use, in columns; empty where nothing is measured.

    Attributes:
        cpu: in millicores.
        memory: in bytes.
    """

    nodes: Sequence[str]
    cpu: Sequence[int]
    memory: Sequence[int]


class BudgetPage(WorkloadPage, frozen=True, kw_only=True):
    """Details of a PodDisruptionBudget; `pods` has the uids of the pods that it covers."""

    pods: Sequence[str]


class PlanPage(Shape, frozen=True, kw_only=True):
    """The presentation of a plan."""

    presentation: Any


class Applied(Shape, frozen=True, kw_only=True):
    """Result of applying one manifest.

    Attributes:
        object: such as `Pod default/web`.
        result: `created`, `configured` or `unchanged`; empty if it was refused.
    """

    object: str
    result: str
    problem: str


def presented(presentation: Presentation) -> dict[str, Any]:
    """Convert a presentation to plain values for JSON; the fields of a block show its type."""
    sections = [
        {"title": section.title, "blocks": section.blocks, "isDetail": section.is_detail}
        for section in presentation.filled_sections()
    ]
    values = {"title": presentation.title, "headline": presentation.headline, "sections": sections}
    found: dict[str, Any] = msgspec.to_builtins(values)
    return found
