"""The disruptions of a cluster's pods: noted as they begin, and kept when the pods are gone."""

import logging
import os
import sqlite3
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple, Protocol

import msgspec
from msgspec.structs import replace

from podium.api.nodes import is_cordoned
from podium.api.objects import (
    Object,
    condition_message,
    controller_kind,
    controller_uid,
    is_terminating,
    key,
    name,
    namespace,
    uid,
)
from podium.api.pods import is_finished
from podium.api.policy.disruption_budgets import selects
from podium.api.policy.disruption_target import (
    BY_DRAIN,
    BY_EVICTION,
    BY_SCHEDULER,
    DISRUPTION_TARGET,
    Cause,
    cause_of,
)
from podium.api.priority import pod_priority
from podium.api.process.private_files import FileError, owner_only
from podium.api.process.recent_values import Recent
from podium.api.values.times import epoch_s
from podium.controllers.daemon_set.daemon_set_state import target_of
from podium.kubelet.pod_status import failure_cause
from podium.scheduler.machine.scheduler_machine import SchedulerMachine
from podium.scheduler.preemption.record import (
    PodReference,
    WrittenRecord,
    preemptor_uid,
    written_record,
)
from podium.ui.dashboard.descriptions import described_budget, described_pod
from podium.ui.dashboard.views import Disruption

KEPT_MAX = 100_000
PAGE_MAX = 5_000
_TOLD_MAX = 1_000

# `version` counts the changes of all rows; `decision` is the record of a preemption.
_SCHEMA = """
PRAGMA journal_mode = WAL;
PRAGMA synchronous = NORMAL;
CREATE TABLE IF NOT EXISTS disruptions (
  number INTEGER PRIMARY KEY, version INTEGER, owner_uid TEXT, replacement TEXT,
  pod TEXT, preemptor TEXT, body BLOB, decision BLOB
);
CREATE INDEX IF NOT EXISTS by_version ON disruptions (version);
CREATE INDEX IF NOT EXISTS by_pod ON disruptions (pod);
CREATE INDEX IF NOT EXISTS by_preemptor ON disruptions (preemptor);
CREATE INDEX IF NOT EXISTS unreplaced ON disruptions (owner_uid) WHERE replacement = '';
"""
_PUT = """
INSERT INTO disruptions VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (number) DO UPDATE
SET version = excluded.version, replacement = excluded.replacement, body = excluded.body,
  preemptor = excluded.preemptor, decision = ifnull(excluded.decision, decision)
"""

_logger = logging.getLogger(__name__)


class Source(Protocol):
    """The objects of a cluster at present, and its schedulers."""

    def find(self, kind: str, namespace: str, name: str) -> Object | None: ...
    def known(self, kind: str) -> Iterable[Object]: ...
    def machines(self) -> Iterable[SchedulerMachine]: ...


class _Preemption(NamedTuple):
    """The preemptor of a pod, and the decision, which kube-scheduler doesn't tell."""

    preemptor: PodReference | None
    decision: WrittenRecord | None = None


_UNKNOWN = _Preemption(None)


class DisruptionLog:
    """The last `KEPT_MAX` disruptions of a cluster, in memory, or in a SQLite file.

    Attributes:
        number: number of the last disruption.
        version: number of changes so far: disruptions, and replacements of their pods.

    Raises:
        FileError: the file can't be used.
    """

    def __init__(self, source: Source, path: Path | None) -> None:
        self._source = source
        # By the victim's uid, since an Event may be seen before its victim's end.
        self._told = Recent[str, _Preemption](_TOLD_MAX)
        try:
            if path is not None:
                os.close(owner_only(str(path), os.O_RDWR | os.O_CREAT))
            # A run may be served by another thread than the one that has played it.
            self._db = sqlite3.connect(
                path or ":memory:", isolation_level=None, check_same_thread=False
            )
            self._db.executescript(_SCHEMA)
            last = "SELECT ifnull(max(number), 0), ifnull(max(version), 0) FROM disruptions"
            self.number, self.version = self._db.execute(last).fetchone()
        except (OSError, sqlite3.Error) as error:
            raise FileError(f"{path}: can't keep disruptions: {error}") from None

    def close(self) -> None:
        self._db.close()

    def before(self, number: int) -> list[msgspec.Raw]:
        """Return the last `PAGE_MAX` disruptions before a number, in order."""
        page = "number < ? ORDER BY number DESC LIMIT ?"
        return [*self._bodies(page, number, PAGE_MAX)][::-1]

    def since(self, version: int) -> list[msgspec.Raw]:
        """Return the disruptions that were added or changed after a version."""
        return [*self._bodies("version > ? ORDER BY version", version)]

    def knows(self, pod: str) -> bool:
        """Return whether a pod, `namespace/name`, was disrupted, or has preempted others."""
        return any(True for _ in self._bodies("pod = ? OR preemptor = ? LIMIT 1", pod, pod))

    def decision(self, pod: str) -> WrittenRecord | None:
        """Return the last preemption by or of a pod, `namespace/name`; None if none is known."""
        which = "decision NOT NULL AND (pod = :pod OR preemptor = :pod) ORDER BY number DESC"
        query = f"SELECT decision FROM disruptions WHERE {which}"
        row = self._db.execute(query, {"pod": pod}).fetchone()
        return None if row is None else msgspec.json.decode(row[0], type=WrittenRecord)

    def pod_changed(self, old: Object | None, new: Object | None, at_s: float) -> None:
        """Note what a change of a pod says of disruptions; `at_s` is since the epoch."""
        pod = new or old or {}
        if old is None:
            self._replace(pod)
        elif not _has_ended(old) and (new is None or _has_ended(new)):
            cause = cause_of(pod) or failure_cause(pod)
            if cause is not None:
                self._add(pod, cause, at_s)

    def event_written(self, event: Object) -> None:
        """Note by an Event, such as of another process's scheduler, who preempted a pod."""
        victim = event.get("regarding") or event.get("involvedObject") or {}
        victim_uid = victim.get("uid") or ""
        preemption = self._preemption_of(event, victim_uid)
        if preemption is None:
            return
        self._told.put(victim_uid, preemption)
        pod = f"{victim.get('namespace')}/{victim.get('name')}"
        for body in [*self._bodies("pod = ? AND preemptor = ''", pod)]:
            lost = msgspec.json.decode(body, type=Disruption)
            if lost.pod.uid == victim_uid and lost.cause == BY_SCHEDULER.name:
                self._put(self._by(lost, preemption), preemption.decision)

    def _add(self, pod: Object, cause: Cause, at_s: float) -> None:
        found, preemption = described_pod(pod), _UNKNOWN
        if cause is BY_SCHEDULER:
            preemption = self._decided(found.uid) or self._told.get(found.uid) or _UNKNOWN
        elif cause is BY_EVICTION and is_cordoned(self._source.find("Node", "", found.node) or {}):
            cause = BY_DRAIN
        covering = (b for b in self._source.known("PodDisruptionBudget") if selects(b, pod))
        disruption = Disruption(
            number=self.number + 1,
            at_s=round(at_s, 3),
            cause=cause.name,
            group=cause.group,
            clause=cause.clause,
            message=found.message or condition_message(pod, DISRUPTION_TARGET),
            pod=found,
            owner_uid=controller_uid(pod),
            budgets=[*map(described_budget, covering)],
        )
        self._put(self._by(disruption, preemption), preemption.decision)

    def _by(self, lost: Disruption, preemption: _Preemption) -> Disruption:
        preemptor = preemption.preemptor
        if preemptor is None:
            return lost
        pod = self._source.find("Pod", preemptor.namespace, preemptor.name)
        return replace(
            lost,
            preemptor=f"{preemptor.namespace}/{preemptor.name}",
            preemptor_priority=preemptor.priority,
            preemptor_requests=described_pod(pod).requests if pod else {},
        )

    def _decided(self, victim_uid: str) -> _Preemption | None:
        for machine in self._source.machines():
            for record in reversed(machine.preemptions.history):
                if _takes(record, victim_uid):
                    return _Preemption(record.preemptor, record)
        return None

    def _preemption_of(self, event: Object, victim_uid: str) -> _Preemption | None:
        record = written_record(event)
        if record is not None and _takes(record, victim_uid):
            return _Preemption(record.preemptor, record)
        preemptor = preemptor_uid(event)
        for pod in self._source.known("Pod") if preemptor else ():
            if uid(pod) == preemptor:
                priority = pod_priority(pod)
                return _Preemption(PodReference(namespace(pod), name(pod), preemptor, priority))
        return None

    def _replace(self, pod: Object) -> None:
        owner_uid, kind = controller_uid(pod), controller_kind(pod)
        if not self.number or not owner_uid:
            return
        created_s = epoch_s(pod["metadata"]["creationTimestamp"])
        for body in self._bodies("owner_uid = ? AND replacement = '' ORDER BY number", owner_uid):
            lost = msgspec.json.decode(body, type=Disruption)
            is_other = kind == "StatefulSet" and key(pod) != f"{lost.pod.namespace}/{lost.pod.name}"
            is_elsewhere = kind == "DaemonSet" and target_of(pod) != lost.pod.node
            # A list after an interruption has pods that were there before.
            if not (is_other or is_elsewhere or created_s < int(lost.at_s)):
                self._put(replace(lost, replacement=key(pod)))
                return

    def _put(self, one: Disruption, decision: WrittenRecord | None = None) -> None:
        self.version += 1
        self.number = max(self.number, one.number)
        pod, body = f"{one.pod.namespace}/{one.pod.name}", msgspec.json.encode(one)
        row = one.number, self.version, one.owner_uid, one.replacement, pod, one.preemptor, body
        kept = decision and msgspec.json.encode(decision)
        try:
            self._db.execute(_PUT, (*row, kept))
            self._db.execute("DELETE FROM disruptions WHERE number <= ?", (self.number - KEPT_MAX,))
        except sqlite3.Error as error:
            # Such as of a full disk, of which the store tells.
            _logger.warning("the disruption of %s isn't kept: %s", pod, error)

    def _bodies(self, which: str, *values: object) -> Iterator[msgspec.Raw]:
        query = f"SELECT body FROM disruptions WHERE {which}"
        return (msgspec.Raw(body) for (body,) in self._db.execute(query, values))


def _takes(record: WrittenRecord, victim_uid: str) -> bool:
    return any(victim.uid == victim_uid for victim in record.victims)


def _has_ended(pod: Object) -> bool:
    return is_terminating(pod) or is_finished(pod)
