"""The report of a plan, as JSON output prints it; pods are named `namespace/name`."""

from collections.abc import Mapping, Sequence
from dataclasses import field
from enum import StrEnum
from typing import Annotated, Literal

import msgspec
from pydantic import Field, PlainSerializer
from typing_extensions import TypedDict

from podium.api.documents.report import (
    API_VERSION,
    HIDDEN,
    IF_ANY,
    IF_KNOWN,
    OrNull,
    PodReport,
    Report,
    Seconds,
)
from podium.api.objects import Object
from podium.api.pods import tolerations_of
from podium.api.policy.disruption_target import Cause
from podium.api.taints import NO_EXECUTE, tolerates
from podium.api.values.message_words import listed
from podium.cluster.virtual.loading.unhealthy_objects import WAY_OUT
from podium.simulation.runner.eviction_advice import advised
from podium.simulation.timeline.preemption import PreemptionOutcome
from podium.simulation.timeline.timeline_sentences import clock
from podium.whatif.optimum.optimum_report import Optimum

UNREACHABLE = "node.kubernetes.io/unreachable"
"""Key of the taint of nodes that don't answer."""

_NAMED_MAX = 5

Since = Annotated[float, Field(serialization_alias="since")]
"""The field `since`, in seconds since the plan began."""


def time_text(at_s: float) -> str:
    """Format a time, in seconds since the plan began, such as `t+30s`."""
    return f"t+{round(at_s, 1):.12g}s"


class PodRow(PodReport, kw_only=True):
    """A pod and its workload.

    Attributes:
        workload: the pod's topmost controller, `Kind namespace/name`; the pod itself without one.
    """

    workload: str = ""


class RepeatedRow(PodRow, kw_only=True):
    """An event of a pod that may have been repeated by its replacements.

    Attributes:
        repeats: for how many replacements the event was repeated, each as soon as it was created;
            they have no rows of their own.
        repeated_until_s: when it was repeated last, in seconds since the plan began; None if never.
    """

    repeats: Annotated[int, IF_ANY] = 0
    repeated_until_s: Annotated[
        float | None, IF_KNOWN, Field(serialization_alias="repeatedUntil")
    ] = None

    @property
    def times(self) -> str:
        """The end of a clause: how often the event happened, and until when; empty if only once."""
        if self.repeated_until_s is None:
            return ""
        return f", {1 + self.repeats} times until {time_text(self.repeated_until_s)}"


class Placement(PodRow, kw_only=True):
    """A pod that was bound to a node.

    Attributes:
        node: the node that the pod is bound to.
        by_node_name: whether the pod was created with `spec.nodeName`, without a scheduler.
        at_s: when the pod was bound, in seconds since the plan began.
        overslept_s: for how many seconds the pod had waited, if no event had woken it and it was
            tried only because of the long wait; otherwise None.
        replaces: the lost pod that it replaces; empty if none.
    """

    node: str
    by_node_name: Annotated[bool, HIDDEN] = False
    at_s: Seconds = 0.0
    overslept_s: Annotated[
        float | None, IF_KNOWN, Field(serialization_alias="oversleptSeconds")
    ] = None
    replaces: Annotated[str, IF_ANY] = ""


class PendingPod(PodRow, kw_only=True):
    """A pod that is pending in the end.

    Attributes:
        message: the message of kube-scheduler's FailedScheduling event.
        since_s: when the pod was created, in seconds since the plan began; 0 if before the plan.
        nominated_node: the node to which the pod is nominated; empty if none.
        room_at_s: the latest end of a grace period of the nominated node's terminating pods, in
            seconds since the plan began; None if there are none, or the node isn't ready.
        replaces: the lost pod that it replaces; empty if none.
        fits_on: the node on which the pod would fit, if it waits only because no event has woken
            it; otherwise empty.
        tried_at_s: when a pod with `fits_on` is tried, in seconds since the plan began; else None.
        waited_before: whether the pod existed before the plan, and was pending then, too.
    """

    message: str
    since_s: Since = 0.0
    waited_before: Annotated[bool, IF_ANY] = False
    nominated_node: Annotated[str, IF_ANY] = ""
    room_at_s: Annotated[float | None, IF_KNOWN, Field(serialization_alias="roomAt")] = None
    replaces: Annotated[str, IF_ANY] = ""
    fits_on: Annotated[str, IF_ANY] = ""
    tried_at_s: Annotated[float | None, IF_KNOWN, Field(serialization_alias="triedAt")] = None


class GatedPod(PodRow, kw_only=True):
    """A pod that a PreEnqueue plugin keeps out of the scheduling queue.

    Attributes:
        plugin: the plugin that rejects the pod.
        message: the plugin's message.
        since_s: when the pod was created, in seconds since the plan began; 0 if before the plan.
    """

    plugin: str
    message: str
    since_s: Since = 0.0


class NodeRefusal(RepeatedRow, kw_only=True):
    """A pod that the kubelet of its node rejected.

    Attributes:
        node: the node of the pod.
        reason: the reason in the failed pod's status, such as `OutOfcpu`.
        message: the message in the failed pod's status.
        at_s: when the pod was bound to the node, in seconds since the plan began.
    """

    node: str
    reason: str
    message: str
    at_s: Seconds = 0.0


class RejectedObject(Report):
    """An object, or pods of a workload, that the API refused.

    Attributes:
        object: the object, `Kind namespace/name`, or the number of pods, such as `2 pods`.
        message: the API's message.
        workload: the workload of the pods, `Kind namespace/name`; empty for another object.
        count: the number of refused objects.
        namespace: the namespace of the object; empty if it has none.
        at_s: when it was refused first, in seconds since the plan began.
    """

    object: str
    message: str
    workload: Annotated[str, IF_ANY] = ""
    count: int = 1
    namespace: OrNull = ""
    at_s: Seconds = 0.0


class RemovedPod(PodRow, kw_only=True):
    """A pod of the state that the changes remove.

    Attributes:
        reason: why the pod is removed, in words.
        at_s: when the pod is deleted or begins to terminate, in seconds since the plan began.
        node: the node of the pod; empty if none.
        is_evicted: whether the changes concern neither the pod nor its workload.
    """

    reason: str
    at_s: Seconds
    node: Annotated[str, IF_ANY] = ""
    is_evicted: Annotated[bool, HIDDEN] = False


class IgnoredPod(PodRow, kw_only=True):
    """A pod whose `schedulerName` is none of the simulated profiles."""

    scheduler_name: str
    since_s: Since = 0.0


class BudgetChange(Report):
    """How a disruption budget changes during a plan.

    Attributes:
        budget: the budget, `namespace/name`.
        namespace: the namespace of the budget.
        allowed_before: disruptions allowed in the state.
        allowed_after: disruptions allowed at the end of the plan.
        allowed_least: the fewest disruptions allowed during the plan.
        least_at_s: when this was first the number, in seconds since the plan began.
        violated_by: the victims whose preemption violates the budget.
        sync_failure: why the disruption controller can't compute the budget, which then allows no
            disruption; empty if it can.
        is_touched: whether the budget covers a lost or removed pod, or its status changes.
        healthy_before: how many covered pods were healthy before the plan.
        healthy_least: how many were healthy when most were missing to the desired number.
        desired_healthy: the desired number of healthy pods at that time.
        healthy_least_at_s: when that time began, in seconds since the plan began.
        below_for_s: for how many seconds in total fewer pods were healthy than desired, and fewer
            than before; 0 if never.
        lost: how many covered pods are disrupted, by cause.
        removed: how many covered pods the changes remove, as in a rollout.
        workloads: workloads of covered pods, `Kind namespace/name`; empty if enough were healthy.
    """

    budget: str
    allowed_before: int
    allowed_after: int
    allowed_least: int = 0
    least_at_s: Annotated[float, Field(serialization_alias="leastAt")] = 0.0
    violated_by: tuple[str, ...] = ()
    sync_failure: Annotated[str, IF_ANY] = ""
    is_touched: Annotated[bool, HIDDEN] = False
    namespace: str = ""
    healthy_before: int = 0
    healthy_least: int = 0
    desired_healthy: int = 0
    healthy_least_at_s: Annotated[float, Field(serialization_alias="healthyLeastAt")] = 0.0
    below_for_s: Annotated[float, Field(serialization_alias="belowForSeconds")] = 0.0
    lost: Mapping[str, int] = field(default_factory=dict)
    removed: int = 0
    workloads: Annotated[tuple[str, ...], HIDDEN] = ()

    @property
    def is_below(self) -> bool:
        """True if fewer pods are healthy for a while than the budget desires."""
        return self.below_for_s > 0


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
    """A line of the timeline: an event of a pod.

    Attributes:
        at_s: when the event happened, in seconds since the plan began.
        happening: what happened.
        uid: the uid of the pod.
        node: the node of the pod; empty if none.
        detail: the reason in the pod's status; empty if none.
        by: the preemptor, or the lost pod that a new one replaces; empty if there is neither.
        text: the line as a sentence.
    """

    at_s: Seconds
    happening: Annotated[Happening, Field(serialization_alias="event")]
    uid: Annotated[str, HIDDEN]
    node: Annotated[str, IF_ANY] = ""
    detail: Annotated[str, IF_ANY, Field(serialization_alias="reason")] = ""
    by: Annotated[str, IF_ANY] = ""
    text: Annotated[str, HIDDEN] = ""


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
    """A disrupted pod: it loses its place, but no change deletes it.

    Attributes:
        node: the node of the lost pod.
        at_s: when the pod lost its place, in seconds since the plan began.
        cause: why the pod lost its place.
        depth: 1 if the changes, or a pod that was pending before, took its place; 2 if the
            replacement of a pod of depth 1 did, and so on.
        comes_again: whether another pod replaces it; `Surplus` if its controller has enough pods
            without it.
        by: the preemptor; empty if the pod wasn't preempted.
        message: the message of the kubelet that evicts or stops the pod; empty if none does.
        replacement: the pod that replaces it, the last one if that is repeated; empty if none.
        replaced_on: the node of the replacement in the end; empty if none.
        replaced_at_s: when the replacement was bound, in seconds since the plan began; None if it
            wasn't.
    """

    node: str
    at_s: Seconds
    cause: Annotated[Cause, PlainSerializer(lambda cause: cause.name, return_type=str)]
    depth: int = 1
    comes_again: Return = Return.CERTAIN
    by: Annotated[str, IF_ANY] = ""
    message: Annotated[str, IF_ANY] = ""
    replacement: Annotated[str, IF_ANY] = ""
    replaced_on: Annotated[str, IF_ANY] = ""
    replaced_at_s: Annotated[float | None, IF_KNOWN, Field(serialization_alias="replacedAt")] = None


class PreemptedPod(PodRow, kw_only=True):
    """A pod that is preempted, and its preemptor.

    Attributes:
        node: the node of the preempted pod.
        at_s: when it was preempted, in seconds since the plan, or the step of a rollout, began.
        by: the preemptor.
        by_workload: the workload of the preemptor.
        by_priority: the priority of the preemptor.
    """

    node: str
    at_s: Seconds
    by: str
    by_workload: str
    by_priority: int


class NextPod(Report, kw_only=True):
    """A pod that was created in a copy of the cluster, to see which pods it preempts.

    Attributes:
        is_replacement: whether the pod replaces a deleted pod of the workload; otherwise it is a
            pod with equal requests and without a controller.
        pod: the pod, `namespace/name`; empty if none was created.
        priority: the priority that admission set.
        node: the node that the pod was bound to; empty if none.
        message: why the API refused the pod, or why it is pending; empty if it is neither.
        preempted: the pods that it preempts, that their replacements preempt, and so on.
        is_cut_short: whether the simulation was ended at this number of preempted pods.
    """

    is_replacement: bool
    pod: OrNull = ""
    priority: int = 0
    node: OrNull = ""
    message: OrNull = ""
    preempted: tuple[PreemptedPod, ...] = ()
    is_cut_short: Annotated[bool, IF_ANY, Field(serialization_alias="cutShort")] = False

    @property
    def is_harmful(self) -> bool:
        """True if the next pod preempts other pods."""
        return bool(self.preempted)


class StalePriority(Report, kw_only=True):
    """The running pods of one workload that keep a priority which its next pod doesn't get.

    Attributes:
        workload: `Kind namespace/name`; the pod itself if it has no controller.
        namespace: the namespace of the pods.
        pods: how many pods keep the priority.
        priority: the priority that these pods keep.
        next_priority: the priority of the next pod; null if the API refuses it.
        next_class: the PriorityClass of the next pod; null if it has none.
        is_by_default: whether the next pod names no class.
        refusal: why the API refuses the next pod.
        next_pods: trials of the next pod in copies of the cluster; empty for workloads beyond the
            limit of trials.
    """

    workload: str
    namespace: str
    pods: int
    priority: int
    next_priority: int | None
    next_class: OrNull = ""
    is_by_default: Annotated[bool, Field(serialization_alias="byDefault")] = False
    refusal: Annotated[str, IF_ANY] = ""
    next_pods: tuple[NextPod, ...] = ()

    @property
    def is_harmful(self) -> bool:
        """True if the next pod is refused, or preempts other pods."""
        return bool(self.refusal) or any(one.is_harmful for one in self.next_pods)


class WorkloadSummary(Report, kw_only=True):
    """The effects of a plan on one workload, or on a pod without one.

    Attributes:
        workload: the workload, `Kind namespace/name`.
        namespace: the namespace of the workload.
        priority: the highest priority of the affected pods.
        priority_class: the PriorityClass of the pod with that priority; empty if it names none.
        pods: how many pods the workload had before the plan.
        wanted: how many pods the workload should have in the end.
        lost: how many pods are disrupted, by cause.
        recreated: how many lost pods are replaced by bound ones in the end.
        pending: how many pods are pending in the end.
        new: how many pods are bound without replacing lost ones.
        removed: how many pods the changes remove.
        ready_before: how many pods were ready before the plan.
        ready_least: the fewest pods that were ready at a time.
        ready_least_at_s: when so few were ready first, in seconds since the plan began.
        ready_least_for_s: for how many seconds in total so few were ready.
        ready_after: how many pods are ready in the end.
        is_ready_in_the_end: whether at least as many pods are ready in the end as before.
        is_unavailable: whether no pod is ready for a while, though some were before, and some
            should be; always false for pods that run to completion, such as those of Jobs.
        serves: whether ready pods had `restartPolicy: Always`.
    """

    workload: str
    namespace: str = ""
    priority: int
    priority_class: OrNull = ""
    pods: int
    wanted: int = 0
    lost: Mapping[str, int] = field(default_factory=dict)
    recreated: Annotated[int, IF_ANY] = 0
    pending: Annotated[int, IF_ANY] = 0
    new: Annotated[int, IF_ANY] = 0
    removed: Annotated[int, IF_ANY] = 0
    ready_before: int = 0
    ready_least: int = 0
    ready_least_at_s: Annotated[float, Field(serialization_alias="readyLeastAt")] = 0.0
    ready_least_for_s: Annotated[float, Field(serialization_alias="readyLeastForSeconds")] = 0.0
    ready_after: int = 0
    is_ready_in_the_end: Annotated[bool, Field(serialization_alias="readyInTheEnd")] = True
    is_unavailable: Annotated[bool, Field(serialization_alias="unavailable")] = False
    serves: Annotated[bool, HIDDEN] = False

    @property
    def ready_share(self) -> float:
        """The smallest share of pods that was ready; 1 without pods.

        The share is of the number of pods before, or of the wanted number if it is smaller.
        """
        counted = min(self.pods, self.wanted)
        return self.ready_least / counted if counted else 1.0


class DrainBlocker(Report):
    """A disruption budget that blocks a drain.

    Attributes:
        budget: the budget, `namespace/name`.
        pods: the pods of the node that the budget covers and that aren't evicted yet.
        reason: why the budget refuses their eviction.
        remedies: changes, each of which was found to allow the eviction of a pod.
    """

    budget: str
    pods: Sequence[str]
    reason: str = ""
    remedies: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """A sentence that says why the budget allows no eviction, and what would help."""
        return advised(self.reason, self.remedies)


class Drainage(Report, kw_only=True):
    """A node that is to be drained.

    Attributes:
        node: the name of the node.
        state: `Done`, `Failed` if the node can't be drained, `Open` if the plan ended before.
        evicted: how many pods were evicted.
        at_s: when the drain was done, in seconds since the plan began.
        message: why the drain failed.
        left: the pods that aren't evicted yet, `namespace/name`.
        held: the evicted pods that stay because the node doesn't respond, `namespace/name`.
        blockers: the budgets that refuse evictions.
        reasons: why the budgets refuse evictions, and what would help.
    """

    node: str
    state: Literal["Done", "Failed", "Open"]
    evicted: int
    at_s: Annotated[float | None, IF_KNOWN, Field(serialization_alias="at")] = None
    message: Annotated[str, IF_ANY] = ""
    left: tuple[str, ...] = ()
    held: Annotated[tuple[str, ...], IF_ANY] = ()
    blockers: tuple[DrainBlocker, ...] = ()
    reasons: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """A short reason why the drain isn't done."""
        reasons = "; ".join(self.reasons)
        waits = f"{', '.join(self.left)} can't be evicted" if self.left else "its pods take longer"
        if self.held:
            reasons = "; ".join((*self.reasons, WAY_OUT))
            stay = f"{listed(self.held, _NAMED_MAX)} can't end, as the node doesn't answer"
            waits = f"{waits}, and {stay}" if self.left else stay
        waits = self.message or waits
        return f"{waits}: {reasons}" if reasons else waits


class FailedJob(Report, kw_only=True):
    """A Job that fails, or of which some indexes fail.

    Attributes:
        job: the Job, `Job namespace/name`.
        namespace: the namespace of the Job.
        workload: the Job's topmost controller, `Kind namespace/name`; the Job itself without one.
        priority: the highest priority of its pods.
        priority_class: the PriorityClass of the pod with that priority; empty if it names none.
        reason: the reason in the Job's condition, such as `BackoffLimitExceeded`.
        message: the message in the Job's condition.
        indexes: the indexes that fail while the Job goes on, such as `1,3-5`; empty if the whole
            Job fails.
        at_s: when the Job or the first index fails, in seconds since the plan began.
        pods: how many of its pods are lost and not replaced.
    """

    job: str
    namespace: str
    workload: str
    priority: int = 0
    priority_class: OrNull = ""
    reason: str
    message: str
    indexes: Annotated[str, IF_ANY] = ""
    at_s: Seconds
    pods: int = 0


class PodShare(msgspec.Struct, frozen=True):
    """A pod on a node, with its share of the node's CPU or memory, whichever is larger.

    Attributes:
        is_other: whether the pod is on the node only before the plan, or only after it.
    """

    pod: str
    priority: int
    share: float
    is_leaving: bool
    is_other: bool


class NodeFilling(msgspec.Struct, frozen=True):
    """A node on which something changes, with its pods by descending priority."""

    node: str
    before: tuple[PodShare, ...]
    after: tuple[PodShare, ...]


class Rollout(Report):
    """The rollout of a changed workload.

    Attributes:
        workload: the workload, `Kind namespace/name`.
        state: `Complete`, `Stuck` if the rollout makes no more progress, `Paused` if it makes none
            because of `spec.paused`, `Open` if the plan ended before.
        message: what the rollout lacks, in words; empty if it is complete.
        at_s: when it was complete, or known to be stuck, in seconds since the plan began.
        reason: why the rollout isn't complete, in words; empty if unknown.
        way_out: what would let the rollout go on, in words; empty if unknown.
        namespace: the namespace of the workload.
    """

    workload: str
    state: Literal["Complete", "Stuck", "Paused", "Open"]
    message: str = ""
    at_s: Annotated[float | None, IF_KNOWN, Field(serialization_alias="at")] = None
    reason: Annotated[str, IF_ANY] = ""
    way_out: Annotated[str, IF_ANY] = ""
    namespace: str = ""

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
    """A failed node at the end of a plan.

    Attributes:
        node: the name of the node.
        tainted_at_s: when the node got the taint by which pods are evicted, in seconds since the
            plan began; None if it has no such taint.
        on_hold: why no pods are evicted in the node's zone; empty if they are.
    """

    node: str
    tainted_at_s: float | None = None
    on_hold: str = ""

    def why_pod_stays(self, pod: Object, end_s: float) -> str:
        """Describe why a pod is still on the node at the end of the plan, `end_s`."""
        taint = {"key": UNREACHABLE, "effect": NO_EXECUTE}
        tolerations = [one for one in tolerations_of(pod["spec"]) if tolerates(one, taint)]
        spans = [one.get("tolerationSeconds") for one in tolerations]
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
    """An object whose pods aren't simulated, as Podium has no controller for its kind.

    Attributes:
        object: the object, `Kind namespace/name`.
        reason: what is missing from the plan because of the object.
    """

    object: str
    reason: str


class Fate(PodRow, kw_only=True):
    """The outcome for a pod: the name of a node, or a few words."""

    outcome: str


class ChanceOutcome(TypedDict):
    """An outcome for a pod, and with how many seeds it happened."""

    outcome: str
    times: int


class Chance(PodRow, kw_only=True):
    """A pod whose outcome differs between seeds.

    Attributes:
        outcomes: outcomes (the name of a node, or a few words), each with its number of seeds.
    """

    outcomes: Annotated[
        tuple[tuple[str, int], ...],
        PlainSerializer(
            lambda counted: [{"outcome": outcome, "times": times} for outcome, times in counted],
            return_type=list[ChanceOutcome],
        ),
    ]


class Counts(Report, kw_only=True):
    """The totals of a plan.

    Attributes:
        placed: pods that are bound without replacing lost ones.
        preempted: pods that are preempted, each once.
        pending: pods that are pending in the end.
        evicted: pods that are evicted by drains, taints and node pressure.
        recreated: pods that are bound and replace lost ones.
        lost_for_good: lost pods that are never replaced.
        failed_jobs: Jobs that fail, whole or in some of their indexes.
        gated: pods that scheduling gates hold back.
        refused: pods that kubelets reject.
        rejected: objects, and pods of workloads, that the API refuses.
        ignored: pods of other schedulers.
        removed: pods that the changes remove.
        unavailable: workloads without a ready pod for a while.
        budgets_below: budgets that have fewer healthy pods than desired for a while.
    """

    placed: int = 0
    preempted: int = 0
    pending: int = 0
    evicted: int = 0
    recreated: int = 0
    lost_for_good: int = 0
    failed_jobs: int = 0
    gated: int = 0
    refused: int = 0
    rejected: int = 0
    ignored: int = 0
    removed: int = 0
    unavailable: int = 0
    budgets_below: int = 0


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
    until_s: Annotated[float, Field(serialization_alias="untilSeconds")] = 0.0
    interrupted: bool = False
    seeds: int = 1
    chances: tuple[Chance, ...] = ()
    anyway: tuple[Fate, ...] = ()
    optimum: Annotated[Optimum | None, IF_KNOWN] = None
    nodes: Annotated[tuple[NodeFilling, ...], HIDDEN] = ()
    silent_nodes: Annotated[tuple[SilentNode, ...], HIDDEN] = ()
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
