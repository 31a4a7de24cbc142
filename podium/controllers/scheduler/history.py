"""Who was preempted for whom, and what else was weighed: the record that machines read."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from podium.core.decision import Decision
from podium.core.pods import PodInfo
from podium.core.preemption.choice import KEYS
from podium.core.preemption.result import Preemption
from podium.core.snapshot import Snapshot

ANNOTATION = "podium.dev/preemption"
ALTERNATIVES_MAX = 5

_encode = msgspec.json.Encoder().encode


@dataclass(frozen=True, slots=True)
class PodReference:
    """A pod by name, with what it was preempted by or for.

    Attributes:
        namespace: of the pod.
        name: of the pod.
        uid: of the pod.
        priority: of the pod.
    """

    namespace: str
    name: str
    uid: str
    priority: int

    @classmethod
    def of(cls, pod: PodInfo) -> "PodReference":
        """The reference to a pod."""
        return cls(pod.namespace, pod.name, pod.uid, pod.priority)


@dataclass(frozen=True, slots=True)
class Alternative:
    """Another node on which preemption would have made room.

    Attributes:
        node_name: the node.
        victims: how many pods would have had to go.
        pdb_violations: how many of them would have broken a budget.
        lost_at: the key at which it lost; empty if it was as good, and only its name is greater.
    """

    node_name: str
    victims: int
    pdb_violations: int
    lost_at: str


@dataclass(frozen=True, slots=True)
class PreemptionRecord:
    """One preemption.

    Attributes:
        at_s: when it was decided, in seconds since the epoch.
        scheduler_name: who decided.
        preemptor: for whom.
        node_name: where.
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
    pdb_violations: int
    candidates: int
    alternatives: tuple[Alternative, ...]

    def as_json(self) -> Mapping[str, Any]:
        """The record with the names that JSON gives its fields."""
        return {
            "schedulerName": self.scheduler_name,
            "preemptor": msgspec.to_builtins(self.preemptor),
            "node": self.node_name,
            "victims": msgspec.to_builtins(self.victims),
            "pdbViolations": self.pdb_violations,
            "candidates": self.candidates,
            "alternatives": [
                {
                    "node": one.node_name,
                    "victims": one.victims,
                    "pdbViolations": one.pdb_violations,
                    "lostAt": one.lost_at,
                }
                for one in self.alternatives
            ],
        }

    def annotations(self) -> dict[str, str]:
        """The record as the annotation of the events that tell of it."""
        return {ANNOTATION: _encode(self.as_json()).decode()}


def record_of(
    decision: Decision, snapshot: Snapshot, scheduler_name: str, now_s: float
) -> PreemptionRecord:
    """The record of a decision that preempts, made right after it."""
    preemption = decision.preemption
    if preemption is None or not preemption.node_name:
        raise ValueError(f"{decision.pod.key}: this decision preempts nobody")
    return PreemptionRecord(
        at_s=now_s,
        scheduler_name=scheduler_name,
        preemptor=PodReference.of(decision.pod),
        node_name=preemption.node_name,
        victims=tuple(PodReference.of(victim) for victim in preemption.victims),
        pdb_violations=preemption.pdb_violations,
        candidates=len(preemption.candidate_rows),
        alternatives=_alternatives(preemption, snapshot),
    )


def _alternatives(preemption: Preemption, snapshot: Snapshot) -> tuple[Alternative, ...]:
    """The candidates that lost last, by name within each key."""
    choice, run = preemption.choice, preemption.run
    if choice is None or run is None:
        return ()
    found: list[Alternative] = []
    kept = {snapshot.row_of[preemption.node_name]}
    for index in range(len(choice.left) - 1, -1, -1):
        lost = [row for row in choice.left[index].tolist() if row not in kept]
        kept.update(lost)
        key = KEYS[index].name if index < len(choice.left) - 1 else ""
        for row in sorted(lost, key=snapshot.names.__getitem__):
            if len(found) == ALTERNATIVES_MAX:
                return tuple(found)
            victims, violations = len(run.victims[row]), int(run.violations[row])
            found.append(Alternative(snapshot.names[row], victims, violations, key))
    return tuple(found)
