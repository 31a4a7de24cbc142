"""The fate of each pod in a recording, and its cause.

What the scheduler did is told apart from what users, controllers and nodes did: its bindings,
nominations, conditions and victims are what a replay decides anew.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

import msgspec

from podium.api.objects import Object, condition_of, controller_of, is_terminating, key, uid
from podium.api.pods import is_finished, node_name_of, nominated_node_of, scheduler_name_of
from podium.api.policy.disruption_target import BY_EVICTION, PREEMPTED, Cause, cause_of
from podium.api.priority import pod_priority
from podium.simulation.recordings.pod_states import is_decided_on
from podium.simulation.recordings.segments import RecordedChange, Recording

_NOMINATION_S = 30.0
"""How far a nomination may be from the moment at which its victims are told to go."""


class Nomination(NamedTuple):
    """A pod was seen nominated to a node, as the so manieth of all that changed."""

    at_s: float
    number: int
    node: str


class PodRecord(msgspec.Struct):
    """A pod in a recording; times are in seconds since the epoch.

    Attributes:
        created_s: when it was first seen; None if it was there at the beginning.
        given_node: where it was when it was first seen; empty if nowhere.
        node: where it has been bound to; empty if nowhere.
        bound_s: when it was seen bound; None if it was first seen so, or never was.
        turned_to_s: when a scheduler was first seen to have turned to it; None if never.
        message: why it couldn't be scheduled, at last.
        statuses: what its node has said of it since it was bound, until it was told to go.
        leaving_s: when it was seen to be told to go, or gone; None if it stays.
        lost_s: when it was seen to be told to go, or to have failed for what happened to its node.
        cause: why it had to go, if that is known.
        preemptor: uid of the pod that it gave way to; empty if to none, or if nobody knows.
        replaced_by: uid of the pod that its controller made in its place.
    """

    first: Object
    last: Object
    created_s: float | None
    given_node: str = ""
    node: str = ""
    bound_s: float | None = None
    nominations: list[Nomination] = msgspec.field(default_factory=list)
    turned_to_s: float | None = None
    message: str = ""
    statuses: list[tuple[float, Object]] = msgspec.field(default_factory=list)
    leaving_s: float | None = None
    gone_s: float | None = None
    lost_s: float = 0.0
    cause: Cause | None = None
    preemptor: str = ""
    replaced_by: str = ""

    @property
    def key(self) -> str:
        return key(self.first)

    @property
    def owner(self) -> str:
        """The uid of its controller; empty if it has none that would replace it."""
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
        """Whether it had to go for what only holds where it was: for a preemptor, or its node."""
        return _is_loss(self.cause)


class PreemptionRecord(msgspec.Struct, frozen=True):
    """A preemption of a recording or a replay, by the uids of the recorded pods.

    Attributes:
        preemptor: empty if it isn't known.
        reason: why a replay needed it; empty in a recording.
    """

    at_s: float
    preemptor: str
    node: str
    victims: frozenset[str]
    reason: str = ""

    @property
    def identity(self) -> tuple[str, str, frozenset[str]]:
        return self.preemptor, self.node, self.victims


def is_lost(pod: Object) -> bool:
    """Whether a pod has to go for what only holds where it is."""
    return _is_loss(cause_of(pod))


def _is_loss(cause: Cause | None) -> bool:
    return cause is not None and cause is not BY_EVICTION


def pod_records(recording: Recording) -> dict[str, PodRecord]:
    """All pods of a recording by uid, in the order in which they were first seen."""
    records: dict[str, PodRecord] = {}
    for obj in recording.state:
        if obj.get("kind") == "Pod":
            records[uid(obj)] = _first_seen(obj, recording.started_s, created_s=None)
    for number, change in enumerate(recording.changes):
        if change.kind == "Pod":
            _follow(records, change, number)
    _name_preemptors(records)
    # By the controllers: the next pod that one makes after a loss stands in for it.
    arrivals: dict[str, list[tuple[float, str]]] = {}
    for one, record in records.items():
        if record.created_s is not None and record.owner:
            arrivals.setdefault(record.owner, []).append((record.created_s, one))
    lost = [one for one in records.values() if one.was_lost and one.owner]
    for record in sorted(lost, key=lambda one: one.lost_s):
        waiting = arrivals.get(record.owner, [])
        found = next((one for one in waiting if one[0] >= record.lost_s), None)
        if found is not None:
            waiting.remove(found)
            record.replaced_by = found[1]
    return records


def recorded_preemptions(records: Mapping[str, PodRecord]) -> list[PreemptionRecord]:
    """Recorded preemptions in order of time; a preemptor may have several."""
    turns: dict[tuple[str, str], list[tuple[float, str]]] = {}
    for victim, record in records.items():
        if record.was_preempted and record.leaving_s is not None:
            turn = record.preemptor, record.node
            turns.setdefault(turn, []).append((record.leaving_s, victim))
    found = [
        PreemptionRecord(part[0][0], preemptor, node, frozenset(one for _, one in part))
        for (preemptor, node), told in turns.items()
        for part in _turns(sorted(told))
    ]
    return sorted(found, key=lambda one: (one.at_s, one.preemptor, one.node))


def _turns(told: Sequence[tuple[float, str]]) -> Iterator[list[tuple[float, str]]]:
    part: list[tuple[float, str]] = []
    for one in told:
        if part and one[0] > part[-1][0] + _NOMINATION_S:
            yield part
            part = []
        part.append(one)
    yield part


def _first_seen(obj: Object, at_s: float, *, created_s: float | None, number: int = 0) -> PodRecord:
    node = node_name_of(obj)
    record = PodRecord(obj, obj, created_s, node, node)
    _note(record, None, obj, at_s, number)
    return record


def _follow(records: dict[str, PodRecord], change: RecordedChange, number: int) -> None:
    obj = change.new if change.new is not None else change.old
    assert obj is not None
    record = records.get(uid(obj))
    if record is None:
        record = records[uid(obj)] = _first_seen(
            obj, change.at_s, created_s=change.at_s, number=number
        )
    elif change.new is not None:
        _note(record, record.last, obj, change.at_s, number)
    if change.new is None:
        record.gone_s = change.at_s
        _leave(record, obj, change.at_s)
    record.last = obj


def _note(record: PodRecord, old: Object | None, new: Object, at_s: float, number: int) -> None:
    node, nominated = node_name_of(new), nominated_node_of(new)
    if node and not record.node:
        record.node, record.bound_s = node, at_s
    if nominated and (old is None or nominated != nominated_node_of(old)):
        record.nominations.append(Nomination(at_s, number, nominated))
    condition = condition_of(new, "PodScheduled")
    if condition is not None and condition.get("status") == "False":
        record.message = str(condition.get("message") or "")
    if record.turned_to_s is None and is_decided_on(new):
        record.turned_to_s = at_s
    if is_terminating(new):
        _leave(record, new, at_s)
    elif node and old is not None and new.get("status") != old.get("status"):
        record.statuses.append((at_s, new["status"]))
    if old is not None and is_finished(new) and not is_finished(old) and cause_of(new):
        _lose(record, new, at_s)


def _leave(record: PodRecord, obj: Object, at_s: float) -> None:
    if record.leaving_s is None:
        record.leaving_s = at_s
        _lose(record, obj, at_s)


def _lose(record: PodRecord, obj: Object, at_s: float) -> None:
    if record.cause is None:
        record.cause, record.lost_s = cause_of(obj), at_s


def _name_preemptors(records: dict[str, PodRecord]) -> None:
    """By the nominations: watches don't tell for whom a victim has to go."""
    nominated: dict[str, list[tuple[Nomination, str]]] = {}
    for one, record in records.items():
        for nomination in record.nominations:
            nominated.setdefault(nomination.node, []).append((nomination, one))
    for record in records.values():
        leaving_s, priority = record.leaving_s, pod_priority(record.first)
        if not record.was_preempted or leaving_s is None:
            continue
        found = [
            (abs(nomination.at_s - leaving_s), nomination.number, one)
            for nomination, one in nominated.get(record.node, ())
            if abs(nomination.at_s - leaving_s) <= _NOMINATION_S
            and pod_priority(records[one].first) > priority
        ]
        record.preemptor = min(found)[2] if found else ""


def scheduled_by(records: Mapping[str, PodRecord], names: Collection[str]) -> dict[str, PodRecord]:
    """The pods that schedulers of these names had to place in the recording, by uid."""
    return {
        one: record
        for one, record in records.items()
        if not record.given_node and record.scheduler_name in names
    }
