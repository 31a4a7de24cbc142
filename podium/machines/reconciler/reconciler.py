"""The reconcile loop of controllers and kubelets.

A controller maps each change to keys, and returns the calls that reconcile a key. A key isn't
reconciled again until all of these calls have returned. If a call failed, the key is retried with
backoff, or earlier if a change concerns it.
"""

import heapq
from abc import abstractmethod
from collections.abc import Container, Generator, Hashable, Iterable, Sequence
from typing import TypeAlias, TypeVar, cast

import msgspec

from podium.api.objects import Object, Place, metadata_of, place_of, uid_of
from podium.machines.effects import (
    Create,
    Delete,
    Effect,
    Evict,
    Panic,
    Patch,
    Record,
    Replace,
    event_of,
)
from podium.machines.events import Change, Event, FirstList, Outcome, Synced
from podium.machines.machine import NEVER_S, Machine
from podium.machines.reconciler import postponed
from podium.machines.reconciler.indexer import Indexer, Indexes
from podium.machines.reconciler.work_queue import DelayedKeys, RetryLimits, RetryRules

# How long a watch may take to confirm the object of an answer: as long as v1.36's controllers wait
# for their expectations (ExpectationsTimeout).
PATIENCE_S = 300.0

_T = TypeVar("_T")
Calls: TypeAlias = Generator[Sequence[Effect], Sequence[Outcome], _T]
"""A generator that yields the calls of a round, at least one, and gets their outcomes."""


class Work(msgspec.Struct, frozen=True):
    """The purpose of an effect: the key that is reconciled, and the number of the call."""

    key: Hashable
    number: int


class Reconciler(Machine):
    """A controller that reconciles keys, usually the (namespace, name) of objects.

    It may take lists (`takes_lists`) if the keys of an object don't depend on others of its kind.
    """

    indexes: Indexes = ()
    """Indexes of the controller's cache of objects."""
    tends: frozenset[str] | None = None
    """Kinds of the objects that keys stand for; None if keys never rest (`RestingKeys`)."""
    replaces_pods = False
    """Whether the controller replaces pods that end."""
    retry_rules = RetryRules()

    def __init__(self) -> None:
        self.objects = Indexer(self.indexes)
        # Objects known only from an answer and not yet from a watch, by kind, place and uid.
        self._unconfirmed = DelayedKeys[tuple[str, Place, str]]()
        self._rest: postponed.RestingKeys | None = None
        self._synced = False
        self._now_s = 0.0
        # Keys to reconcile now, and those that wait for the return of their calls.
        self._dirty: dict[Hashable, None] = {}
        self._held: dict[Hashable, None] = {}
        self._waiting: dict[Hashable, dict[int, Effect]] = {}
        self._replacements = postponed.ReplacementPace()
        # The shortest wait of keys with a failed call.
        self._failing: dict[Hashable, float] = {}
        self._retries = RetryLimits(self.retry_rules)
        self._delayed = DelayedKeys[Hashable]()
        self._timers: list[tuple[float, int, Hashable]] = []
        self._count = 0

    @abstractmethod
    def keys_of(self, change: Change, before: Object | None) -> Iterable[Hashable]:
        """Return the keys to reconcile after a change.

        `before` is the former state in the indexer; it may be newer than `change.old`.
        """

    @abstractmethod
    def reconcile(self, key: Hashable, now_s: float) -> Iterable[Effect]:
        """Return the calls that move a key's object to its desired state; none if it is reached."""

    def leave(self, loaded: Container[str]) -> None:
        """Let the keys of loaded objects rest until a change concerns them; `loaded` has uids."""
        if self.tends is not None:
            self._rest = postponed.RestingKeys(loaded, self.tends)

    def is_as_loaded(self, key: Hashable) -> bool:
        """Return whether a key's object is unchanged since it was loaded; False without resting."""
        return self._rest is not None and self._rest.is_as_loaded(key)

    def end_rest(self, key: Hashable) -> None:
        """Reconcile a resting key, without marking its object as changed."""
        if self._rest is not None:
            self._rest.end(key)
        self.look_now(key)

    def stirs(self, change: Change, before: Object | None) -> bool:
        """Return whether a change ends the rest of its keys; arguments as in `keys_of`."""
        return postponed.stirs(before if before is not None else change.old, change.new)

    def step(self, event: Event, now_s: float) -> Sequence[Effect]:
        """Process an event. `Woken` reconciles all pending keys."""
        self._now_s = now_s
        if isinstance(event, Change):
            if self._unconfirmed:
                self._unconfirmed.discard((event.kind, place_of(event.obj), uid_of(event.obj)))
            self._note(event)
            return ()
        if isinstance(event, Outcome):
            return self._outcome(event)
        if isinstance(event, Synced):
            self._synced = True
            self.synced(now_s)
            return ()
        if isinstance(event, FirstList):
            self.objects.take_in(event.kind, event.objects)
            self.look_at_all(event)
            return ()
        while self._timers and self._timers[0][0] <= now_s:
            self.look_now(heapq.heappop(self._timers)[2])
        if self._delayed:
            for key in self._delayed.take_due(now_s):
                self.look_now(key)
        if self._unconfirmed:
            # Objects that no watch has confirmed in all that time are gone.
            for kind, (namespace, called), uid in self._unconfirmed.take_due(now_s):
                known = self.objects.get(kind, called, namespace)
                if known is not None and uid_of(known) == uid:
                    self._note(Change(kind, known, None))
        effects: list[Effect] = []
        # A new dict, as iterating over one that was large once takes as long as if it still were.
        dirty, self._dirty = self._dirty, {}
        for key in dirty:
            if key not in self._dirty and not self._replacements.is_held(key, now_s):
                try:
                    calls = [*self.reconcile(key, now_s)]
                except Exception as error:  # noqa: BLE001 - a bug costs only what it happens to
                    effects.append(self._panic(key, error))
                    continue
                if calls:
                    effects += self._sent(key, calls)
                else:
                    self._conclude(key)
        return effects

    def synced(self, now_s: float) -> None:
        """Hook that is called once the objects of all initial lists are known."""

    def next_wakeup_s(self) -> float | None:
        """Return the current time if keys are pending, otherwise the time of the first timer."""
        if not self._synced:
            return None
        if self._dirty:
            return self._now_s
        next_s = self._timers[0][0] if self._timers else NEVER_S
        if self._delayed:
            next_s = min(next_s, self._delayed.next_s())
        if self._unconfirmed:
            next_s = min(next_s, self._unconfirmed.next_s())
        return None if next_s == NEVER_S else next_s

    def event(self, regarding: Object, kind: str, reason: str, note: str) -> Record:
        """Return an Event reported by this controller; arguments as in `event_of`."""
        return event_of(regarding, self.name, kind, reason, note)

    def look_again(self, key: Hashable, at_s: float) -> None:
        """Reconcile a key at a time, whether or not it is reconciled before."""
        self._count += 1
        heapq.heappush(self._timers, (at_s, self._count, key))

    def look_after(self, key: Hashable, wait_s: float) -> None:
        """Reconcile a key after `wait_s` seconds, or earlier if that is already scheduled."""
        if wait_s > 0:
            self._delayed.add(key, self._now_s + wait_s)
        else:
            self.look_now(key)

    def look_now(self, key: Hashable) -> None:
        """Reconcile a key as soon as all of its calls have returned."""
        (self._held if key in self._waiting else self._dirty)[key] = None

    def _panic(self, key: Hashable, error: Exception) -> Panic:
        task = "/".join(map(str, key)) if isinstance(key, tuple) else str(key)
        return Panic(task=task, error=error, again_s=self._fail(key, 0.0))

    def has_failed(self, key: Hashable) -> bool:
        """Return whether a call of the key's last reconciliation has failed."""
        return key in self._failing or self._retries.has_failed(key)

    def _fail(self, key: Hashable, wait_s_min: float) -> float:
        """Schedule the retry of a key; return its time, or infinity if it isn't retried."""
        wait_s = self._retries.fail(key, self._now_s)
        if wait_s is None:
            return NEVER_S
        wait_s = max(wait_s, wait_s_min)
        self.look_after(key, wait_s)
        return self._now_s + wait_s

    def _conclude(self, key: Hashable) -> None:
        wait_s_min = self._failing.pop(key, None)
        if wait_s_min is None:
            self._retries.forget(key)
        else:
            self._fail(key, wait_s_min)

    def _sent(self, key: Hashable, effects: Iterable[Effect]) -> Iterable[Effect]:
        waiting: dict[int, Effect] = {}
        for effect in effects:
            if isinstance(effect, Record) or effect.purpose is not None:
                # A key waits neither for Events nor for calls that have a purpose of their own.
                yield effect
                continue
            self._count += 1
            sent = effect.with_purpose(Work(key, self._count))
            waiting[self._count] = sent
            yield sent
        if waiting:
            self._waiting[key] = waiting
        else:
            self._conclude(key)

    def _outcome(self, outcome: Outcome) -> Sequence[Effect]:
        work = outcome.effect.purpose
        if not isinstance(work, Work):
            return ()
        waiting = self._waiting.get(work.key, {})
        effect = waiting.pop(work.number, None)
        if effect is None:
            return ()
        if not waiting:
            del self._waiting[work.key]
            self._release(work.key)
        return self._take_outcome(work.key, effect, outcome)

    def _release(self, key: Hashable) -> None:
        if key in self._held:
            del self._held[key]
            self.look_now(key)

    def _take_outcome(self, key: Hashable, effect: Effect, outcome: Outcome) -> Sequence[Effect]:
        error = outcome.error
        if error is not None:
            self._failing[key] = max(self._failing.get(key, 0.0), error.retry_after_s)
        if key not in self._waiting:
            self._conclude(key)
        if isinstance(effect, Patch) and not effect.body:
            # This was an existence check.
            if error is None:
                self.look_again(key, self._now_s)
            if error is None or error.reason == "NotFound":
                found_uid = "" if outcome.obj is None else uid_of(outcome.obj)
                self.checked(key, effect, found_uid)
        if error is not None:
            return list(self.refused(key, outcome))
        self._take_answer(effect, outcome.obj)
        return list(self.carried_out(key, outcome))

    def _take_answer(self, effect: Effect, answer: Object | None) -> None:
        if answer is None or isinstance(effect, Evict):
            return
        if not isinstance(effect, Delete):
            # The kind of the effect, unless the answer is a Scale, or the pod of a binding.
            kind = str(answer.get("kind"))
            if isinstance(effect, (Create, Patch, Replace)) and kind != "Scale":
                kind = effect.kind
            # No watch would ever report the deletion of an object of another kind.
            if kind in self.kinds and self._note(Change(kind, None, answer)):
                key = kind, place_of(answer), uid_of(answer)
                self._unconfirmed.add(key, self._now_s + PATIENCE_S)
            return
        known = self.objects.get(effect.kind, effect.name, effect.namespace)
        if known is None or (effect.uid and effect.uid != uid_of(known)):
            return
        # A deleted object is still there if it has a grace period, or finalizers.
        metadata = metadata_of(answer)
        is_held = metadata.get("deletionGracePeriodSeconds") or metadata.get("finalizers")
        lives_on = metadata.get("deletionTimestamp") and is_held
        self._note(Change(effect.kind, known, answer if lives_on else None))

    def _note(self, change: Change) -> bool:
        """Store a change and react to it, unless it is known; return whether the object is new."""
        is_news, before = self.objects.apply(change)
        if is_news:
            keys = self._concerned(change, before)
            if self.replaces_pods:
                keys = [*dict.fromkeys(keys)]
                if change.kind != "Pod":
                    for key in keys if self.stirs(change, before) else ():
                        self._replacements.release(key)
                elif postponed.ended_at_once(change.obj, before, self._now_s):
                    # The owners of a pod that ended at once are held for a while.
                    for key in keys:
                        self.look_again(key, self._replacements.replaced_s(key, self._now_s))
            for key in keys:
                self.react(key, change, before)
        return is_news and before is None

    def react(self, key: Hashable, change: Change, before: Object | None) -> None:
        """Reconcile a key after a change that concerns it; arguments as in `keys_of`."""
        self.look_now(key)

    def look_at_all(self, listed: FirstList) -> None:
        """Reconcile the keys of all objects of an initial list, which the indexer already has."""
        for obj in listed.objects.values():
            for key in self._concerned(Change(listed.kind, None, obj), None):
                self.look_now(key)

    def _concerned(self, change: Change, before: Object | None) -> Iterable[Hashable]:
        keys = self.keys_of(change, before)
        if self._rest is None:
            return keys
        if not self._synced:
            return self._rest.found(change, keys)
        return self._rest.stirred(change, keys, stirs=self.stirs(change, before))

    def checked(self, key: Hashable, asked: Effect, found_uid: str) -> None:
        """Process the result of an existence check: the object's uid, or empty if there is none."""

    def carried_out(self, key: Hashable, outcome: Outcome) -> Iterable[Effect]:
        """Process the outcome of a call that succeeded, and return Events to record."""
        return ()

    def refused(self, key: Hashable, outcome: Outcome) -> Iterable[Effect]:
        """Process the outcome of a call that failed, and return Events to record."""
        return ()


class SyncFailedError(Exception):
    """A call of a sync failed; the sync is retried later."""


class SequencedReconciler(Reconciler):
    """A controller that syncs a key in several rounds of calls, each depending on the last.

    A sync is a generator that yields the calls of a round and continues with their outcomes, so
    that it reads like the sync functions of Kubernetes.
    """

    def __init__(self) -> None:
        super().__init__()
        self._syncs: dict[Hashable, Calls[None]] = {}
        self._outcomes: dict[Hashable, list[Outcome]] = {}
        self._records: list[Record] = []

    @abstractmethod
    def sync(self, key: Hashable, now_s: float) -> Calls[None]:
        """Sync the object of a key; raises SyncFailedError to be retried."""

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
        calls = [*self._sent(key, effects)]
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
    """Make the calls of a round, which may be none, and return their outcomes."""
    return (yield calls) if calls else ()


def existence_check(kind: str, name: str, namespace: str = "") -> Patch:
    """Return an empty patch, whose outcome shows an object's uid even where watches lag behind."""
    return Patch(kind=kind, name=name, namespace=namespace, body={})
