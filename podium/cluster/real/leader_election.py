"""One scheduler of several leads: by a Lease, compatible with client-go's `leaderelection` (v1.36).

The candidates don't compare their clocks. A candidate that doesn't lead counts by its own clock how
long the Lease has stayed unchanged; the leader counts how long ago its last successful renewal
began, and gives up well before others may take over.
"""

import asyncio
import logging
from collections.abc import Callable
from http import HTTPStatus
from random import Random
from typing import Any, Self

import msgspec
from msgspec.structs import replace

from podium.api.errors import PodiumError
from podium.api.objects import Object, metadata_of, spec_of
from podium.api.values.times import micro_time
from podium.cluster.client.http_api import CallFailedError, HttpApi
from podium.machines.effects import Create, Effect, Replace
from podium.scheduler.config.document import LeaderElection

_JITTER = 1.2

_logger = logging.getLogger(__name__)


class LeaderElectionRecord(msgspec.Struct, frozen=True, rename="camel"):
    """The spec of a Lease, as client-go writes and reads it (`resourcelock`, v1.36).

    Times are in RFC 3339 with microseconds; the identity of no holder is empty.
    """

    holder_identity: str = ""
    lease_duration_seconds: int = 0
    acquire_time: str = ""
    renew_time: str = ""
    lease_transitions: int = 0

    @classmethod
    def of(cls, lease: Object) -> "LeaderElectionRecord":
        said = {field: value for field, value in spec_of(lease).items() if value is not None}
        return msgspec.convert(said, cls)

    def taken_by(self, identity: str, lease_duration_s: float, at_s: float) -> Self:
        """The record with another holder from a time on; a first holder is no transition."""
        now, known = micro_time(at_s), bool(self.acquire_time)
        transitions = self.lease_transitions + known
        return type(self)(identity, int(lease_duration_s), now, now, transitions)

    def released(self, at_s: float) -> "LeaderElectionRecord":
        """The record without a leader, for which the next candidate needn't wait."""
        now = micro_time(at_s)
        return LeaderElectionRecord("", 1, now, now, self.lease_transitions)

    def lease(self, namespace: str, name: str, known: Object | None) -> dict[str, Any]:
        """The Lease that holds this record: a new one, or that of a known version."""
        spec = msgspec.to_builtins(self)
        if known is None:
            return {
                "apiVersion": "coordination.k8s.io/v1",
                "kind": "Lease",
                "metadata": {"namespace": namespace, "name": name},
                "spec": spec,
            }
        return {**known, "metadata": metadata_of(known), "spec": {**spec_of(known), **spec}}


class LeaseLostError(PodiumError):
    """The lease couldn't be renewed in time, or another candidate holds it."""


class LeaderElector:
    """Acquires a Lease, renews it, and releases it in the end.

    Its API is for nothing but the Lease, so that no other request stands in its way.

    Attributes:
        observed: what the Lease said last.
    """

    def __init__(
        self,
        api: HttpApi,
        configuration: LeaderElection,
        identity: str,
        now_s: Callable[[], float],
        rng: Random,
    ) -> None:
        self.observed = LeaderElectionRecord()
        self._api = api
        self._configuration = configuration
        self._identity = identity
        self._now_s = now_s
        self._rng = rng
        self._lease: Object | None = None
        self._observed_s = 0.0
        self._renewed_s = 0.0

    @property
    def is_leader(self) -> bool:
        return self.observed.holder_identity == self._identity

    @property
    def ailment(self) -> str:
        """Describe a leader whose lease has run out while it goes on; empty if it hasn't."""
        overdue_s = self._now_s() - self._renewed_s - self._configuration.lease_duration_s
        return "the lease has run out" if self.is_leader and overdue_s > 0 else ""

    async def acquire(self) -> None:
        """Wait until this process leads, however long that takes."""
        period_s = self._configuration.retry_period_s
        while not await self._try():
            await asyncio.sleep(period_s * (1 + _JITTER * self._rng.random()))
        _logger.info("became the leader: %s", self._identity)

    async def renew(self) -> None:
        """Go on leading; raises LeaseLostError."""
        while True:
            await asyncio.sleep(self._configuration.retry_period_s)
            deadline_s = self._renewed_s + self._configuration.renew_deadline_s
            try:
                async with asyncio.timeout(deadline_s - self._now_s()):
                    while not await self._try():
                        if self.observed.holder_identity not in ("", self._identity):
                            raise LeaseLostError(f"{self.observed.holder_identity} leads")
                        await asyncio.sleep(self._configuration.retry_period_s)
            except TimeoutError:
                raise LeaseLostError("the lease couldn't be renewed in time") from None

    async def release(self) -> None:
        """Stop leading and release the Lease; if that fails, the Lease expires."""
        if not self.is_leader:
            return
        record = self.observed.released(self._now_s())
        try:
            async with asyncio.timeout(self._configuration.retry_period_s):
                await self._write(record)
        except TimeoutError:
            _logger.warning("the lease wasn't released; it runs out")

    async def _try(self) -> bool:
        begun_s = self._now_s()
        try:
            # Half the deadline, as kube-scheduler's client: one that hangs leaves time for another.
            async with asyncio.timeout(self._configuration.renew_deadline_s / 2):
                if not await self._try_once():
                    return False
        except TimeoutError:
            _logger.warning("the lease can't be read or written: no answer")
            return False
        self._renewed_s = begun_s
        return True

    async def _try_once(self) -> bool:
        now_s, configuration = self._now_s(), self._configuration
        # As long as the Lease is as it was written last, there is no need to read it.
        renewed = replace(self.observed, renew_time=micro_time(now_s))
        if self.is_leader and await self._write(renewed):
            return True
        try:
            name, namespace = configuration.resource_name, configuration.resource_namespace
            self._observe(await self._api.get("Lease", name, namespace))
        except CallFailedError as failed:
            if failed.error.code != HTTPStatus.NOT_FOUND:
                _logger.warning("the lease can't be read: %s", failed)
                return False
            self._lease, self.observed = None, LeaderElectionRecord()
        holder, valid_s = self.observed.holder_identity, self.observed.lease_duration_seconds
        if self.is_leader:
            return await self._write(replace(self.observed, renew_time=micro_time(now_s)))
        if holder and self._observed_s + valid_s > now_s:
            return False
        taken = self.observed.taken_by(self._identity, configuration.lease_duration_s, now_s)
        return await self._write(taken)

    async def _write(self, record: LeaderElectionRecord) -> bool:
        namespace = self._configuration.resource_namespace
        lease = record.lease(namespace, self._configuration.resource_name, self._lease)
        effect: Effect = Replace(kind="Lease", obj=lease)
        if self._lease is None:
            effect = Create(kind="Lease", obj=lease)
        outcome = await self._api.call(effect)
        if outcome.error is not None or outcome.obj is None:
            _logger.debug("the lease can't be written: %s", outcome.error)
            return False
        self._observe(outcome.obj)
        return True

    def _observe(self, lease: Object) -> None:
        found = LeaderElectionRecord.of(lease)
        if found != self.observed:
            if found.holder_identity != self.observed.holder_identity:
                _logger.info("the leader is %s", found.holder_identity or "nobody")
            self.observed, self._observed_s = found, self._now_s()
        self._lease = lease
