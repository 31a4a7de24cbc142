"""The configuration as `/configz` shows it: a KubeSchedulerConfiguration with all defaults."""

from typing import Any

from pydantic import BaseModel

from podium.api.values.durations import format_duration
from podium.api.values.times import NANOS_PER_SECOND
from podium.scheduler.config.args import API_VERSION
from podium.scheduler.config.document import (
    KIND,
    ExtensionPoint,
    KubeSchedulerConfiguration,
    PluginSet,
)


def configuration_document(found: KubeSchedulerConfiguration) -> dict[str, Any]:
    """A configuration, as it could be written in a file."""
    election, connection = found.election, found.connection
    return {
        "apiVersion": API_VERSION,
        "kind": KIND,
        "parallelism": found.parallelism,
        "leaderElection": {
            "leaderElect": election.leader_elect,
            "leaseDuration": _duration(election.lease_duration_s),
            "renewDeadline": _duration(election.renew_deadline_s),
            "retryPeriod": _duration(election.retry_period_s),
            "resourceLock": "leases",
            "resourceName": election.resource_name,
            "resourceNamespace": election.resource_namespace,
        },
        "clientConnection": {
            "kubeconfig": connection.kubeconfig,
            "contentType": "application/json",
            "qps": connection.qps,
            "burst": connection.burst,
        },
        "percentageOfNodesToScore": found.percentage_of_nodes_to_score or 0,
        "podInitialBackoffSeconds": found.pod_initial_backoff_seconds,
        "podMaxBackoffSeconds": found.pod_max_backoff_seconds,
        "profiles": [
            {
                "schedulerName": profile.scheduler_name,
                "percentageOfNodesToScore": profile.percentage_of_nodes_to_score,
                "plugins": {
                    **{one.value: _plugin_set(profile.plugins.at(one)) for one in ExtensionPoint},
                    "multiPoint": _plugin_set(profile.plugins.multi_point),
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
        "enabled": [{"name": one.name, "weight": one.weight} for one in plugins.enabled],
        "disabled": [{"name": one.name} for one in plugins.disabled],
    }
    return {field: values for field, values in found.items() if values}


def _duration(seconds: float) -> str:
    return format_duration(round(seconds * NANOS_PER_SECOND))
