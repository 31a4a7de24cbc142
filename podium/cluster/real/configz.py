"""The configuration as `/configz` shows it: a KubeSchedulerConfiguration with all defaults."""

from typing import Any

from pydantic import BaseModel

from podium.api.values.durations import format_duration
from podium.api.values.times import NANOS_PER_SECOND
from podium.scheduler.config.document import KubeSchedulerConfiguration, Plugins, PluginSet

_PLAIN = {
    *("api_version", "kind", "parallelism"),
    *("pod_initial_backoff_seconds", "pod_max_backoff_seconds"),
}
_DURATIONS = ("leaseDuration", "renewDeadline", "retryPeriod")


def configuration_document(found: KubeSchedulerConfiguration) -> dict[str, Any]:
    """A configuration, as it could be written in a file."""
    election = found.election.model_dump(by_alias=True)
    for name in _DURATIONS:
        election[name] = format_duration(round(election[name] * NANOS_PER_SECOND))
    connection = found.connection.model_dump(include={"kubeconfig", "qps", "burst"})
    return {
        **found.model_dump(by_alias=True, include=_PLAIN),
        "leaderElection": {**election, "resourceLock": "leases"},
        "clientConnection": {**connection, "contentType": "application/json"},
        "percentageOfNodesToScore": found.percentage_of_nodes_to_score or 0,
        "profiles": [
            {
                "schedulerName": profile.scheduler_name,
                "percentageOfNodesToScore": profile.percentage_of_nodes_to_score,
                "plugins": {
                    field.alias: _plugin_set(getattr(profile.plugins, name))
                    for name, field in Plugins.model_fields.items()
                },
                "pluginConfig": [
                    {"name": name, "args": args.model_dump(mode="json", by_alias=True)}
                    for name, args in sorted(profile.args.items())
                    if isinstance(args, BaseModel)
                ],
            }
            for profile in found.profiles
        ],
    }


def _plugin_set(plugins: PluginSet) -> dict[str, Any]:
    found = {
        "enabled": [one.model_dump() for one in plugins.enabled],
        "disabled": [{"name": one.name} for one in plugins.disabled],
    }
    return {field: values for field, values in found.items() if values}
