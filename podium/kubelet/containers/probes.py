"""The probes of containers: when each is due, and what its results mean.

As the kubelet's probe workers in v1.36: so many successes or failures in a row turn the result.
Before the first one, a container counts as alive, but neither as started nor as ready.
"""

from enum import StrEnum

import msgspec

from podium.api.objects import Object


class Handler(StrEnum):
    """The occasion on which something is done in a running container: a probe, or its last hook."""

    STARTUP = "startupProbe"
    LIVENESS = "livenessProbe"
    READINESS = "readinessProbe"
    PRE_STOP = "preStop"


class HandlerResult(msgspec.Struct, frozen=True):
    """The result of a probe or hook that was carried out in a container."""

    succeeded: bool
    message: str = ""


class ProbeWorker(msgspec.Struct):
    """The state of one probe of a running container, which is due next at `due_s`."""

    kind: Handler
    spec: Object
    due_s: float
    is_under_way: bool = False
    holds: bool = False
    _row: int = 0
    _last: bool | None = None

    @classmethod
    def begun(cls, kind: Handler, spec: Object, started_s: float) -> "ProbeWorker":
        """The probe of a container that has just started."""
        delay_s = float(spec.get("initialDelaySeconds") or 0)
        return cls(kind, spec, started_s + delay_s, holds=kind is Handler.LIVENESS)

    @property
    def timeout_s(self) -> float:
        """How long it may take."""
        return float(self.spec.get("timeoutSeconds") or 1)

    @property
    def grace_period_s(self) -> int | None:
        """How long the container has to exit when it fails; None if the pod says that."""
        return self.spec.get("terminationGracePeriodSeconds")

    def answered(self, succeeded: bool, now_s: float) -> bool:
        """Take in a result; whether the probe has failed so often that it counts."""
        self.is_under_way = False
        self.due_s = max(self.due_s + float(self.spec.get("periodSeconds") or 10), now_s)
        self._row = self._row + 1 if succeeded is self._last else 1
        self._last = succeeded
        field = "successThreshold" if succeeded else "failureThreshold"
        if self._row < int(self.spec.get(field) or (1 if succeeded else 3)):
            return False
        self.holds = succeeded
        return not succeeded
