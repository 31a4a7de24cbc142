"""A configuration and the flags that go before it."""

from typing import Any

import msgspec
from msgspec import structs

from podium.api.errors import PodiumError
from podium.api.values.durations import duration_seconds
from podium.scheduler.config.document import KubeSchedulerConfiguration

_DURATIONS = ("lease_duration", "renew_deadline", "retry_period")
_CONNECTION = ("kubeconfig", "qps", "burst")


class FlagError(PodiumError):
    """Flags don't say what they should, or don't go together."""


class Flags(msgspec.Struct, frozen=True, kw_only=True):
    """What is given on the command line; None where nothing is."""

    kubeconfig: str | None = None
    leader_elect: bool | None = None
    lease_duration: str | None = None
    renew_deadline: str | None = None
    retry_period: str | None = None
    resource_name: str | None = None
    resource_namespace: str | None = None
    qps: float | None = None
    burst: int | None = None


def with_flags(
    configuration: KubeSchedulerConfiguration, flags: Flags
) -> KubeSchedulerConfiguration:
    """The configuration in which flags stand in place of what the file says; raises FlagError."""
    given = structs.asdict(flags)
    found: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    wrong = []
    for name in _DURATIONS:
        if name in found:
            text = found.pop(name)
            found[f"{name}_s"] = seconds = duration_seconds(text) or 0.0
            if seconds <= 0:
                flag = f"--leader-elect-{name.replace('_', '-')}"
                wrong.append(f"{flag}: {text}: must be a duration such as 15s or 1m30s")
    if wrong:
        raise FlagError("\n".join(wrong))
    connected = {name: found.pop(name) for name in _CONNECTION if name in found}
    election = configuration.election.model_copy(update=found)
    faults = list(election.contradictions())
    if faults:
        raise FlagError("\n".join(f"leaderElection.{fault}" for fault in faults))
    connection = configuration.connection.model_copy(update=connected)
    return configuration.model_copy(
        update={"leader_election": election, "client_connection": connection}
    )
