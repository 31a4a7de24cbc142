"""The machine-readable record of a preemption, for the annotation of its Events."""

import re

import msgspec

from podium.api.objects import Object, annotations, without
from podium.scheduler.framework.interface import PostFilterResult
from podium.scheduler.preemption.choice import Preemption
from podium.scheduler.snapshot.pod_info import PodInfo
from podium.scheduler.snapshot.snapshot import Snapshot

ANNOTATION = "podium.dev/preemption"
EVENT_REASON = "Preempted"

PREEMPTIONS = {"Event": f"reason={EVENT_REASON}"}
"""Field selectors, by kind, of the Events that tell of preemptions."""

ALTERNATIVES_MAX = 5

NAME_KEY = "smallest node name"
"""The key that decides between candidates which are equal by all others."""

# All that kube-scheduler's Events say of the preemptor.
_NOTE = re.compile(r"Preempted by pod (\S+) on node ")

_NAMES = {
    "scheduler_name": "schedulerName",
    "node_name": "node",
    "pdb_violations": "pdbViolations",
    "lost_at": "lostAt",
}


class PodReference(msgspec.Struct, frozen=True):
    """A victim or preemptor."""

    namespace: str
    name: str
    uid: str
    priority: int

    @classmethod
    def of(cls, pod: PodInfo) -> "PodReference":
        return cls(pod.namespace, pod.name, pod.uid, pod.priority)


class Alternative(msgspec.Struct, frozen=True, rename=_NAMES):
    """Another node on which preemption would have made room."""

    node_name: str
    victims: int
    """The number of victims on the node."""
    pdb_violations: int
    """The number of these victims whose disruption violates a budget."""
    lost_at: str
    """The name of the key at which the node lost; empty if it lost only by its name."""


class WrittenRecord(msgspec.Struct, frozen=True, rename=_NAMES, omit_defaults=True):
    """A preemption as written to the annotation of its Events."""

    scheduler_name: str
    preemptor: PodReference
    node_name: str
    victims: tuple[PodReference, ...]
    """The victims, the most important first."""
    pdb_violations: int
    """The number of victims whose disruption violates a budget."""
    candidates: int
    """The number of nodes on which preemption would have made room."""
    alternatives: tuple[Alternative, ...]
    """The best of the other candidates, at most `ALTERNATIVES_MAX`."""
    devices: int = 0
    """How many devices the victims are preempted for."""


class PreemptionRecord(WrittenRecord, frozen=True, kw_only=True):
    """A preemption, with the time of the decision in seconds since the epoch."""

    at_s: float

    def annotations(self) -> dict[str, str]:
        """Return the annotation of Events, by its name."""
        written = without(msgspec.to_builtins(self), "at_s")
        return {ANNOTATION: msgspec.json.encode(written).decode()}


def loss_text(lost_at: str) -> str:
    """Say why a candidate wasn't chosen, by the name of the key at which it lost, if any."""
    is_tied = lost_at in ("", NAME_KEY)
    return "tied; the chosen node's name is smaller" if is_tied else f"not the {lost_at}"


def written_record(event: Object) -> WrittenRecord | None:
    """Read the record in an Event's annotation; None without a valid record.

    The annotation isn't trusted, as any client that may write Events may write it.
    """
    text = annotations(event).get(ANNOTATION)
    if text is None:
        return None
    try:
        return msgspec.json.decode(text, type=WrittenRecord)
    except msgspec.MsgspecError:
        return None


def preemptor_uid(event: Object) -> str:
    """Return the uid of the preemptor by the note of an Event, also of kube-scheduler's; or ""."""
    note = _NOTE.match(str(event.get("note") or event.get("message") or ""))
    return note[1] if note and event.get("reason") == EVENT_REASON else ""


def record_of(
    pod: PodInfo, found: PostFilterResult, snapshot: Snapshot, scheduler_name: str, now_s: float
) -> PreemptionRecord:
    """Make the record of a PostFilter result, right after the decision; needs a nominated node."""
    if not found.nominated_node_name:
        raise ValueError(f"{pod.key}: no node is nominated, so no pod is preempted")
    weighed = found if isinstance(found, Preemption) else None
    return PreemptionRecord(
        scheduler_name,
        PodReference.of(pod),
        found.nominated_node_name,
        tuple(PodReference.of(victim) for victim in found.victims),
        weighed.pdb_violations if weighed else 0,
        len(weighed.candidate_rows) if weighed else 1,
        _alternatives(weighed, snapshot) if weighed else (),
        weighed.device_count if weighed else 0,
        at_s=now_s,
    )


def _alternatives(preemption: Preemption, snapshot: Snapshot) -> tuple[Alternative, ...]:
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
        for row, lost_at in choice.runners_up(chosen, snapshot.ranks, ALTERNATIVES_MAX)
    )
