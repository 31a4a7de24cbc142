"""The report of a plan, as JSON output prints it; pods are named `namespace/name`."""

from collections.abc import Mapping, Sequence
from dataclasses import field
from enum import StrEnum
from typing import Annotated, Literal

import msgspec
from pydantic import PlainSerializer
from typing_extensions import TypedDict

from podium.api.documents.report import (
    API_VERSION,
    HIDDEN,
    IF_ANY,
    IF_KNOWN,
    OrNull,
    PodReport,
    Report,
)
from podium.api.nodes import NO_EXECUTE, tolerates
from podium.api.objects import Object
from podium.api.pods import tolerations_of
from podium.api.policy.disruption_target import Cause
from podium.api.values.message_words import listed
from podium.cluster.virtual.loading.unhealthy_objects import WAY_OUT
from podium.simulation.runner.eviction_advice import advised
from podium.simulation.timeline.preemption import PreemptionOutcome
from podium.simulation.timeline.timeline_sentences import clock
from podium.whatif.optimum.optimum_report import Optimum

UNREACHABLE = "node.kubernetes.io/unreachable"
"""Key of the taint of nodes that don't answer."""

_NAMED_MAX = 5


def time_text(at_s: float) -> str:
    """Format a time, in seconds since the plan began, such as `t+30s`."""
    return f"t+{round(at_s, 1):.12g}s"


class PodRow(PodReport, kw_only=True):
    """A pod and its workload."""

    workload: str = ""
    """The pod's topmost controller, `Kind namespace/name`; the pod itself without one."""


class RepeatedRow(PodRow, kw_only=True):
    """An event of a pod that may have been repeated by its replacements."""

    repeats: Annotated[int, IF_ANY] = 0
    """For how many replacements the event was repeated, each as soon as it was created; they have
    no rows of their own."""
    repeated_until: Annotated[float | None, IF_KNOWN] = None
    """When it was repeated last, in seconds since the plan began; None if never."""

    @property
    def times(self) -> str:
        """The end of a clause: how often the event happened, and until when; empty if only once."""
        if self.repeated_until is None:
            return ""
        return f", {1 + self.repeats} times until {time_text(self.repeated_until)}"


class Placement(PodRow, kw_only=True):
    """A pod that was bound to a node."""

    node: str
    """The node that the pod is bound to."""
    by_node_name: Annotated[bool, HIDDEN] = False
    """Whether the pod was created with `spec.nodeName`, without a scheduler."""
    at: float = 0.0
    """When the pod was bound, in seconds since the plan began."""
    overslept_seconds: Annotated[float | None, IF_KNOWN] = None
    """For how many seconds the pod had waited, if no event had woken it and it was tried only
    because of the long wait; otherwise None."""
    replaces: Annotated[str, IF_ANY] = ""
    """The lost pod that it replaces; empty if none."""
    devices: Annotated[tuple[str, ...], IF_ANY] = ()
    """The devices that its claims have, `driver/pool/device`; empty if none."""


class PendingPod(PodRow, kw_only=True):
    """A pod that is pending in the end."""

    message: str
    """The message of kube-scheduler's FailedScheduling event."""
    since: float = 0.0
    """When the pod was created, in seconds since the plan began; 0 if before the plan."""
    waited_before: Annotated[bool, IF_ANY] = False
    """Whether the pod existed before the plan, and was pending then, too."""
    nominated_node: Annotated[str, IF_ANY] = ""
    """The node to which the pod is nominated; empty if none."""
    room_at: Annotated[float | None, IF_KNOWN] = None
    """The latest end of a grace period of the nominated node's terminating pods, in seconds since
    the plan began; None if there are none, or the node isn't ready."""
    replaces: Annotated[str, IF_ANY] = ""
    """The lost pod that it replaces; empty if none."""
    fits_on: Annotated[str, IF_ANY] = ""
    """The node on which the pod would fit, if it waits only because no event has woken it;
    otherwise empty."""
    tried_at: Annotated[float | None, IF_KNOWN] = None
    """When a pod with `fits_on` is tried, in seconds since the plan began; else None."""
    device_holders: Annotated[Mapping[str, int], IF_ANY] = field(default_factory=dict)
    """Up to twenty workloads that hold most of the devices that its claims ask for, with how many
    each; empty if a node has enough of them."""


class GatedPod(PodRow, kw_only=True):
    """A pod that a PreEnqueue plugin keeps out of the scheduling queue."""

    plugin: str
    """The plugin that rejects the pod."""
    message: str
    """The plugin's message."""
    since: float = 0.0
    """When the pod was created, in seconds since the plan began; 0 if before the plan."""


class NodeRefusal(RepeatedRow, kw_only=True):
    """A pod that the kubelet of its node rejected."""

    node: str
    """The node of the pod."""
    reason: str
    """The reason in the failed pod's status, such as `OutOfcpu`."""
    message: str
    """The message in the failed pod's status."""
    at: float = 0.0
    """When the pod was bound to the node, in seconds since the plan began."""


class RejectedObject(Report):
    """An object, or pods of a workload, that the API refused."""

    object: str
    """The object, `Kind namespace/name`, or the number of pods, such as `2 pods`."""
    message: str
    """The API's message."""
    workload: Annotated[str, IF_ANY] = ""
    """The workload of the pods, `Kind namespace/name`; empty for another object."""
    count: int = 1
    """The number of refused objects."""
    namespace: OrNull = ""
    """The namespace of the object; empty if it has none."""
    at: float = 0.0
    """When it was refused first, in seconds since the plan began."""


class RemovedPod(PodRow, kw_only=True):
    """A pod of the state that the changes remove."""

    reason: str
    """Why the pod is removed, in words."""
    at: float
    """When the pod is deleted or begins to terminate, in seconds since the plan began."""
    node: Annotated[str, IF_ANY] = ""
    """The node of the pod; empty if none."""
    is_evicted: Annotated[bool, HIDDEN] = False
    """Whether the changes concern neither the pod nor its workload."""


class IgnoredPod(PodRow, kw_only=True):
    """A pod whose `schedulerName` is none of the simulated profiles."""

    scheduler_name: str
    since: float = 0.0


class BudgetChange(Report):
    """How a disruption budget changes during a plan."""

    budget: str
    """The budget, `namespace/name`."""
    allowed_before: int
    """Disruptions allowed in the state."""
    allowed_after: int
    """Disruptions allowed at the end of the plan."""
    allowed_least: int = 0
    """The fewest disruptions allowed during the plan."""
    least_at: float = 0.0
    """When this was first the number, in seconds since the plan began."""
    violated_by: tuple[str, ...] = ()
    """The victims whose preemption violates the budget."""
    sync_failure: Annotated[str, IF_ANY] = ""
    """Why the disruption controller can't compute the budget, which then allows no disruption;
    empty if it can."""
    is_touched: Annotated[bool, HIDDEN] = False
    """Whether the budget covers a lost or removed pod, or its status changes."""
    namespace: str = ""
    """The namespace of the budget."""
    healthy_before: int = 0
    """How many covered pods were healthy before the plan."""
    healthy_least: int = 0
    """How many were healthy when most were missing to the desired number."""
    desired_healthy: int = 0
    """The desired number of healthy pods at that time."""
    healthy_least_at: float = 0.0
    """When that time began, in seconds since the plan began."""
    below_for_seconds: float = 0.0
    """For how many seconds in total fewer pods were healthy than desired, and fewer than before; 0
    if never."""
    lost: Mapping[str, int] = field(default_factory=dict)
    """How many covered pods are disrupted, by cause."""
    removed: int = 0
    """How many covered pods the changes remove, as in a rollout."""
    workloads: Annotated[tuple[str, ...], HIDDEN] = ()
    """Workloads of covered pods, `Kind namespace/name`; empty if enough were healthy."""

    @property
    def is_below(self) -> bool:
        """True if fewer pods are healthy for a while than the budget desires."""
        return self.below_for_seconds > 0


class Happening(StrEnum):
    """An event in the life of a pod."""

    CREATED = "created"
    BOUND = "bound"
    READY = "ready"
    TERMINATING = "terminating"
    FAILED = "failed"
    SUCCEEDED = "succeeded"
    GONE = "gone"


class Moment(RepeatedRow, kw_only=True):
    """A line of the timeline: an event of a pod."""

    at: float
    """When the event happened, in seconds since the plan began."""
    event: Happening
    """What happened."""
    uid: Annotated[str, HIDDEN]
    node: Annotated[str, IF_ANY] = ""
    """The node of the pod; empty if none."""
    reason: Annotated[str, IF_ANY] = ""
    """The reason in the pod's status; empty if none."""
    by: Annotated[str, IF_ANY] = ""
    """The preemptor, or the lost pod that a new one replaces; empty if there is neither."""
    text: Annotated[str, HIDDEN] = ""
    """The line as a sentence."""


class Return(StrEnum):
    """Whether a lost pod is replaced; `AFTER_NODE`: only once its node ends it, or is deleted."""

    CERTAIN = "Certain"
    SURPLUS = "Surplus"
    NEVER = "Never"
    AFTER_NODE = "AfterNode"
    UNKNOWN = "Unknown"


def why_never(row: PodRow) -> str:
    """Describe why a pod with `Return.NEVER` isn't replaced."""
    return "its work is lost" if row.owner.startswith("Job ") else "no controller recreates it"


class Disruption(RepeatedRow, kw_only=True):
    """A disrupted pod: it loses its place, but no change deletes it."""

    node: str
    """The node of the lost pod."""
    at: float
    """When the pod lost its place, in seconds since the plan began."""
    cause: Annotated[Cause, PlainSerializer(lambda cause: cause.name, return_type=str)]
    """Why the pod lost its place."""
    depth: int = 1
    """1 if the changes, or a pod that was pending before, took its place; 2 if the replacement of a
    pod of depth 1 did, and so on."""
    comes_again: Return = Return.CERTAIN
    """Whether another pod replaces it; `Surplus` if its controller has enough pods without it."""
    by: Annotated[str, IF_ANY] = ""
    """The preemptor; empty if the pod wasn't preempted."""
    message: Annotated[str, IF_ANY] = ""
    """The message of the kubelet that evicts or stops the pod; empty if none does."""
    replacement: Annotated[str, IF_ANY] = ""
    """The pod that replaces it, the last one if that is repeated; empty if none."""
    replaced_on: Annotated[str, IF_ANY] = ""
    """The node of the replacement in the end; empty if none."""
    replaced_at: Annotated[float | None, IF_KNOWN] = None
    """When the replacement was bound, in seconds since the plan began; None if it wasn't."""


class PreemptedPod(PodRow, kw_only=True):
    """A pod that is preempted, and its preemptor."""

    node: str
    """The node of the preempted pod."""
    at: float
    """When it was preempted, in seconds since the plan, or the step of a rollout, began."""
    by: str
    """The preemptor."""
    by_workload: str
    """The workload of the preemptor."""
    by_priority: int
    """The priority of the preemptor."""


class NextPod(Report, kw_only=True):
    """A pod that was created in a copy of the cluster, to see which pods it preempts."""

    is_replacement: bool
    """Whether the pod replaces a deleted pod of the workload; otherwise it is a pod with equal
    requests and without a controller."""
    pod: OrNull = ""
    """The pod, `namespace/name`; empty if none was created."""
    priority: int = 0
    """The priority that admission set."""
    node: OrNull = ""
    """The node that the pod was bound to; empty if none."""
    message: OrNull = ""
    """Why the API refused the pod, or why it is pending; empty if it is neither."""
    preempted: tuple[PreemptedPod, ...] = ()
    """The pods that it preempts, that their replacements preempt, and so on."""
    cut_short: Annotated[bool, IF_ANY] = False
    """Whether the simulation was ended at this number of preempted pods."""

    @property
    def is_harmful(self) -> bool:
        """True if the next pod preempts other pods."""
        return bool(self.preempted)


class StalePriority(Report, kw_only=True):
    """The running pods of one workload that keep a priority which its next pod doesn't get."""

    workload: str
    """`Kind namespace/name`; the pod itself if it has no controller."""
    namespace: str
    """The namespace of the pods."""
    pods: int
    """How many pods keep the priority."""
    priority: int
    """The priority that these pods keep."""
    next_priority: int | None
    """The priority of the next pod; null if the API refuses it."""
    next_class: OrNull = ""
    """The PriorityClass of the next pod; null if it has none."""
    by_default: bool = False
    """Whether the next pod names no class."""
    refusal: Annotated[str, IF_ANY] = ""
    """Why the API refuses the next pod."""
    next_pods: tuple[NextPod, ...] = ()
    """Trials of the next pod in copies of the cluster; empty for workloads beyond the limit of
    trials."""

    @property
    def is_harmful(self) -> bool:
        """True if the next pod is refused, or preempts other pods."""
        return bool(self.refusal) or any(next_pod.is_harmful for next_pod in self.next_pods)


class WorkloadSummary(Report, kw_only=True):
    """The effects of a plan on one workload, or on a pod without one."""

    workload: str
    """The workload, `Kind namespace/name`."""
    namespace: str = ""
    """The namespace of the workload."""
    priority: int
    """The highest priority of the affected pods."""
    priority_class: OrNull = ""
    """The PriorityClass of the pod with that priority; empty if it names none."""
    pods: int
    """How many pods the workload had before the plan."""
    wanted: int = 0
    """How many pods the workload should have in the end."""
    lost: Mapping[str, int] = field(default_factory=dict)
    """How many pods are disrupted, by cause."""
    recreated: Annotated[int, IF_ANY] = 0
    """How many lost pods are replaced by bound ones in the end."""
    pending: Annotated[int, IF_ANY] = 0
    """How many pods are pending in the end."""
    new: Annotated[int, IF_ANY] = 0
    """How many pods are bound without replacing lost ones."""
    removed: Annotated[int, IF_ANY] = 0
    """How many pods the changes remove."""
    ready_before: int = 0
    """How many pods were ready before the plan."""
    ready_least: int = 0
    """The fewest pods that were ready at a time."""
    ready_least_at: float = 0.0
    """When so few were ready first, in seconds since the plan began."""
    ready_least_for_seconds: float = 0.0
    """For how many seconds in total so few were ready."""
    ready_after: int = 0
    """How many pods are ready in the end."""
    ready_in_the_end: bool = True
    """Whether at least as many pods are ready in the end as before."""
    unavailable: bool = False
    """Whether no pod is ready for a while, though some were before, and some should be; always
    false for pods that run to completion, such as those of Jobs."""
    serves: Annotated[bool, HIDDEN] = False
    """Whether ready pods had `restartPolicy: Always`."""

    @property
    def ready_share(self) -> float:
        """The least ready share of the pods before, or wanted if fewer; 1 without pods."""
        counted = min(self.pods, self.wanted)
        return self.ready_least / counted if counted else 1.0


class DrainBlocker(Report):
    """A disruption budget that blocks a drain."""

    budget: str
    """The budget, `namespace/name`."""
    pods: Sequence[str]
    """The pods of the node that the budget covers and that aren't evicted yet."""
    reason: str = ""
    """Why the budget refuses their eviction."""
    remedies: tuple[str, ...] = ()
    """Changes, each of which was found to allow the eviction of a pod."""

    @property
    def text(self) -> str:
        """A sentence that says why the budget allows no eviction, and what would help."""
        return advised(self.reason, self.remedies)


class Drainage(Report, kw_only=True):
    """A node that is to be drained."""

    node: str
    """The name of the node."""
    state: Literal["Done", "Failed", "Open"]
    """`Done`, `Failed` if the node can't be drained, `Open` if the plan ended before."""
    evicted: int
    """How many pods were evicted."""
    at: Annotated[float | None, IF_KNOWN] = None
    """When the drain was done, in seconds since the plan began."""
    message: Annotated[str, IF_ANY] = ""
    """Why the drain failed."""
    left: tuple[str, ...] = ()
    """The pods that aren't evicted yet, `namespace/name`."""
    terminating: Annotated[tuple[str, ...], IF_ANY] = ()
    """The evicted pods that are still terminating, `namespace/name`."""
    held: Annotated[tuple[str, ...], IF_ANY] = ()
    """Those of them that stay because the node doesn't respond."""
    blockers: tuple[DrainBlocker, ...] = ()
    """The budgets that refuse evictions."""
    reasons: tuple[str, ...] = ()
    """Why the budgets refuse evictions, and what would help."""

    @property
    def result(self) -> str:
        """The state, and whether an open drain is blocked by budgets or waits for evicted pods."""
        if self.state != "Open":
            return self.state.lower()
        return "blocked" if self.left else "waits"

    @property
    def why(self) -> str:
        """Why the drain isn't done, and what helps."""
        parts = [*filter(None, [self.message]), *self.reasons]
        if self.held:
            stay = f"{listed(self.held, _NAMED_MAX)} can't end, as the node doesn't answer"
            parts.append(f"{stay}: {WAY_OUT}")
        elif self.terminating:
            verb = "terminates" if len(self.terminating) == 1 else "terminate"
            parts.append(f"{listed(self.terminating, _NAMED_MAX)} still {verb}")
        return "; ".join(parts)

    @property
    def text(self) -> str:
        """A sentence's part that says which pods can't be evicted, and why the drain isn't done."""
        is_stuck = self.left and not self.message
        stuck = f"{', '.join(self.left)} can't be evicted" if is_stuck else ""
        return ": ".join(filter(None, [stuck, self.why]))


class FailedJob(Report, kw_only=True):
    """A Job that fails, or of which some indexes fail."""

    job: str
    """The Job, `Job namespace/name`."""
    namespace: str
    """The namespace of the Job."""
    workload: str
    """The Job's topmost controller, `Kind namespace/name`; the Job itself without one."""
    priority: int = 0
    """The highest priority of its pods."""
    priority_class: OrNull = ""
    """The PriorityClass of the pod with that priority; empty if it names none."""
    reason: str
    """The reason in the Job's condition, such as `BackoffLimitExceeded`."""
    message: str
    """The message in the Job's condition."""
    indexes: Annotated[str, IF_ANY] = ""
    """The indexes that fail while the Job goes on, such as `1,3-5`; empty if the whole Job
    fails."""
    at: float
    """When the Job or the first index fails, in seconds since the plan began."""
    pods: int = 0
    """How many of its pods are lost and not replaced."""


class PodShare(msgspec.Struct, frozen=True):
    """A pod on a node, with its share of what the node has.

    The share is of the node's CPU or memory, whichever is larger, or of its devices.
    """

    pod: str
    priority: int
    share: float
    is_leaving: bool
    is_other: bool
    """Whether the pod is on the node only before the plan, or only after it."""


class NodeFilling(msgspec.Struct, frozen=True):
    """A node on which something changes, with its pods by descending priority."""

    node: str
    before: tuple[PodShare, ...]
    after: tuple[PodShare, ...]
    driver: str = ""
    """The driver of the devices that are filled; empty for CPU and memory."""


class Rollout(Report):
    """The rollout of a changed workload."""

    workload: str
    """The workload, `Kind namespace/name`."""
    state: Literal["Complete", "Stuck", "Paused", "Open"]
    """`Complete`, `Stuck` if the rollout makes no more progress, `Paused` if it makes none because
    of `spec.paused`, `Open` if the plan ended before."""
    message: str = ""
    """What the rollout lacks, in words; empty if it is complete."""
    at: Annotated[float | None, IF_KNOWN] = None
    """When it was complete, or known to be stuck, in seconds since the plan began."""
    reason: Annotated[str, IF_ANY] = ""
    """Why the rollout isn't complete, in words; empty if unknown."""
    way_out: Annotated[str, IF_ANY] = ""
    """What would let the rollout go on, in words; empty if unknown."""
    namespace: str = ""
    """The namespace of the workload."""

    @property
    def text(self) -> str:
        """What the rollout lacks, the reason, and what would help."""
        text = f"{self.message}: {self.reason}" if self.reason else self.message
        return f"{text}; {self.way_out}" if self.way_out else text

    @property
    def is_stuck(self) -> bool:
        """True if the rollout makes no more progress."""
        return self.state == "Stuck"

    @property
    def is_open(self) -> bool:
        """True if the plan ended before the rollout."""
        return self.state == "Open"


class SilentNode(Report, kw_only=True):
    """A failed node at the end of a plan."""

    node: str
    """The name of the node."""
    tainted_at_s: float | None = None
    """When the node got the taint by which pods are evicted, in seconds since the plan began; None
    if it has no such taint."""
    on_hold: str = ""
    """Why no pods are evicted in the node's zone; empty if they are."""

    def why_pod_stays(self, pod: Object, end_s: float) -> str:
        """Describe why a pod is still on the node at the end of the plan, `end_s`."""
        taint = {"key": UNREACHABLE, "effect": NO_EXECUTE}
        tolerations = [one for one in tolerations_of(pod["spec"]) if tolerates(one, taint)]
        spans = [toleration.get("tolerationSeconds") for toleration in tolerations]
        limits_s = [int(span) for span in spans if span is not None]
        if tolerations and not limits_s:
            return "it tolerates that without end"
        if self.tainted_at_s is None:
            if self.on_hold:
                return f"nothing is evicted, as {self.on_hold}"
            return f"its node has no {NO_EXECUTE} taint before the plan's end, {clock(end_s)}"
        due_s = self.tainted_at_s + min(limits_s, default=0)
        return f"it tolerates that until {clock(due_s)}, and the plan ends at {clock(end_s)}"


class Unplayed(Report):
    """An object whose pods aren't simulated, as Podium has no controller for its kind."""

    object: str
    """The object, `Kind namespace/name`."""
    reason: str
    """What is missing from the plan because of the object."""


class Fate(PodRow, kw_only=True):
    """The outcome for a pod: the name of a node, or a few words."""

    outcome: str


class ChanceOutcome(TypedDict):
    """An outcome for a pod, and with how many seeds it happened."""

    outcome: str
    times: int


class Chance(PodRow, kw_only=True):
    """A pod whose outcome differs between seeds."""

    outcomes: Annotated[
        tuple[tuple[str, int], ...],
        PlainSerializer(
            lambda counted: [{"outcome": outcome, "times": times} for outcome, times in counted],
            return_type=list[ChanceOutcome],
        ),
    ]
    """Outcomes (the name of a node, or a few words), each with its number of seeds."""


class Counts(Report, kw_only=True):
    """The totals of a plan."""

    placed: int = 0
    """Pods that are bound without replacing lost ones."""
    preempted: int = 0
    """Pods that are preempted, each once."""
    pending: int = 0
    """Pods that are pending in the end."""
    evicted: int = 0
    """Pods that are evicted by drains, taints and node pressure."""
    recreated: int = 0
    """Pods that are bound and replace lost ones."""
    lost_for_good: int = 0
    """Lost pods that are never replaced."""
    failed_jobs: int = 0
    """The Jobs that fail, whole or in some of their indexes."""
    gated: int = 0
    """Pods that scheduling gates hold back."""
    refused: int = 0
    """Pods that kubelets reject."""
    rejected: int = 0
    """Objects, and pods of workloads, that the API refuses."""
    ignored: int = 0
    """Pods of other schedulers."""
    removed: int = 0
    """Pods that the changes remove."""
    unavailable: int = 0
    """Workloads without a ready pod for a while."""
    budgets_below: int = 0
    """Budgets that have fewer healthy pods than desired for a while."""


class Plan(Report):
    """The outcome of a plan; each list is in the order in which things happen.

    `until_s` is the simulated time in seconds, `seeds` the number of simulations; everything but
    `chances` is from the first one. `interrupted` is true after Ctrl-C. `stale_priorities` lists
    running pods whose successors get another priority, `anyway` what would happen without the
    changes as well, `optimum` the least disruption, `nodes` the nodes whose pods change, and
    `silent_nodes` the failed nodes.
    """

    api_version: str = API_VERSION
    kind: Literal["Plan"] = "Plan"
    counts: Counts = field(default_factory=Counts)
    workloads: tuple[WorkloadSummary, ...] = ()
    placements: tuple[Placement, ...] = ()
    preemptions: tuple[PreemptionOutcome, ...] = ()
    pending: tuple[PendingPod, ...] = ()
    budgets: tuple[BudgetChange, ...] = ()
    refusals: tuple[NodeRefusal, ...] = ()
    rejected: tuple[RejectedObject, ...] = ()
    gated: tuple[GatedPod, ...] = ()
    ignored: tuple[IgnoredPod, ...] = ()
    removed: tuple[RemovedPod, ...] = ()
    disruptions: tuple[Disruption, ...] = ()
    rollouts: tuple[Rollout, ...] = ()
    failed_jobs: tuple[FailedJob, ...] = ()
    drains: tuple[Drainage, ...] = ()
    stale_priorities: tuple[StalePriority, ...] = ()
    unplayed: tuple[Unplayed, ...] = ()
    timeline: tuple[Moment, ...] = ()
    until_seconds: float = 0.0
    interrupted: bool = False
    seeds: int = 1
    chances: tuple[Chance, ...] = ()
    anyway: tuple[Fate, ...] = ()
    optimum: Annotated[Optimum | None, IF_KNOWN] = None
    nodes: Annotated[tuple[NodeFilling, ...], HIDDEN] = ()
    silent_nodes: Annotated[tuple[SilentNode, ...], HIDDEN] = ()
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
