"""The recorder of a cluster: a state machine that only writes its events to a recording."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from random import Random
from typing import Any

from podium.api.errors import PodiumError
from podium.api.kinds.snapshot_kinds import Identity
from podium.api.objects import Object, labels, spec_of, version_of
from podium.api.well_known import LAST_APPLIED
from podium.cluster.client.connection import Connection
from podium.cluster.client.http_api import HttpApi
from podium.cluster.drivers.driver_events import DriverEvent, ListFailed, Relisted
from podium.cluster.drivers.live import LiveDriver, SteadyClock
from podium.cluster.drivers.machine_health import MachineError
from podium.machines.async_api import ForbiddenError, NotServedError
from podium.machines.effects import Effect
from podium.machines.events import Change, Event, Synced
from podium.machines.machine import Machine
from podium.scheduler.machine.event_handlers import KINDS
from podium.simulation.recordings.segments import BEGIN, END, GAP, STATE, SegmentWriter, identity_of

FLUSH_S = 1.0
"""The seconds between two flushes, which are lost at most if the recorder is killed."""

_LOOK_S = 0.5
# Fields that no decision depends on, some of which may be confidential.
_OF_CONTAINERS = frozenset(
    {
        *("args", "command", "env", "envFrom", "lifecycle", "livenessProbe", "readinessProbe"),
        *("startupProbe", "stdin", "tty", "terminationMessagePath", "terminationMessagePolicy"),
        *("volumeMounts", "workingDir"),
    }
)
# Of these only what selects pods matters, while their status changes all the time.
_SELECTING = frozenset({"Service", "ReplicationController", "ReplicaSet", "StatefulSet"})


class RecorderMachine(Machine):
    """A state machine that records the objects of a cluster.

    A new recording begins with all objects. If a recording is continued, differences from its last
    state are recorded as changes after a gap.
    """

    name = "podium-record"
    kinds = KINDS

    def __init__(self, writer: SegmentWriter) -> None:
        self.changes = 0
        self.is_synced = False
        """Whether the initial lists are complete, so that changes are recorded."""
        self._writer = writer
        self._objects: dict[Identity, Object] = {}
        self._flush_s: float | None = None
        self._since_s = 0.0
        self._resumes = False
        for line in writer.resume():
            self._since_s = max(self._since_s, line["at"])
            if line["type"] in ("ADDED", "MODIFIED", STATE):
                self._objects[identity_of(line["object"])] = line["object"]
            elif line["type"] == "DELETED":
                self._objects.pop(identity_of(line["object"]), None)
            self._resumes = self._resumes or line["type"] == BEGIN
        self._now_s = self._since_s
        # Objects of a continued recording that haven't been seen again.
        self._unseen = set(self._objects)

    def __len__(self) -> int:
        return len(self._objects)

    def step(self, event: Event, now_s: float) -> Sequence[Effect]:
        # The clock may have been set back since the recording was made.
        self._now_s = max(now_s, self._since_s)
        if isinstance(event, Change):
            self._change(event)
        elif isinstance(event, Synced):
            if self._resumes:
                self._note_the_gap()
                for identity in sorted(self._unseen):
                    self._write("DELETED", self._objects.pop(identity))
            else:
                self._writer.begin_segment(self._objects.values(), self._now_s)
            self._unseen.clear()
            self.is_synced = True
        if self._flush_s is not None and self._flush_s <= self._now_s:
            self._writer.flush()
            self._flush_s = None
            if self.is_synced and self._writer.is_full:
                self._writer.begin_segment(self._objects.values(), self._now_s)
        return ()

    def next_wakeup_s(self) -> float | None:
        return self._flush_s

    def missed(self, reason: str, now_s: float) -> None:
        """Write a gap, in which changes may have been missed."""
        if self.is_synced:
            at_s = max(now_s, self._now_s)
            self._writer.write(GAP, at_s, since=self._now_s, reason=reason)
            self._flush_s = self._flush_s or at_s + FLUSH_S

    def end(self, now_s: float) -> None:
        """Write the end of the recording."""
        if self.is_synced:
            self._writer.write(END, max(now_s, self._now_s))
            self._writer.flush()

    def _note_the_gap(self) -> None:
        if self._since_s:
            reason = "no recorder was running"
            self._writer.write(GAP, self._now_s, since=self._since_s, reason=reason)
            self._since_s = 0.0

    def _change(self, change: Change) -> None:
        obj = _slimmed(change.obj)
        identity = identity_of(obj)
        self._unseen.discard(identity)
        old = self._objects.get(identity)
        if change.new is None:
            self._objects.pop(identity, None)
        else:
            self._objects[identity] = obj
        if not (self.is_synced or self._resumes):
            return
        if change.new is None:
            if old is not None:
                self._write("DELETED", obj)
            return
        if not self.is_synced:
            self._note_the_gap()
        if old is None:
            self._write("ADDED", obj)
        elif old["metadata"].get("uid") != obj["metadata"].get("uid"):
            self._write("DELETED", old)
            self._write("ADDED", obj)
        elif version_of(old) != version_of(obj):
            selects_alike = labels(old) == labels(obj) and spec_of(old) == spec_of(obj)
            if not (selects_alike and obj.get("kind") in _SELECTING):
                self._write("MODIFIED", obj)

    def _write(self, kind: str, obj: Object) -> None:
        self._writer.write(kind, self._now_s, object=obj)
        self.changes += 1
        if self._flush_s is None:
            self._flush_s = self._now_s + FLUSH_S


def _slimmed(obj: Object) -> Object:
    metadata = {k: v for k, v in obj["metadata"].items() if k != "managedFields"}
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
    for field in ("containers", "initContainers", "ephemeralContainers"):
        if containers := slim.get(field):
            slim[field] = [
                {k: v for k, v in container.items() if k not in _OF_CONTAINERS}
                for container in containers
            ]
    return slim


async def record(
    connection: Connection,
    machine: RecorderMachine,
    clock: SteadyClock,
    rng: Random,
    stop: asyncio.Event,
    *,
    warn: Callable[[str], None],
    progress: Callable[[], None],
) -> None:
    """Record a cluster until a stop is requested; raises PodiumError.

    The caller has to call `end` of the machine. `warn` is called with a sentence once for each kind
    that can't be read, and for each gap.
    """
    async with HttpApi(connection, rng) as http:
        with suppress(ForbiddenError):
            await http.list("Namespace")
        driver = LiveDriver(http, clock, drain_s=0.0, rng=rng, skips_forbidden=True)
        failing: set[str] = set()

        def happened(event: DriverEvent) -> None:
            if isinstance(event, Relisted):
                reason = f"the watch of {event.kind} had expired"
                machine.missed(reason, event.at_s)
                # The machine has a gap to write, which it didn't have when it stepped last.
                driver.wake(handle)
                warn(f"{reason}: what happened meanwhile is known by its results only")
            elif isinstance(event, ListFailed) and not isinstance(event.error, NotServedError):
                is_forbidden = isinstance(event.error, ForbiddenError)
                trouble = "is left out" if is_forbidden else "can't be followed for now"
                if event.kind not in failing:
                    warn(f"{event.kind} {trouble}: {event.error}")
                failing.add(event.kind)

        driver.hooks.append(happened)
        try:
            async with driver:
                handle = driver.add(machine)
                while not stop.is_set():
                    with suppress(TimeoutError):
                        await asyncio.wait_for(stop.wait(), _LOOK_S)
                    progress()
        except* MachineError as failed:
            first: BaseException = failed
            while isinstance(first, BaseExceptionGroup):
                first = first.exceptions[0]
            cause = first.__cause__
            raise cause if isinstance(cause, PodiumError) else first from None
