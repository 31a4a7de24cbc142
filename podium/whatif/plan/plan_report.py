"""The report of a plan, as JSON output prints it; pods are named `namespace/name`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
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
from podium.api.pod_specs import tolerations_of
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
    """Write a time since the beginning of a plan, such as `t+30s`."""
    return f"t+{round(at_s, 1):.12g}s"


@dataclass(frozen=True, slots=True, kw_only=True)
class PodRow(PodReport):
    """A pod and its workload.

    Attributes:
        workload: its topmost controller, `Kind namespace/name`; itself if it has none.
    """

    workload: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RepeatedRow(PodRow):
    """A pod whose replacements may have met with an equal fate.

    Attributes:
        repeats: how many replacements met with it, each as soon as it was created; they have no
            rows of their own.
        repeated_until_s: when the last of them did, in seconds since the plan began; None if there
            were none.
    """

    repeats: Annotated[int, IF_ANY] = 0
    repeated_until_s: Annotated[
        float | None, IF_KNOWN, Field(serialization_alias="repeatedUntil")
    ] = None

    @property
    def times(self) -> str:
        """The end of a clause: how often the row happened, and until when; empty if once."""
        if self.repeated_until_s is None:
            return ""
        return f", {1 + self.repeats} times until {time_text(self.repeated_until_s)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Placement(PodRow):
    """A pod that got a place.

    Attributes:
        node: the node that it is bound to.
        by_node_name: whether its own `spec.nodeName` named the node, without a scheduler.
        at_s: when it was bound, in seconds since the plan began.
        overslept_s: for how many seconds it had waited, if no event had woken it and it was tried
            only because of the long wait; else None.
        replaces: the lost pod that it replaces; empty if none.
    """

    node: str
    by_node_name: Annotated[bool, HIDDEN] = False
    at_s: Seconds = 0.0
    overslept_s: Annotated[
        float | None, IF_KNOWN, Field(serialization_alias="oversleptSeconds")
    ] = None
    replaces: Annotated[str, IF_ANY] = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PendingPod(PodRow):
    """A pod that waits in the end.

    Attributes:
        message: as in kube-scheduler's FailedScheduling event.
        since_s: when it was created, in seconds since the plan began; 0 if it waited before.
        nominated_node: the node on which it waits for room; empty if none.
        room_at_s: when the last pod that leaves the nominated node has to be gone, in seconds
            since the plan began; None if no pod leaves, or the node doesn't answer.
        replaces: the lost pod that it replaces; empty if none.
        fits_on: the node where it would fit in the end, if no event has woken it; else empty.
        tried_at_s: when such a pod is tried without an event, in seconds since the plan began.
    """

    message: str
    since_s: Since = 0.0
    nominated_node: Annotated[str, IF_ANY] = ""
    room_at_s: Annotated[float | None, IF_KNOWN, Field(serialization_alias="roomAt")] = None
    replaces: Annotated[str, IF_ANY] = ""
    fits_on: Annotated[str, IF_ANY] = ""
    tried_at_s: Annotated[float | None, IF_KNOWN, Field(serialization_alias="triedAt")] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GatedPod(PodRow):
    """A pod that isn't queued yet.

    Attributes:
        plugin: the plugin that keeps it out of the queue.
        message: why it does.
        since_s: when it was created, in seconds since the plan began; 0 if it was there before.
    """

    plugin: str
    message: str
    since_s: Since = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeRefusal(RepeatedRow):
    """A pod that named its node and is refused by it.

    Attributes:
        node: the node that it named.
        reason: of the failed pod's status, such as `OutOfcpu`.
        message: of the failed pod's status.
        at_s: when it was handed to the node, in seconds since the plan began.
    """

    node: str
    reason: str
    message: str
    at_s: Seconds = 0.0


@dataclass(frozen=True, slots=True)
class RejectedObject(Report):
    """An object, or pods of a workload, that the API refused.

    Attributes:
        object: `Kind namespace/name`, or how many pods.
        message: the API's message.
        workload: of the pods, `Kind namespace/name`; empty for another object.
        count: how many objects there are.
        namespace: of the object; empty if it has none.
        at_s: when it was refused first, in seconds since the plan began.
    """

    object: str
    message: str
    workload: Annotated[str, IF_ANY] = ""
    count: int = 1
    namespace: OrNull = ""
    at_s: Seconds = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class RemovedPod(PodRow):
    """A pod of the state that the changes remove.

    Attributes:
        reason: why it is removed, in words.
        at_s: when it has to go, in seconds since the plan began.
        node: the node that it was on; empty if none.
        is_evicted: whether neither it nor its workload was changed.
    """

    reason: str
    at_s: Seconds
    node: Annotated[str, IF_ANY] = ""
    is_evicted: Annotated[bool, HIDDEN] = False


@dataclass(frozen=True, slots=True, kw_only=True)
class IgnoredPod(PodRow):
    """A pod that asks for another scheduler."""

    scheduler_name: str
    since_s: Since = 0.0


@dataclass(frozen=True, slots=True)
class BudgetChange(Report):
    """The course of a disruption budget.

    Attributes:
        budget: `namespace/name`.
        namespace: of the budget.
        allowed_before: disruptions allowed in the state.
        allowed_after: disruptions allowed at the end of the plan.
        allowed_least: the fewest disruptions allowed in between.
        least_at_s: when that was first so, in seconds since the plan began.
        violated_by: victims whose disruption breaks it.
        sync_failure: why the disruption controller can't compute the budget, which then allows no
            disruption; empty if it can.
        is_touched: whether it covers a pod that goes, or its allowed disruptions change.
        healthy_before: how many of its pods were healthy before.
        healthy_least: how many were healthy when most were missing to what it asked for.
        desired_healthy: how many healthy pods it asked for then.
        healthy_least_at_s: since when, in seconds since the plan began.
        below_for_s: for how many seconds altogether fewer pods were healthy than it asked for, and
            fewer than before; 0 if never.
        lost: how many of its pods lose their places through no change of their own, by cause.
        removed: how many of its pods the changes remove, as in a rollout.
        workloads: of these pods, `Kind namespace/name`, if too few were healthy.
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
        """True if fewer pods are healthy for a while than the budget asks for."""
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment(RepeatedRow):
    """A line of the timeline.

    Attributes:
        at_s: when it happened, in seconds since the plan began.
        happening: what happened.
        uid: of the pod.
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
    """Whether a lost pod is replaced; with `AFTER_NODE`, once its node ends it, or is deleted."""

    CERTAIN = "Certain"
    SURPLUS = "Surplus"
    NEVER = "Never"
    AFTER_NODE = "AfterNode"
    UNKNOWN = "Unknown"


def why_never(row: PodRow) -> str:
    """Say why a lost pod is certainly not replaced."""
    return "its work is lost" if row.owner.startswith("Job ") else "no controller recreates it"


@dataclass(frozen=True, slots=True, kw_only=True)
class Disruption(RepeatedRow):
    """A pod that loses its place through no change of its own.

    Attributes:
        node: the node that it was on.
        at_s: when it lost its place, in seconds since the plan began.
        cause: why it lost its place.
        depth: 1 if the changes, or a pod that waited already, took its place; 2 if the replacement
            of a pod of depth 1 did, and so on.
        comes_again: whether another pod replaces it; `Surplus` if its controller has all the pods
            that it wants without it.
        by: the preemptor; empty if it wasn't preempted.
        message: of the kubelet that evicts or stops it, which names the resource; empty if no
            kubelet does.
        replacement: the pod that replaces it, of repeated disruptions the last one; empty if none.
        replaced_on: the node of the replacement in the end; empty if none.
        replaced_at_s: when the replacement was bound; None if it wasn't.
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


@dataclass(frozen=True, slots=True, kw_only=True)
class PreemptedPod(PodRow):
    """A pod that is preempted, and its preemptor.

    Attributes:
        node: the node that it was on.
        at_s: when, in seconds since the plan, or the step of a rollout, began.
        by: the preemptor.
        by_workload: the workload of the preemptor.
        by_priority: the priority of the preemptor.
    """

    node: str
    at_s: Seconds
    by: str
    by_workload: str
    by_priority: int


@dataclass(frozen=True, slots=True, kw_only=True)
class NextPod(Report):
    """A pod that was created in a copy of the cluster, to see which pods it preempts.

    Attributes:
        is_replacement: whether it replaces a deleted pod of the workload; otherwise it is a pod
            with equal requests and without a controller.
        pod: `namespace/name`; empty if none was created.
        priority: the priority that admission gave it.
        node: the node that it was bound to; empty if none.
        message: why the API refused it, or why it waits; empty if neither.
        preempted: the pods that it and, in turn, the replacements of these preempt.
        is_cut_short: whether the play ended at this number of preempted pods.
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


@dataclass(frozen=True, slots=True, kw_only=True)
class StalePriority(Report):
    """The running pods of one workload that keep a priority which its next pod doesn't get.

    Attributes:
        workload: `Kind namespace/name`; the pod itself if it has no controller.
        namespace: of the pods.
        pods: how many pods keep the priority.
        priority: the priority that they keep.
        next_priority: of the next pod; null if the API refuses it.
        next_class: PriorityClass of the next pod; null if it has none.
        is_by_default: whether the next pod names no class.
        refusal: why the API refuses the next pod.
        next_pods: next pods that were tried in a copy of the cluster; none for workloads that
            aren't among the first.
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
        """True if the next pod is refused, or costs others their places."""
        return bool(self.refusal) or any(one.is_harmful for one in self.next_pods)


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkloadSummary(Report):
    """The effects of a plan on one workload, or on a pod without one.

    Attributes:
        workload: `Kind namespace/name`.
        namespace: of the workload.
        priority: the highest priority of its pods that are concerned.
        priority_class: of that pod; empty if it names none.
        pods: how many pods it had.
        wanted: how many pods it is to have in the end.
        lost: how many pods lose their places through no change of their own, by cause.
        recreated: how many lost pods are replaced by bound ones in the end.
        pending: how many pods wait in the end.
        new: how many pods get a place without replacing lost ones.
        removed: how many pods the changes remove.
        ready_before: how many pods were ready before.
        ready_least: the fewest pods that were ready.
        ready_least_at_s: since when so few were ready, in seconds since the plan began.
        ready_least_for_s: for how many seconds altogether so few were ready.
        ready_after: how many pods are ready in the end.
        is_ready_in_the_end: whether at least as many are ready at the end as were before.
        is_unavailable: whether no pod is ready for a while, though some were before, and some are
            to be; never of pods that run to their end, such as those of Jobs.
        serves: whether its pods restart always.
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

        It is a share of the pods before, or of the wanted ones if these are fewer.
        """
        counted = min(self.pods, self.wanted)
        return self.ready_least / counted if counted else 1.0


@dataclass(frozen=True, slots=True)
class DrainBlocker(Report):
    """A budget in the way of a drain.

    Attributes:
        budget: `namespace/name`.
        pods: pods of the node that it selects, and that have to go.
        reason: why it refuses their eviction.
        remedies: changes, each of which was seen to let one of them go.
    """

    budget: str
    pods: Sequence[str]
    reason: str = ""
    remedies: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """A sentence that says why the budget allows no eviction, and what would help."""
        return advised(self.reason, self.remedies)


@dataclass(frozen=True, slots=True, kw_only=True)
class Drainage(Report):
    """A node that is to be drained.

    Attributes:
        node: the name of the node.
        state: `Done`, `Failed` if it can't be drained, `Open` if the plan ended before.
        evicted: how many pods were evicted.
        at_s: when it was done, in seconds since the plan began.
        message: why it failed.
        left: the pods that still have to go, `namespace/name`.
        held: the pods that have to go and stay, as the node doesn't answer, `namespace/name`.
        blockers: the budgets that select the pods that still have to go.
        reasons: why these pods stay, by which budget, and what would help.
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
        """A short reason for which the drain isn't done."""
        reasons = "; ".join(self.reasons)
        waits = f"{', '.join(self.left)} can't be evicted" if self.left else "its pods take longer"
        if self.held:
            reasons = "; ".join((*self.reasons, WAY_OUT))
            stay = f"{listed(self.held, _NAMED_MAX)} can't end, as the node doesn't answer"
            waits = f"{waits}, and {stay}" if self.left else stay
        waits = self.message or waits
        return f"{waits}: {reasons}" if reasons else waits


@dataclass(frozen=True, slots=True, kw_only=True)
class FailedJob(Report):
    """A Job that fails, or an indexed one of which some indexes do.

    Attributes:
        job: `Job namespace/name`.
        namespace: of the Job.
        workload: its topmost controller, `Kind namespace/name`; itself if it has none.
        priority: the highest priority of its pods.
        priority_class: of that pod; empty if it names none.
        reason: of the Job's condition, such as `BackoffLimitExceeded`.
        message: of the Job's condition.
        indexes: the indexes that fail while the Job goes on, such as `1,3-5`; empty if the whole
            Job fails.
        at_s: when it fails, in seconds since the plan began.
        pods: how many of its pods lose their places and aren't replaced.
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
    """A pod on a node, with its share of CPU or memory, whichever is more.

    Attributes:
        is_other: whether it is on the node only before, or only after.
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


@dataclass(frozen=True, slots=True)
class Rollout(Report):
    """The rollout of a changed workload.

    Attributes:
        workload: `Kind namespace/name`.
        state: `Complete`, `Stuck` if it makes no more progress, `Paused` if it makes none because
            of `spec.paused`, `Open` if the plan ended before.
        message: what is lacking, in words; empty if nothing is.
        at_s: when it was complete, or known to be stuck, in seconds since the plan began.
        reason: why it isn't complete, in words; empty if that isn't known.
        way_out: what would let it go on, in words; empty if that isn't known.
        namespace: of the workload.
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
        """The parts of the rollout that are lacking, the reason, and what would help."""
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


@dataclass(frozen=True, slots=True, kw_only=True)
class SilentNode(Report):
    """A node that has failed, at the end of a plan.

    Attributes:
        node: the name of the node.
        tainted_at_s: since when its pods are evicted unless they tolerate its taint, in seconds
            since the plan began; None if it has none.
        on_hold: why no pods are evicted from its zone; empty if they are.
    """

    node: str
    tainted_at_s: float | None = None
    on_hold: str = ""

    def why_pod_stays(self, pod: Object, end_s: float) -> str:
        """Say why a pod is still on the node when the plan ends, at `end_s`."""
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


@dataclass(frozen=True, slots=True)
class Unplayed(Report):
    """An object whose pods aren't in the plan, as Podium has no controller for it.

    Attributes:
        object: `Kind namespace/name`.
        reason: what is missing from the plan because of it.
    """

    object: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Fate(PodRow):
    """The outcome for a pod: the name of a node, or a few words."""

    outcome: str


class ChanceOutcome(TypedDict):
    """The outcome for a pod, and how many times it happened."""

    outcome: str
    times: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Chance(PodRow):
    """A pod whose outcome depends on chance.

    Attributes:
        outcomes: how often each outcome happened: the name of a node, or a few words.
    """

    outcomes: Annotated[
        tuple[tuple[str, int], ...],
        PlainSerializer(
            lambda counted: [{"outcome": outcome, "times": times} for outcome, times in counted],
            return_type=list[ChanceOutcome],
        ),
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts(Report):
    """The totals of a plan.

    Attributes:
        placed: pods that get a place without replacing lost ones.
        preempted: pods that are preempted, each once.
        pending: pods that wait in the end.
        evicted: pods that lose their places to drains, taints and pressure.
        recreated: pods that get a place and replace lost ones.
        lost_for_good: lost pods that are never replaced.
        failed_jobs: Jobs that fail, whole or in some of their indexes.
        gated: pods that their scheduling gates hold back.
        refused: pods that nodes refuse.
        rejected: objects, and pods of workloads, that the API refuses.
        ignored: pods that ask for other schedulers.
        removed: pods that the changes remove.
        unavailable: workloads without a ready pod for a while.
        budgets_below: budgets that ask for more healthy pods for a while than there are.
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


@dataclass(frozen=True, slots=True)
class Plan(Report):
    """The outcome of a plan; each list is in the order in which things happen.

    `until_s` says for how many seconds the plan was played, `seeds` how many times; everything but
    `chances` is of the first time. After Ctrl-C it is `interrupted`. `stale_priorities` lists
    running pods whose successors get another priority, `anyway` what would happen without the
    changes as well, `optimum` the least disruption, `nodes` the nodes whose pods change, and
    `silent_nodes` the failed ones.
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
