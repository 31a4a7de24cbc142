"""Leader election by a Lease, compatible with client-go's `leaderelection` (v1.36).

The candidates don't compare clocks. A follower measures by its own clock how long the Lease has
stayed unchanged. The leader measures how long ago its last successful renewal began, and gives up
well before a follower may take over.
"""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from http import HTTPStatus
from random import Random
from typing import Any

import msgspec
from msgspec.structs import replace

from podium.api.errors import PodiumError
from podium.api.objects import Object, metadata_of, spec_of
from podium.api.values.times import micro_time
from podium.cluster.client.http_api import CallFailedError, HttpApi
from podium.machines.effects import Create, Effect, Replace
from podium.scheduler.config.document import LeaderElection

_JITTER = 1.2
# How long a leader that doesn't renew its Lease counts as healthy once the Lease has expired.
_TOLERANCE_S = 20.0

_logger = logging.getLogger(__name__)


class LeaderElectionRecord(msgspec.Struct, frozen=True, rename="camel"):
    """The spec of a Lease, as client-go writes and reads it (`resourcelock`, v1.36).

    Times are in RFC 3339 with microseconds; the identity is empty if nobody holds the Lease.
    """

    holder_identity: str = ""
    lease_duration_seconds: int = 0
    acquire_time: str = ""
    renew_time: str = ""
    lease_transitions: int = 0

    @classmethod
    def of(cls, lease: Object) -> "LeaderElectionRecord":
        spec = {field: value for field, value in spec_of(lease).items() if value is not None}
        return msgspec.convert(spec, cls)

    def lease(self, namespace: str, name: str, known: Object | None) -> dict[str, Any]:
        """Return a Lease with this record: a new one, or `known` with its spec replaced."""
        spec = msgspec.to_builtins(self)
        if known is None:
            return {
                "apiVersion": "coordination.k8s.io/v1",
                "kind": "Lease",
                "metadata": {"namespace": namespace, "name": name},
                "spec": spec,
            }
        return {**known, "metadata": metadata_of(known), "spec": {**spec_of(known), **spec}}


@dataclass(eq=False)
class LeaderElector:
    """Acquires a Lease, renews it, and releases it at the end.

    `observed` is the Lease as last read or written. The API client is used for the Lease only, so
    that no other request delays a renewal.
    """

    api: HttpApi
    configuration: LeaderElection
    identity: str
    now_s: Callable[[], float]
    rng: Random
    observed: LeaderElectionRecord = field(default_factory=LeaderElectionRecord)
    _lease: Object | None = None
    _observed_s: float = 0.0
    _renewed_s: float = 0.0

    @property
    def is_leader(self) -> bool:
        return self.observed.holder_identity == self.identity

    @property
    def ailment(self) -> str:
        """Why the leader is unhealthy: its Lease expired a while ago; else empty, as for followers.

        The process ends when it can't renew its Lease, unless something blocks it.
        """
        name, duration_s = self.configuration.resource_name, self.configuration.lease_duration_s
        is_late = self.now_s() - self._observed_s > duration_s + _TOLERANCE_S
        if not (self.is_leader and is_late):
            return ""
        return f"failed election to renew leadership on lease {name}"

    async def acquire(self) -> None:
        """Wait until this process leads."""
        period_s = self.configuration.retry_period_s
        while not await self._try():
            await asyncio.sleep(period_s * (1 + _JITTER * self.rng.random()))
        _logger.info("became the leader: %s", self.identity)

    async def renew(self) -> None:
        """Renew the Lease until that fails; raises PodiumError."""
        while True:
            await asyncio.sleep(self.configuration.retry_period_s)
            deadline_s = self._renewed_s + self.configuration.renew_deadline_s
            try:
                async with asyncio.timeout(deadline_s - self.now_s()):
                    while not await self._try():
                        if self.observed.holder_identity not in ("", self.identity):
                            raise PodiumError(f"{self.observed.holder_identity} leads")
                        await asyncio.sleep(self.configuration.retry_period_s)
            except TimeoutError:
                raise PodiumError("the lease couldn't be renewed in time") from None

    async def release(self) -> None:
        """Release the Lease, if this process leads; if that fails, the Lease expires."""
        if not self.is_leader:
            return
        # The next candidate needn't wait for a Lease without a holder.
        now = micro_time(self.now_s())
        record = LeaderElectionRecord("", 1, now, now, self.observed.lease_transitions)
        try:
            async with asyncio.timeout(self.configuration.retry_period_s):
                await self._write(record)
        except TimeoutError:
            _logger.warning("the lease wasn't released; it runs out")

    async def _try(self) -> bool:
        begun_s = self.now_s()
        try:
            # Half the deadline, as kube-scheduler's client: one that hangs leaves time for another.
            async with asyncio.timeout(self.configuration.renew_deadline_s / 2):
                if not await self._try_once():
                    return False
        except TimeoutError:
            _logger.warning("the lease can't be read or written: no answer")
            return False
        self._renewed_s = begun_s
        return True

    async def _try_once(self) -> bool:
        now_s, configuration = self.now_s(), self.configuration
        now = micro_time(now_s)
        # While the Lease is as this process wrote it, there is no need to read it.
        if self.is_leader and await self._write(replace(self.observed, renew_time=now)):
            return True
        try:
            name, namespace = configuration.resource_name, configuration.resource_namespace
            self._observe(await self.api.get("Lease", name, namespace))
        except CallFailedError as failed:
            if failed.error.code != HTTPStatus.NOT_FOUND:
                _logger.warning("the lease can't be read: %s", failed)
                return False
            self._lease, self.observed = None, LeaderElectionRecord()
        observed = self.observed
        if self.is_leader:
            return await self._write(replace(observed, renew_time=now))
        if observed.holder_identity and self._observed_s + observed.lease_duration_seconds > now_s:
            return False
        # The first holder of a Lease is no transition.
        transitions = observed.lease_transitions + bool(observed.acquire_time)
        duration_s = int(configuration.lease_duration_s)
        taken = LeaderElectionRecord(self.identity, duration_s, now, now, transitions)
        return await self._write(taken)

    async def _write(self, record: LeaderElectionRecord) -> bool:
        namespace = self.configuration.resource_namespace
        lease = record.lease(namespace, self.configuration.resource_name, self._lease)
        effect: Effect = Replace(kind="Lease", obj=lease)
        if self._lease is None:
            effect = Create(kind="Lease", obj=lease)
        outcome = await self.api.call(effect)
        if outcome.error is not None or outcome.obj is None:
            _logger.debug("the lease can't be written: %s", outcome.error)
            return False
        self._observe(outcome.obj)
        return True

    def _observe(self, lease: Object) -> None:
        record = LeaderElectionRecord.of(lease)
        if record != self.observed:
            if record.holder_identity != self.observed.holder_identity:
                _logger.info("the leader is %s", record.holder_identity or "nobody")
            self.observed, self._observed_s = record, self.now_s()
        self._lease = lease
