"""The report of a plan, which JSON output prints as it is; pods are named `namespace/name`."""

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
"""Since when something is so: `since`, in seconds since the plan began."""


def time_text(at_s: float) -> str:
    """A time since the beginning of a plan."""
    return f"t+{round(at_s, 1):.12g}s"


@dataclass(frozen=True, slots=True, kw_only=True)
class PodRow(PodReport):
    """A pod, and who it belongs to.

    Attributes:
        workload: its topmost controller, `Kind namespace/name`; itself if it has none.
    """

    workload: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RepeatedRow(PodRow):
    """A pod that fared in a way in which others of its owner may have fared after it.

    Attributes:
        repeats: how many pods fared alike, each as soon as it was created in place of the one
            before; they have no rows of their own.
        repeated_until_s: when the last of them did, in seconds since the plan began; None if there
            were none.
    """

    repeats: Annotated[int, IF_ANY] = 0
    repeated_until_s: Annotated[
        float | None, IF_KNOWN, Field(serialization_alias="repeatedUntil")
    ] = None

    @property
    def times(self) -> str:
        """How often it happened and until when, as the end of a clause; empty if only once."""
        if self.repeated_until_s is None:
            return ""
        return f", {1 + self.repeats} times until {time_text(self.repeated_until_s)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Placement(PodRow):
    """A pod that got a place.

    Attributes:
        node: where it is now.
        by_node_name: its own `spec.nodeName` said so, and no scheduler was asked.
        at_s: when it was bound, in seconds since the plan began.
        overslept_s: how many seconds it had waited before, if no event had woken it and it was
            tried only because it had waited for so long; else None.
        replaces: the lost pod in whose place it comes; empty if in nobody's.
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
    """A pod that no place was found for.

    Attributes:
        message: as in kube-scheduler's FailedScheduling event.
        since_s: when it was created, in seconds since the plan began; 0 if it waited before.
        nominated_node: where it waits for room; empty if nowhere.
        room_at_s: when the last of the pods that leave the nominated node has to be gone, in
            seconds since the plan began; None if none leaves, or the node doesn't answer.
        replaces: the lost pod in whose place it was to come; empty if in nobody's.
        fits_on: the node where it would fit in the end, if no event has woken it; else empty.
        tried_at_s: when such a pod is tried all the same, in seconds since the plan began.
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
        plugin: who keeps it out.
        message: why.
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
        reason: as in the status of the failed pod, such as `OutOfcpu`.
        message: likewise.
        at_s: when it was handed to the node, in seconds since the plan began.
    """

    node: str
    reason: str
    message: str
    at_s: Seconds = 0.0


@dataclass(frozen=True, slots=True)
class RejectedObject(Report):
    """An object that the API would not let in, or pods of a workload.

    Attributes:
        object: `Kind namespace/name`, or how many pods.
        message: why, as the client is told.
        workload: whose pods they are, `Kind namespace/name`; empty for an object of its own.
        count: how many there are.
        namespace: where it is; empty if it stands in none.
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
    """A pod of the state that the changes take away.

    Attributes:
        reason: what takes it away, in words.
        at_s: when it has to go, in seconds since the plan began.
        node: where it was; empty if nowhere.
        is_evicted: it loses its place without it or its workload having been changed.
    """

    reason: str
    at_s: Seconds
    node: Annotated[str, IF_ANY] = ""
    is_evicted: Annotated[bool, HIDDEN] = False


@dataclass(frozen=True, slots=True, kw_only=True)
class IgnoredPod(PodRow):
    """A pod that asks for another scheduler, since when."""

    scheduler_name: str
    since_s: Since = 0.0


@dataclass(frozen=True, slots=True)
class BudgetChange(Report):
    """What becomes of a disruption budget.

    Attributes:
        budget: `namespace/name`.
        namespace: where it is.
        allowed_before: disruptions allowed in the state.
        allowed_after: disruptions allowed at the end of the plan.
        allowed_least: the fewest disruptions allowed in between.
        least_at_s: when that was first so, in seconds since the plan began.
        violated_by: victims whose disruption breaks it.
        sync_failure: why the disruption controller can't compute it, so that it allows no
            disruption; empty if it can.
        is_touched: whether it covers a pod that goes, or another number is allowed.
        healthy_before: how many of its pods were healthy.
        healthy_least: how few were, measured by how many it asked for at the time.
        desired_healthy: how many it asked for then.
        healthy_least_at_s: since when, in seconds since the plan began.
        below_for_s: for how long fewer were healthy than it asks for, and fewer than before, in
            seconds altogether; 0 if it held.
        lost: how many of its pods lose their places through no change of their own, by cause.
        removed: how many of its pods go because of the changes, as in a rollout.
        workloads: whose pods they are, `Kind namespace/name`, if it didn't hold.
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
        """Whether fewer of its pods are healthy for a while than it asks for."""
        return self.below_for_s > 0


class Happening(StrEnum):
    """What can happen to a pod."""

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
        at_s: when, in seconds since the plan began.
        happening: what.
        uid: of the pod.
        node: where the pod is; empty if nowhere.
        detail: the reason, as in the pod's status; empty if there is none.
        by: the pod that is behind it: the preemptor, or the lost pod that a new one replaces.
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
    """Whether a lost pod comes again; with `AFTER_NODE`, once its node ends it, or is deleted."""

    CERTAIN = "Certain"
    SURPLUS = "Surplus"
    NEVER = "Never"
    AFTER_NODE = "AfterNode"
    UNKNOWN = "Unknown"


def why_never(row: PodRow) -> str:
    """Why no other pod comes in place of a lost one, where that is certain."""
    return "its work is lost" if row.owner.startswith("Job ") else "no controller recreates it"


@dataclass(frozen=True, slots=True, kw_only=True)
class Disruption(RepeatedRow):
    """A pod that loses its place through no change of its own.

    Attributes:
        node: where it was.
        at_s: when, in seconds since the plan began.
        cause: what made it lose its place.
        depth: 1 if the changes themselves are behind it, or a pod that waited already; 2 if it
            gives way to a pod that itself comes in place of such a one, and so on.
        comes_again: whether another pod comes in its place; `Surplus` if its controller has as
            many pods as it wants without.
        by: the preemptor; empty if it wasn't preempted.
        message: why the kubelet of its node evicts or stops it, in the kubelet's words, which name
            the resource; empty if something else takes its place away.
        replacement: that pod, of repeated disruptions the last one's; empty if there is none.
        replaced_on: where the replacement is in the end; empty if nowhere.
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
        node: where it was.
        at_s: when, in seconds since the plan, or the step of a rollout, began.
        by: the preemptor.
        by_workload: whose pod that is.
        by_priority: the preemptor's priority.
    """

    node: str
    at_s: Seconds
    by: str
    by_workload: str
    by_priority: int


@dataclass(frozen=True, slots=True, kw_only=True)
class NextPod(Report):
    """A pod that was created in a copy of the cluster, to see what it does to others.

    Attributes:
        is_replacement: whether it comes in place of a pod of the workload that was deleted;
            otherwise it is a pod of its own that requests as much.
        pod: `namespace/name`; empty if none came.
        priority: that admission gave it.
        node: where it was bound; empty if nowhere.
        message: why it wasn't let in, or waits; empty if neither.
        preempted: the pods that lost their places to it and, in turn, to their replacements.
        is_cut_short: whether it was played until so many had lost their places, and no further.
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
        """True if others lose their places."""
        return bool(self.preempted)


@dataclass(frozen=True, slots=True, kw_only=True)
class StalePriority(Report):
    """The running pods of one workload that keep a priority which its next pod doesn't get.

    Attributes:
        workload: `Kind namespace/name`; the pod itself if it has no controller.
        namespace: where the pods are.
        pods: how many of them run.
        priority: that they keep.
        next_priority: of the next pod; null if the API refuses it.
        next_class: PriorityClass of the next pod; null if it has none.
        is_by_default: whether the next pod names no class.
        refusal: why the API refuses the next pod.
        next_pods: what such pods did when they were created in a copy of the cluster; none for
            workloads that aren't among the first.
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
        namespace: where it is.
        priority: the highest among its pods that are concerned.
        priority_class: of that pod; empty if it names none.
        pods: how many it had.
        wanted: how many it is to have in the end.
        lost: how many of them lose their places through no change of their own, by cause.
        recreated: how many of the lost ones have got a place again in the end.
        pending: how many pods wait in the end.
        new: how many pods get a place that replace no lost one.
        removed: how many go because of the changes.
        ready_before: how many were ready.
        ready_least: how few were ready in between.
        ready_least_at_s: since when, in seconds since the plan began.
        ready_least_for_s: for how long, in seconds altogether.
        ready_after: how many are ready in the end.
        is_ready_in_the_end: whether at least as many are ready at the end as were before.
        is_unavailable: whether none of its pods is ready for a while, though some were before, and
            some are to be; never of pods that run to their end, as those of Jobs.
        serves: whether its pods are to run on and on.
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
        """The smallest share of its pods that is ready; 1 if it had none.

        Its pods are those that it had, or is to have in the end if these are fewer.
        """
        counted = min(self.pods, self.wanted)
        return self.ready_least / counted if counted else 1.0


@dataclass(frozen=True, slots=True)
class DrainBlocker(Report):
    """A budget in the way of a drain.

    Attributes:
        budget: `namespace/name`.
        pods: those of the node that it selects, and that are still to go.
        reason: why it refuses their eviction.
        remedies: changes of which each was seen to have it let one of them go.
    """

    budget: str
    pods: Sequence[str]
    reason: str = ""
    remedies: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """Why it refuses, and what would help, in one sentence."""
        return advised(self.reason, self.remedies)


@dataclass(frozen=True, slots=True, kw_only=True)
class Drainage(Report):
    """A node that is to be drained.

    Attributes:
        node: its name.
        state: `Done`, `Failed` if it can't be, `Open` if the plan ended before.
        evicted: how many pods were evicted.
        at_s: when it was done, in seconds since the plan began.
        message: why it failed.
        left: the pods that are still to go, `namespace/name`.
        held: the pods that have to go and stay, as the node doesn't answer, likewise.
        blockers: the budgets that select them.
        reasons: what keeps them, which budget, and what would help.
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
        """What keeps it from being done, in a few words."""
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
        namespace: where it is.
        workload: its topmost controller, `Kind namespace/name`; itself if it has none.
        priority: of its pods, the highest.
        priority_class: of that pod; empty if it names none.
        reason: as in the Job's condition, such as `BackoffLimitExceeded`.
        message: likewise.
        indexes: the indexes that fail while the Job goes on, such as `1,3-5`; empty if all of the
            Job fails.
        at_s: when that is settled, in seconds since the plan began.
        pods: how many of its pods lose their places because of that or before, and aren't replaced.
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
        is_other: whether it isn't there on the other side.
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
    """A workload that the changes concern, and how far its pods are as it wants them.

    Attributes:
        workload: `Kind namespace/name`.
        state: `Complete`, `Stuck` if nothing moves any more, `Paused` if nothing moves as
            `spec.paused` is set, `Open` if the plan ended before.
        message: what is lacking, in words; empty if nothing is.
        at_s: when it was complete, or known to be stuck, in seconds since the plan began.
        reason: why it isn't complete, in words; empty where that isn't known.
        way_out: what would let it go on, in words; empty where that isn't known.
        namespace: where the workload is.
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
        """What is lacking, and why."""
        text = f"{self.message}: {self.reason}" if self.reason else self.message
        return f"{text}; {self.way_out}" if self.way_out else text

    @property
    def is_stuck(self) -> bool:
        """Whether it comes to no end."""
        return self.state == "Stuck"

    @property
    def is_open(self) -> bool:
        """Whether the plan ended before it did."""
        return self.state == "Open"


@dataclass(frozen=True, slots=True, kw_only=True)
class SilentNode(Report):
    """A node that has fallen silent, as it is in the end.

    Attributes:
        node: its name.
        tainted_at_s: since when its pods are evicted unless they tolerate that, in seconds since
            the plan began; None if they aren't.
        on_hold: why nothing is evicted from its zone; empty if that isn't so.
    """

    node: str
    tainted_at_s: float | None = None
    on_hold: str = ""

    def why_pod_stays(self, pod: Object, end_s: float) -> str:
        """Why a pod is still on the node when the plan ends, at `end_s`."""
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
    """An object whose pods a controller makes that Podium doesn't play in a plan.

    Attributes:
        object: `Kind namespace/name`.
        reason: what is missing from the plan because of it.
    """

    object: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Fate(PodRow):
    """What comes of a pod: the name of a node, or a few words."""

    outcome: str


class ChanceOutcome(TypedDict):
    """What comes of a pod, and how many times."""

    outcome: str
    times: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Chance(PodRow):
    """A pod whose fate depends on chance.

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
        placed: pods that get a place and replace no lost one.
        preempted: pods that lose their place to others, each once.
        pending: pods that wait in the end.
        evicted: pods that lose their place to drains, taints and pressure.
        recreated: pods that get a place in place of lost ones.
        lost_for_good: lost pods that nobody recreates.
        failed_jobs: Jobs that fail, whole or in some of their indexes.
        gated: pods that may not be tried.
        refused: pods that nodes don't take.
        rejected: objects, and pods of workloads, that the API doesn't let in.
        ignored: pods that ask for other schedulers.
        removed: pods that go because of the changes.
        unavailable: workloads of which no pod is ready for a while.
        budgets_below: budgets of which fewer pods are healthy for a while than they ask for.
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

    `counts` sums up. `until_s` says for how long it was played, in seconds, and `seeds` how many
    times; all but `chances` is of the first time. `interrupted` says that there would have been
    more. `stale_priorities` has the running pods whose successors get another priority.
    `anyway` has what would happen without the changes, too, `optimum` the least disruption, if
    asked for, `nodes` what is on those of them where anything changes, likewise, `silent_nodes`
    those that have fallen silent.
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
