"""Who was preempted for whom, and what else was weighed: the record that machines read."""

from collections.abc import Mapping
from typing import Any

import msgspec

from podium.api.objects import Object, annotations
from podium.scheduler.framework.interface import PostFilterResult
from podium.scheduler.preemption.result import Preemption
from podium.scheduler.snapshot.pod_info import PodInfo
from podium.scheduler.snapshot.snapshot import Snapshot

ANNOTATION = "podium.dev/preemption"
ALTERNATIVES_MAX = 5

_NAMES = {"node_name": "node", "pdb_violations": "pdbViolations", "lost_at": "lostAt"}

_encode = msgspec.json.Encoder().encode


class PodReference(msgspec.Struct, frozen=True):
    """A pod by name, with what it was preempted by or for."""

    namespace: str
    name: str
    uid: str
    priority: int

    @classmethod
    def of(cls, pod: PodInfo) -> "PodReference":
        """The reference to a pod."""
        return cls(pod.namespace, pod.name, pod.uid, pod.priority)


class Alternative(msgspec.Struct, frozen=True, rename=_NAMES):
    """Another node on which preemption would have made room.

    Attributes:
        victims: how many pods would have had to go.
        pdb_violations: how many of them would have broken a budget.
        lost_at: the key at which it lost; empty if it was as good, and only its name is greater.
    """

    node_name: str
    victims: int
    pdb_violations: int
    lost_at: str


class PreemptionRecord(msgspec.Struct, frozen=True):
    """A preemption as it was decided: for whom, who has to go, and what else was weighed.

    Attributes:
        at_s: when it was decided, in seconds since the epoch.
        victims: who has to go, the most important first.
        pdb_violations: how many of them break a budget.
        candidates: on how many nodes preemption would have made room.
        alternatives: the best of the other candidates, at most `ALTERNATIVES_MAX`.
    """

    at_s: float
    scheduler_name: str
    preemptor: PodReference
    node_name: str
    victims: tuple[PodReference, ...]
    pdb_violations: int = 0
    candidates: int = 1
    alternatives: tuple[Alternative, ...] = ()

    def annotations(self) -> dict[str, str]:
        """The record as the annotation of the events that tell of it."""
        record = {
            "schedulerName": self.scheduler_name,
            "preemptor": self.preemptor,
            "node": self.node_name,
            "victims": self.victims,
            "pdbViolations": self.pdb_violations,
            "candidates": self.candidates,
            "alternatives": self.alternatives,
        }
        return {ANNOTATION: _encode(record).decode()}


class _Written(msgspec.Struct, frozen=True, rename=_NAMES | {"scheduler_name": "schedulerName"}):
    """The contents of the annotation."""

    scheduler_name: str
    preemptor: PodReference
    node_name: str
    victims: tuple[PodReference, ...]
    pdb_violations: int
    candidates: int
    alternatives: tuple[Alternative, ...]


def written_record(event: Object) -> Mapping[str, Any] | None:
    """The record in an Event's annotation, as JSON values; None without one that can be read.

    Whoever may write events may write anything there.
    """
    text = annotations(event).get(ANNOTATION)
    if text is None:
        return None
    try:
        written = msgspec.json.decode(text, type=_Written)
    except msgspec.MsgspecError:
        return None
    found: Mapping[str, Any] = msgspec.to_builtins(written)
    return found


def record_of(
    pod: PodInfo, found: PostFilterResult, snapshot: Snapshot, scheduler_name: str, now_s: float
) -> PreemptionRecord:
    """The record of what PostFilter has found, made right after it.

    Raises:
        ValueError: it nominates no node.
    """
    if not found.nominated_node_name:
        raise ValueError(f"{pod.key}: no node is nominated, so that nobody is preempted")
    victims = tuple(PodReference.of(victim) for victim in found.victims)
    preemptor, node_name = PodReference.of(pod), found.nominated_node_name
    if not isinstance(found, Preemption):
        return PreemptionRecord(now_s, scheduler_name, preemptor, node_name, victims)
    return PreemptionRecord(
        now_s,
        scheduler_name,
        preemptor,
        node_name,
        victims,
        found.pdb_violations,
        len(found.candidate_rows),
        _alternatives(found, snapshot),
    )


def _alternatives(preemption: Preemption, snapshot: Snapshot) -> tuple[Alternative, ...]:
    """The candidates that lost last, within each key in the order in which ties are broken."""
    choice, run = preemption.choice, preemption.run
    if choice is None or run is None:
        return ()
    chosen = snapshot.row_of[preemption.node_name]
    return tuple(
        Alternative(
            snapshot.names[row],
            int(run.victim_count[row]),
            int(run.violations[row]),
            "" if lost_at is None else choice.keys[lost_at].name,
        )
        for row, lost_at in choice.runners_up(chosen, snapshot.ranks(), ALTERNATIVES_MAX)
    )
