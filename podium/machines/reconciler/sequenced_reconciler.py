"""Reconcilers that sync a key in several rounds of calls, each of which depends on the last.

A sync is a generator that reads from top to bottom like Kubernetes' sync functions: it yields the
calls of a round, and continues with their outcomes.
"""

from abc import abstractmethod
from collections.abc import Generator, Hashable, Iterable, Sequence
from typing import TypeAlias, TypeVar, cast

from podium.machines.effects import Effect, Record
from podium.machines.events import Outcome
from podium.machines.reconciler.reconciler import Reconciler, Work

_T = TypeVar("_T")
Calls: TypeAlias = Generator[Sequence[Effect], Sequence[Outcome], _T]
"""A generator that yields the calls of a round, at least one, and gets their outcomes."""


class SyncFailedError(Exception):
    """A call of a sync failed; the sync is retried later."""


class SequencedReconciler(Reconciler):
    """A controller that syncs a key in rounds of calls, and raises SyncFailedError for a retry."""

    def __init__(self) -> None:
        super().__init__()
        self._syncs: dict[Hashable, Calls[None]] = {}
        self._outcomes: dict[Hashable, list[Outcome]] = {}
        self._records: list[Record] = []

    @abstractmethod
    def sync(self, key: Hashable, now_s: float) -> Calls[None]:
        """Sync the object of a key; raise SyncFailedError for a retry."""

    def record(self, record: Record) -> None:
        """Record an Event with the next calls of the sync, or at its end."""
        self._records.append(record)

    def reconcile(self, key: Hashable, now_s: float) -> Iterable[Effect]:
        self._syncs[key] = self.sync(key, now_s)
        return self._go_on(key, None)

    def look_now(self, key: Hashable) -> None:
        if key in self._syncs:
            self._held[key] = None
        else:
            super().look_now(key)

    def _release(self, key: Hashable) -> None:
        if key not in self._syncs:
            super()._release(key)

    def _take_outcome(self, key: Hashable, effect: Effect, outcome: Outcome) -> Sequence[Effect]:
        self._outcomes.setdefault(key, []).append(outcome)
        records = super()._take_outcome(key, effect, outcome)
        if key in self._waiting:
            return records
        # Outcomes arrive in any order; the sync gets them in the order of its calls.
        outcomes = sorted(
            self._outcomes.pop(key), key=lambda out: cast(Work, out.effect.purpose).number
        )
        try:
            effects = self._go_on(key, outcomes)
        except Exception as error:  # noqa: BLE001 - whatever a bug raises
            effects = [self._panic(key, error)]
        calls = [*self._asked(key, effects)]
        self._release(key)
        return [*records, *calls]

    def _conclude(self, key: Hashable) -> None:
        self._failing.pop(key, None)

    def _go_on(self, key: Hashable, outcomes: Sequence[Outcome] | None) -> Sequence[Effect]:
        sync = self._syncs.pop(key)
        try:
            calls = next(sync) if outcomes is None else sync.send(outcomes)
        except StopIteration:
            self._retries.forget(key)
            calls = ()
        except SyncFailedError:
            self._fail(key, 0.0)
            calls = ()
        else:
            self._syncs[key] = sync
        records, self._records = self._records, []
        return [*records, *calls]


def made(calls: Sequence[Effect]) -> Calls[Sequence[Outcome]]:
    """Make the calls of a round, which may be empty, and return their outcomes."""
    return (yield calls) if calls else ()
