"""Handles machines that raise: counts errors, and restarts machines after a back-off.

A machine that raises has a bug. A run in virtual time ends with it. A cluster that lives on puts a
fresh machine in its place, which finds everything listed, as after a crash.
"""

import logging
import traceback
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import NamedTuple

from podium.api.errors import PodiumError
from podium.api.objects import metadata_of, part
from podium.api.values.times import timestamp
from podium.machines.backoff import Backoff, Restarts
from podium.machines.effects import Effect
from podium.machines.events import Change, Event, FirstList, Outcome, Synced

_BACKOFF = Backoff(first_s=1.0, max_s=60.0)
# So much later than planned may a task be tried again, before it is taken to have gone well.
_LATE_S = 1.0

_logger = logging.getLogger(__name__)


class MachineError(PodiumError):
    """A machine, or the call that it asked for, has raised an unexpected exception."""

    def __init__(self, who: str, handling: str, cause: Exception) -> None:
        notes = "".join(f", {note}" for note in getattr(cause, "__notes__", ()))
        self.who = who
        self.cause = cause
        self.where = tuple(_lines(cause.__traceback__))
        said = f": {cause}" if str(cause) else ""
        where = f" ({self.where[-1]})" if self.where else ""
        what = f"{type(cause).__name__}{said}{where}"
        super().__init__(f"machine {who} failed at {handling}{notes}: {what}")
        self.__cause__ = cause


class _Failure(NamedTuple):
    why: str
    until_s: float


class MachineHealth:
    """Keeps account of machines that fail, for a driver that goes on without them.

    Attributes:
        machines: the names of all, in the order in which they were started first.
        panics: how often something was raised by each, or by the server at its calls.
    """

    def __init__(self) -> None:
        self.machines: dict[str, None] = {}
        self.panics: Counter[str] = Counter()
        self._restarts: dict[str, Restarts] = {}
        self._failures: dict[str, _Failure] = {}
        self._told: set[tuple[object, ...]] = set()

    def note(self, error: MachineError) -> None:
        """Count an error, and log it with its traceback unless an equal one was logged before."""
        self.panics[error.who] += 1
        kind = (error.who, type(error.cause), error.where)
        if kind not in self._told:
            self._told.add(kind)
            _logger.error("%s", error, exc_info=error.cause)

    def task_failed(self, error: MachineError, again_s: float) -> None:
        """Take note of a task that failed, and is tried again at a time."""
        self.note(error)
        known = self._failures.get(error.who)
        if known is None or known.until_s < again_s + _LATE_S:
            why = f"{type(error.cause).__name__}, tried again at {timestamp(again_s)}"
            self._failures[error.who] = _Failure(why, again_s + _LATE_S)

    def machine_failed(self, error: MachineError, now_s: float) -> float:
        """Note the failure of a machine; return when to restart it, in seconds since the epoch."""
        self.note(error)
        restarts = self._restarts.setdefault(error.who, Restarts(_BACKOFF))
        at_s = now_s + restarts.wait_s(now_s)
        restarts.restarted(now_s, at_s)
        why = f"{type(error.cause).__name__}, starts anew at {timestamp(at_s)}"
        self._failures[error.who] = _Failure(why, float("inf"))
        return at_s

    def machine_started(self, who: str) -> None:
        self.machines[who] = None
        self._failures.pop(who, None)

    def failures(self, now_s: float) -> Mapping[str, str]:
        """Failures by name of the machine; empty for a healthy one.

        Anybody may read it: objects are named in the log only.
        """
        known = self._failures
        return {
            name: known[name].why if name in known and now_s <= known[name].until_s else ""
            for name in self.machines
        }


def handling(event: Event) -> str:
    """Describe the event that a machine was handling."""
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
    return "what was due"


def call(effect: Effect) -> str:
    """A call, in words."""
    obj = getattr(effect, "obj", None)
    metadata = metadata_of(obj) if isinstance(obj, Mapping) else {}
    fields = {field: getattr(effect, field, "") for field in ("namespace", "name")}
    kind = getattr(effect, "kind", "Pod")
    return f"{type(effect).__name__} of {kind} {_place({**fields, **metadata})}"


def _place(metadata: Mapping[str, object]) -> str:
    called = metadata.get("name") or metadata.get("generateName") or "?"
    namespace = metadata.get("namespace")
    return f"{namespace}/{called}" if namespace else str(called)


def _lines(trace: TracebackType | None) -> Iterator[str]:
    for frame in traceback.extract_tb(trace):
        yield f"{Path(frame.filename).name}:{frame.lineno}"
