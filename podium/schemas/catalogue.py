"""Which schemas there are, by name, and where their types stand."""

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from pydantic import TypeAdapter

_DIALECT = "https://json-schema.org/draft/2020-12/schema"

# The types are imported when their schema is asked for.
_TYPES: Mapping[str, str] = {
    "KubeSchedulerConfiguration": "podium.config.document:KubeSchedulerConfiguration",
    "SchedulerOptions": "podium.config.document:SchedulerOptionsDocument",
    "Scenario": "podium.simulation.scenario_file:ScenarioDocument",
    "Simulation": "podium.simulation.report:SimulationReport",
    "BenchResult": "podium.bench.results:BenchReport",
    **{
        name: f"podium.config.args:{name}"
        for name in (
            "DefaultPreemptionArgs",
            "DynamicResourcesArgs",
            "InterPodAffinityArgs",
            "NodeAffinityArgs",
            "NodeResourcesBalancedAllocationArgs",
            "NodeResourcesFitArgs",
            "PodTopologySpreadArgs",
            "VolumeBindingArgs",
        )
    },
}

NAMES = tuple(_TYPES)
"""The names of all schemas."""


def schema(name: str) -> dict[str, Any]:
    """The JSON Schema of a document or a report.

    Args:
        name: one of `NAMES`; others raise KeyError.
    """
    module, _, kind = _TYPES[name].partition(":")
    adapter: TypeAdapter[Any] = TypeAdapter(getattr(import_module(module), kind))
    return {"$schema": _DIALECT, **adapter.json_schema(by_alias=True), "title": name}
