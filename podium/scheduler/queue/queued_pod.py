"""A pod in the queue, with its attempts and the plugins that rejected it last."""

from enum import StrEnum
from typing import Any, NamedTuple

import msgspec

from podium.scheduler.framework.status import Status
from podium.scheduler.queue.queue_events import UNSCHEDULABLE_TIMEOUT
from podium.scheduler.snapshot.pod_classes import PodClass
from podium.scheduler.snapshot.pod_info import PodInfo

Plugins = frozenset[str]

NO_PLUGINS: Plugins = frozenset()


class QueueName(StrEnum):
    """Where a pod is; the first four are the `queue` label of `scheduler_pending_pods`."""

    ACTIVE = "active"
    """To be scheduled in its turn."""
    BACKOFF = "backoff"
    """To be retried when its backoff is over, or when no pod is active."""
    UNSCHEDULABLE = "unschedulable"
    """Rejected; waits for an event that may help."""
    GATED = "gated"
    """Refused by PreEnqueue; waits for an event that the refusing plugin registered for."""
    IN_FLIGHT = "in flight"
    """Popped: it is being scheduled or bound."""
    DONE = "done"
    """Removed from the queue; requeued if its binding fails."""
    DELETED = "deleted"
    """Removed from the queue for good."""


class Rejection(NamedTuple):
    """The plugins that rejected pods; pods with equal rejections form a group.

    `pending` has the plugins that wait for something outside the scheduler, `gate` the plugin that
    gates the pods in PreEnqueue, if any.
    """

    scheduler_name: str
    unschedulable: Plugins
    pending: Plugins
    gate: str


class QueuedPod(msgspec.Struct, eq=False):
    """One pod in the queue, or popped from it (QueuedPodInfo of v1.36). Times are in seconds."""

    pod: PodInfo
    scheduler_name: str
    added_at_s: float
    """When it was added, or its last attempt failed; orders pods of equal priority."""
    turn: int
    """Orders pods of equal `added_at_s`."""
    place: QueueName = QueueName.DONE
    attempts: int = 0
    unschedulable_count: int = 0
    consecutive_errors: int = 0
    """Number of errors since it was last rejected."""
    initial_attempt_s: float | None = None
    """When it first entered the active queue; None if it never did."""
    unschedulable_plugins: Plugins = NO_PLUGINS
    pending_plugins: Plugins = NO_PLUGINS
    gated_by: Status | None = None
    """The refusal by the PreEnqueue plugin that gates it, if any."""
    backoff_until_s: float = float("-inf")
    flush_from_s: float = float("-inf")
    """Since when it has waited for an event."""
    woken_by: str = ""
    """The label of the event that last requeued it; empty if none has."""
    was_rejected: bool = False
    """Whether an earlier scheduler rejected it, and it hasn't been tried since."""
    entry: tuple[Any, ...] | None = None
    bucket: tuple[Rejection, PodClass] | None = None

    @property
    def uid(self) -> str:
        return self.pod.uid

    def begin(self) -> None:
        self.place = QueueName.IN_FLIGHT
        self.attempts += 1
        self.unschedulable_plugins = self.pending_plugins = NO_PLUGINS

    @property
    def has_overslept(self) -> bool:
        return self.woken_by == UNSCHEDULABLE_TIMEOUT.label

    @property
    def is_rejected(self) -> bool:
        """Whether plugins rejected the pod at its last attempt; if not, it failed by an error."""
        return bool(self.unschedulable_plugins or self.pending_plugins)

    @property
    def rejection(self) -> Rejection:
        return Rejection(
            self.scheduler_name,
            self.unschedulable_plugins,
            self.pending_plugins,
            self.gated_by.plugin if self.gated_by else "",
        )
