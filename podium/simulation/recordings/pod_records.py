"""The pods of a recording, with their bindings and their ends.

Bindings, nominations, conditions and preemptions by the scheduler are separated from other changes,
as a replay decides about them again.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, Self

import msgspec

from podium.api.objects import Object, condition_of, controller_of, is_terminating, key, uid
from podium.api.pods import is_finished, node_name_of, nominated_node_of, scheduler_name_of
from podium.api.policy.disruption_target import BY_EVICTION, PREEMPTED, Cause, cause_of
from podium.api.priority import pod_priority
from podium.simulation.recordings.pod_states import is_decided_on
from podium.simulation.recordings.segments import Recording

_NOMINATION_S = 30.0
"""The longest time between a nomination and the deletion of its victims."""


class Nomination(NamedTuple):
    """A nomination of a pod to a node; `number` is the index of the change that made it."""

    at_s: float
    number: int
    node: str


class PodRecord(msgspec.Struct):
    """A pod in a recording; times are in seconds since the epoch."""

    first: Object
    last: Object
    created_s: float | None
    """When the pod was created; None if it existed at the beginning."""
    given_node: str = ""
    """The node to which it was bound when first seen; empty if it wasn't bound."""
    node: str = ""
    """The node to which it was bound; empty if it never was."""
    bound_s: float | None = None
    """When it was bound; None if it was bound when first seen, or never."""
    nominations: list[Nomination] = msgspec.field(default_factory=list)
    turned_to_s: float | None = None
    """When a scheduler first tried it; None if none did."""
    message: str = ""
    """The last reason why it couldn't be scheduled."""
    statuses: list[tuple[float, Object]] = msgspec.field(default_factory=list)
    """Statuses written by its node between its binding and its termination, with times."""
    leaving_s: float | None = None
    """When it began to terminate, or was deleted; None if neither."""
    gone_s: float | None = None
    lost_s: float = 0.0
    """When it began to terminate, or failed, by the disruption in `cause`."""
    cause: Cause | None = None
    """Why it was disrupted; None if it wasn't."""
    preemptor: str = ""
    """Uid of the pod that preempted it; empty if none did, or if it is unknown."""
    replaced_by: str = ""
    """Uid of the pod that its controller created in its place."""

    @classmethod
    def begun(cls, pod: Object, at_s: float, number: int, *, exists: bool) -> Self:
        """Make the record of a pod when first seen; `exists` means from before the recording."""
        node = node_name_of(pod)
        record = cls(pod, pod, None if exists else at_s, node, node)
        record.see(pod, at_s, number, is_first=True)
        return record

    @property
    def key(self) -> str:
        return key(self.first)

    @property
    def owner(self) -> str:
        """The uid of the controller that replaces the pod if it is lost; empty if there is none."""
        owner = controller_of(self.first)
        return "" if owner is None or owner.get("kind") == "Node" else str(owner.get("uid") or "")

    @property
    def scheduler_name(self) -> str:
        return scheduler_name_of(self.first)

    @property
    def was_preempted(self) -> bool:
        return self.cause is not None and self.cause.group == PREEMPTED

    @property
    def was_lost(self) -> bool:
        """Return whether the pod was disrupted by preemption or its node, not by an eviction."""
        return self.cause is not None and self.cause is not BY_EVICTION

    def see(self, pod: Object, at_s: float, number: int, *, is_first: bool = False) -> None:
        """Record a new state of the pod; `number` is the index of the change."""
        old = None if is_first else self.last
        node, nominated = node_name_of(pod), nominated_node_of(pod)
        if node and not self.node:
            self.node, self.bound_s = node, at_s
        if nominated and (old is None or nominated != nominated_node_of(old)):
            self.nominations.append(Nomination(at_s, number, nominated))
        condition = condition_of(pod, "PodScheduled")
        if condition is not None and condition.get("status") == "False":
            self.message = str(condition.get("message") or "")
        if self.turned_to_s is None and is_decided_on(pod):
            self.turned_to_s = at_s
        if is_terminating(pod):
            self.leave(pod, at_s)
        elif node and old is not None and pod.get("status") != old.get("status"):
            self.statuses.append((at_s, pod["status"]))
        if old is not None and is_finished(pod) and not is_finished(old) and cause_of(pod):
            self._lose(pod, at_s)

    def leave(self, pod: Object, at_s: float) -> None:
        """Record that the pod began to terminate, or was deleted."""
        if self.leaving_s is None:
            self.leaving_s = at_s
            self._lose(pod, at_s)

    def _lose(self, pod: Object, at_s: float) -> None:
        if self.cause is None:
            self.cause, self.lost_s = cause_of(pod), at_s


class PreemptionRecord(msgspec.Struct, frozen=True):
    """A preemption of a recording or a replay, by the uids of the recorded pods."""

    at_s: float
    preemptor: str
    """Uid of the preemptor; empty if unknown."""
    node: str
    victims: frozenset[str]
    reason: str = ""
    """Why the preemptor fitted no node in a replay; empty in a recording."""

    @property
    def identity(self) -> tuple[str, str, frozenset[str]]:
        return self.preemptor, self.node, self.victims


def is_lost(pod: Object) -> bool:
    """Return whether a pod is disrupted for a cause that depends on its node, as preemption."""
    cause = cause_of(pod)
    return cause is not None and cause is not BY_EVICTION


def pod_records(recording: Recording) -> dict[str, PodRecord]:
    """Return all pods of a recording by uid, in the order in which they were first seen."""
    records: dict[str, PodRecord] = {}
    for obj in recording.state:
        if obj.get("kind") == "Pod":
            records[uid(obj)] = PodRecord.begun(obj, recording.started_s, 0, exists=True)
    for number, change in enumerate(recording.changes):
        if change.kind != "Pod":
            continue
        pod, at_s = change.obj, change.at_s
        record = records.get(uid(pod))
        if record is None:
            record = records[uid(pod)] = PodRecord.begun(pod, at_s, number, exists=False)
        elif change.new is not None:
            record.see(pod, at_s, number)
        if change.new is None:
            record.gone_s = at_s
            record.leave(pod, at_s)
        record.last = pod
    _name_preemptors(records)
    _name_replacements(records)
    return records


def _name_preemptors(records: Mapping[str, PodRecord]) -> None:
    # By the nominations: watch events don't say for which pod a victim is deleted.
    nominated: dict[str, list[tuple[Nomination, str]]] = {}
    for pod_uid, record in records.items():
        for nomination in record.nominations:
            nominated.setdefault(nomination.node, []).append((nomination, pod_uid))
    for record in records.values():
        leaving_s, priority = record.leaving_s, pod_priority(record.first)
        if not record.was_preempted or leaving_s is None:
            continue
        preemptors = [
            (abs(nomination.at_s - leaving_s), nomination.number, pod_uid)
            for nomination, pod_uid in nominated.get(record.node, ())
            if abs(nomination.at_s - leaving_s) <= _NOMINATION_S
            and pod_priority(records[pod_uid].first) > priority
        ]
        record.preemptor = min(preemptors)[2] if preemptors else ""


def _name_replacements(records: Mapping[str, PodRecord]) -> None:
    # By the controllers: the next pod that a controller creates after a loss replaces the lost one.
    created: dict[str, list[tuple[float, str]]] = {}
    for pod_uid, record in records.items():
        if record.created_s is not None and record.owner:
            created.setdefault(record.owner, []).append((record.created_s, pod_uid))
    lost = [record for record in records.values() if record.was_lost and record.owner]
    for record in sorted(lost, key=lambda record: record.lost_s):
        candidates = created.get(record.owner, [])
        replacement = next((one for one in candidates if one[0] >= record.lost_s), None)
        if replacement is not None:
            candidates.remove(replacement)
            record.replaced_by = replacement[1]


def recorded_preemptions(records: Mapping[str, PodRecord]) -> list[PreemptionRecord]:
    """Return the recorded preemptions by time; a preemptor may preempt repeatedly on a node."""
    victims: dict[tuple[str, str], list[tuple[float, str]]] = {}
    for pod_uid, record in records.items():
        if record.was_preempted and record.leaving_s is not None:
            turn = record.preemptor, record.node
            victims.setdefault(turn, []).append((record.leaving_s, pod_uid))
    preemptions = [
        PreemptionRecord(group[0][0], preemptor, node, frozenset(victim for _, victim in group))
        for (preemptor, node), deletions in victims.items()
        for group in _without_long_breaks(sorted(deletions))
    ]
    return sorted(preemptions, key=lambda one: (one.at_s, one.preemptor, one.node))


def _without_long_breaks(
    deletions: Sequence[tuple[float, str]],
) -> Iterator[list[tuple[float, str]]]:
    group: list[tuple[float, str]] = []
    for deletion in deletions:
        if group and deletion[0] > group[-1][0] + _NOMINATION_S:
            yield group
            group = []
        group.append(deletion)
    yield group
