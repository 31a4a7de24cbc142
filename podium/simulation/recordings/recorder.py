"""The machine that records: it makes no calls, and writes down the events that it is given."""

from collections.abc import Mapping, Sequence
from typing import Any

from podium.api.objects import Object, labels, spec_of, version_of
from podium.api.well_known import LAST_APPLIED
from podium.machines.effects import Effect
from podium.machines.events import Change, Event, Synced
from podium.scheduler.machine.event_handlers import KINDS
from podium.simulation.recordings.segments import (
    BEGIN,
    END,
    GAP,
    STATE,
    Identity,
    SegmentWriter,
    identity_of,
)

FLUSH_S = 1.0
"""How much of the last that happened a kill may cost, in seconds."""

# Of no use to decisions, and partly nobody's business.
_METADATA = frozenset({"managedFields"})
_OF_CONTAINERS = frozenset(
    {
        *("args", "command", "env", "envFrom", "lifecycle", "livenessProbe", "readinessProbe"),
        *("startupProbe", "stdin", "tty", "terminationMessagePath", "terminationMessagePolicy"),
        *("volumeMounts", "workingDir"),
    }
)
_CONTAINERS = ("containers", "initContainers", "ephemeralContainers")
# Of these only what selects pods matters, while their status changes all the time.
_SELECTING = frozenset({"Service", "ReplicationController", "ReplicaSet", "StatefulSet"})


class RecorderMachine:
    """Follows a cluster; implements `podium.machines.machine.Machine`.

    What it is told first is the state, or, if it goes on with a recording, what has changed while
    nobody recorded: of that only the result is known.

    Attributes:
        is_synced: whether it knows all that there is, and records what happens from now on.
    """

    name = "podium-record"
    kinds = KINDS

    def __init__(self, writer: SegmentWriter) -> None:
        self.changes = 0
        self._writer = writer
        self._known: dict[Identity, Object] = {}
        self._unseen: set[Identity] = set()
        self.is_synced = False
        self._flush_s: float | None = None
        self._now_s = 0.0
        self._resumes = False
        self._since_s = 0.0
        # Go on where a recording has ended.
        lines = writer.resume()
        for line in lines:
            self._since_s = max(self._since_s, line["at"])
            if line["type"] in ("ADDED", "MODIFIED", STATE):
                self._known[identity_of(line["object"])] = line["object"]
            elif line["type"] == "DELETED":
                self._known.pop(identity_of(line["object"]), None)
            self._resumes = self._resumes or line["type"] == BEGIN
        self._now_s = self._since_s
        self._unseen = set(self._known)

    def __len__(self) -> int:
        return len(self._known)

    def step(self, event: Event, now_s: float) -> Sequence[Effect]:
        # The clock may have been set back since the recording was made.
        self._now_s = max(now_s, self._since_s)
        if isinstance(event, Change):
            self._change(event)
        elif isinstance(event, Synced):
            if self._resumes:
                self._note_the_gap()
                for place in sorted(self._unseen):
                    self._write("DELETED", self._known.pop(place))
            else:
                self._writer.begin_segment(self._known.values(), self._now_s)
            self._unseen.clear()
            self.is_synced = True
        if self._flush_s is not None and self._flush_s <= self._now_s:
            self._writer.flush()
            self._flush_s = None
            if self.is_synced and self._writer.is_full:
                self._writer.begin_segment(self._known.values(), self._now_s)
        return ()

    def next_wakeup_s(self) -> float | None:
        return self._flush_s

    def missed(self, reason: str, now_s: float) -> None:
        """Note a gap: changes may have been missed, and their results follow."""
        if self.is_synced:
            at_s = max(now_s, self._now_s)
            self._writer.write(GAP, at_s, since=self._now_s, reason=reason)
            self._flush_s = self._flush_s or at_s + FLUSH_S

    def end(self, now_s: float) -> None:
        if self.is_synced:
            self._writer.write(END, max(now_s, self._now_s))
            self._writer.flush()

    def _note_the_gap(self) -> None:
        if self._since_s:
            reason = "nobody was recording"
            self._writer.write(GAP, self._now_s, since=self._since_s, reason=reason)
            self._since_s = 0.0

    def _change(self, change: Change) -> None:
        if change.new is None:
            assert change.old is not None
            gone = slimmed(change.old)
            place = identity_of(gone)
            self._unseen.discard(place)
            if self._known.pop(place, None) is not None and (self.is_synced or self._resumes):
                self._write("DELETED", gone)
            return
        obj = slimmed(change.new)
        place = identity_of(obj)
        self._unseen.discard(place)
        old, self._known[place] = self._known.get(place), obj
        if not (self.is_synced or self._resumes):
            return
        if not self.is_synced:
            self._note_the_gap()
        if old is None:
            self._write("ADDED", obj)
        elif old["metadata"].get("uid") != obj["metadata"].get("uid"):
            self._write("DELETED", old)
            self._write("ADDED", obj)
        elif version_of(old) != version_of(obj) and not _selects_alike(old, obj):
            self._write("MODIFIED", obj)

    def _write(self, kind: str, obj: Object) -> None:
        self._writer.write(kind, self._now_s, object=obj)
        self.changes += 1
        if self._flush_s is None:
            self._flush_s = self._now_s + FLUSH_S


def slimmed(obj: Object) -> Object:
    """An object without what no decision depends on, such as what containers run and with what."""
    metadata = {k: v for k, v in obj["metadata"].items() if k not in _METADATA}
    if notes := metadata.get("annotations"):
        metadata["annotations"] = {k: v for k, v in notes.items() if k != LAST_APPLIED}
    spec = obj.get("spec")
    if not isinstance(spec, Mapping):
        return {**obj, "metadata": metadata}
    if obj.get("kind") == "Pod":
        spec = _slimmed_pod_spec(spec)
    elif "template" in spec:
        template = spec["template"]
        inner = _slimmed_pod_spec(spec_of(template))
        spec = {**spec, "template": {**template, "spec": inner}}
    return {**obj, "metadata": metadata, "spec": spec}


def _slimmed_pod_spec(spec: Mapping[str, Any]) -> dict[str, Any]:
    slim = dict(spec)
    for field in _CONTAINERS:
        if found := slim.get(field):
            slim[field] = [
                {k: v for k, v in one.items() if k not in _OF_CONTAINERS} for one in found
            ]
    return slim


def _selects_alike(old: Object, new: Object) -> bool:
    """Whether two states of an object select the same pods, and nothing else matters."""
    if new.get("kind") not in _SELECTING:
        return False
    alike = labels(old) == labels(new)
    return alike and spec_of(old) == spec_of(new)
