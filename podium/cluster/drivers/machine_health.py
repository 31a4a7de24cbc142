"""The health of state machines: counts of their exceptions, and back-off of their restarts.

An exception of a machine is a bug, and ends a run in virtual time. In a served cluster, a new
machine replaces the failed one and lists everything, as after a crash.
"""

import logging
import traceback
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from podium.api.errors import PodiumError
from podium.api.objects import metadata_of, part
from podium.api.values.times import timestamp
from podium.machines.effects import Effect
from podium.machines.events import Change, Event, FirstList, Outcome, Synced
from podium.machines.reconciler.work_queue import Backoff, Restarts

_BACKOFF = Backoff(first_s=1.0, max_s=60.0)
# A task that hasn't failed again this long after its planned retry counts as successful.
_LATE_S = 1.0

_logger = logging.getLogger(__name__)


class MachineError(PodiumError):
    """An unexpected exception of a state machine, or of the API server during its call."""

    def __init__(self, who: str, handling: str, cause: Exception) -> None:
        notes = "".join(f", {note}" for note in getattr(cause, "__notes__", ()))
        self.who = who
        self.cause = cause
        frames = traceback.extract_tb(cause.__traceback__)
        self.where = tuple(f"{Path(frame.filename).name}:{frame.lineno}" for frame in frames)
        message = f": {cause}" if str(cause) else ""
        where = f" ({self.where[-1]})" if self.where else ""
        what = f"{type(cause).__name__}{message}{where}"
        super().__init__(f"machine {who} failed at {handling}{notes}: {what}")
        self.__cause__ = cause


class MachineHealth:
    """Tracks failures of state machines, for a driver that survives them."""

    def __init__(self) -> None:
        self.machines: dict[str, None] = {}
        self.panics: Counter[str] = Counter()
        """Number of exceptions by machine, including the API server's during its calls."""
        self._restarts: dict[str, Restarts] = {}
        # By machine: the reason of its last failure, and until when that counts.
        self._failures: dict[str, tuple[str, float]] = {}
        self._logged: set[tuple[object, ...]] = set()

    def note(self, error: MachineError) -> None:
        """Count an error, and log it with its traceback unless an equal one was logged before."""
        self.panics[error.who] += 1
        kind = (error.who, type(error.cause), error.where)
        if kind not in self._logged:
            self._logged.add(kind)
            _logger.error("%s", error, exc_info=error.cause)

    def task_failed(self, error: MachineError, again_s: float) -> None:
        """Record the failure of a machine's task, which is retried at `again_s`."""
        self.note(error)
        until_s = again_s + _LATE_S
        if until_s > self._failures.get(error.who, ("", 0.0))[1]:
            why = f"{type(error.cause).__name__}, tried again at {timestamp(again_s)}"
            self._failures[error.who] = why, until_s

    def machine_failed(self, error: MachineError, now_s: float) -> float:
        """Record a machine's failure; return when to restart it, in seconds since the epoch."""
        self.note(error)
        restarts = self._restarts.setdefault(error.who, Restarts(_BACKOFF))
        at_s = now_s + restarts.wait_s(now_s)
        restarts.restarted(now_s, at_s)
        why = f"{type(error.cause).__name__}, restarts at {timestamp(at_s)}"
        self._failures[error.who] = why, float("inf")
        return at_s

    def machine_started(self, who: str) -> None:
        self.machines[who] = None
        self._failures.pop(who, None)

    def failures(self, now_s: float) -> Mapping[str, str]:
        """Return the current failure of each machine by name; an empty string if it is healthy.

        Health endpoints show failures without authentication, so they don't name objects.
        """
        failed = {name: why for name, (why, until_s) in self._failures.items() if now_s <= until_s}
        return {name: failed.get(name, "") for name in self.machines}


def handling(event: Event) -> str:
    """Describe an event in the message of an error in its handling."""
    match event:
        case Change(kind=kind, old=old, new=new):
            obj = new or old or {}
            return f"a change of {kind} {_place(part(obj, 'metadata'))}"
        case FirstList(kind=kind):
            return f"the list of all {kind} objects"
        case Outcome(effect=effect):
            return f"the outcome of its {call(effect)}"
        case Synced():
            return "its start"
    return "its wake-up"


def call(effect: Effect) -> str:
    """Describe an API call in the message of an error."""
    obj = getattr(effect, "obj", None)
    metadata = metadata_of(obj) if isinstance(obj, Mapping) else {}
    fields = {field: getattr(effect, field, "") for field in ("namespace", "name")}
    kind = getattr(effect, "kind", "Pod")
    return f"{type(effect).__name__} of {kind} {_place({**fields, **metadata})}"


def _place(metadata: Mapping[str, object]) -> str:
    name = metadata.get("name") or metadata.get("generateName") or "?"
    namespace = metadata.get("namespace")
    return f"{namespace}/{name}" if namespace else str(name)
