"""The configuration of a scheduler process: flags that override a file, and `/configz`."""

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel

from podium.api.errors import PodiumError
from podium.api.values.times import NANOS_PER_SECOND, duration_seconds, format_duration
from podium.scheduler.config.document import KubeSchedulerConfiguration, Plugins

_DURATIONS = {
    "lease_duration": "leaseDuration",
    "renew_deadline": "renewDeadline",
    "retry_period": "retryPeriod",
}
_CONNECTION = ("kubeconfig", "qps", "burst")
_PLAIN = {
    *("api_version", "kind", "parallelism"),
    *("pod_initial_backoff_seconds", "pod_max_backoff_seconds"),
}


def with_flags(
    configuration: KubeSchedulerConfiguration, flags: Mapping[str, Any]
) -> KubeSchedulerConfiguration:
    """Return the configuration overridden by flags that aren't None; raises PodiumError.

    Flags are named as the fields of `leaderElection` and `clientConnection`; durations are texts,
    without the `_s` of their fields.
    """
    given = {name: value for name, value in flags.items() if value is not None}
    wrong = []
    for name in _DURATIONS:
        if name in given:
            text = given.pop(name)
            given[f"{name}_s"] = seconds = duration_seconds(text) or 0.0
            if seconds <= 0:
                flag = f"--leader-elect-{name.replace('_', '-')}"
                wrong.append(f"{flag}: {text}: must be a duration such as 15s or 1m30s")
    if wrong:
        raise PodiumError("\n".join(wrong))
    connected = {name: given.pop(name) for name in _CONNECTION if name in given}
    election = configuration.election.model_copy(update=given)
    faults = list(election.contradictions())
    if faults:
        raise PodiumError("\n".join(f"leaderElection.{fault}" for fault in faults))
    connection = configuration.connection.model_copy(update=connected)
    return configuration.model_copy(
        update={"leader_election": election, "client_connection": connection}
    )


def configuration_document(configuration: KubeSchedulerConfiguration) -> dict[str, Any]:
    """Return a configuration in the form of a configuration file."""
    election = configuration.election.model_dump(by_alias=True)
    for name in _DURATIONS.values():
        election[name] = format_duration(round(election[name] * NANOS_PER_SECOND))
    connection = configuration.connection.model_dump(include={*_CONNECTION})
    profiles = []
    for profile in configuration.profiles:
        plugins = {}
        for name, field in Plugins.model_fields.items():
            point = getattr(profile.plugins, name)
            lists = {
                "enabled": [plugin.model_dump() for plugin in point.enabled],
                "disabled": [{"name": plugin.name} for plugin in point.disabled],
            }
            plugins[field.alias] = {key: names for key, names in lists.items() if names}
        arguments = [
            {"name": name, "args": args.model_dump(mode="json", by_alias=True)}
            for name, args in sorted(profile.args.items())
            if isinstance(args, BaseModel)
        ]
        profiles.append(
            {
                "schedulerName": profile.scheduler_name,
                "percentageOfNodesToScore": profile.percentage_of_nodes_to_score,
                "plugins": plugins,
                "pluginConfig": arguments,
            }
        )
    return {
        **configuration.model_dump(by_alias=True, include=_PLAIN),
        "leaderElection": {**election, "resourceLock": "leases"},
        "clientConnection": {**connection, "contentType": "application/json"},
        "percentageOfNodesToScore": configuration.percentage_of_nodes_to_score or 0,
        "profiles": profiles,
    }
