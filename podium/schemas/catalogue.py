"""Which schemas there are, by name, and where their types stand."""

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from pydantic import TypeAdapter
from pydantic.json_schema import JsonSchemaMode

from podium.documents.report import Report

_DIALECT = "https://json-schema.org/draft/2020-12/schema"

# The types are imported when their schema is asked for.
_TYPES: Mapping[str, str] = {
    "KubeSchedulerConfiguration": "podium.config.document:KubeSchedulerConfiguration",
    "SchedulerOptions": "podium.config.document:SchedulerOptionsDocument",
    "Scenario": "podium.simulation.scenario_file:ScenarioDocument",
    "KubeletConfiguration": "podium.node.kubelet_config:KubeletConfiguration",
    "DecideScenario": "podium.decide.scenario:ScenarioDocument",
    "EvictionQuestion": "podium.decide.eviction.questions:EvictionQuestion",
    "Plan": "podium.plan.outcome:Plan",
    "Explanation": "podium.plan.explanation:PodExplanation",
    "EvictionRanking": "podium.plan.evicting:EvictionRanking",
    "Simulation": "podium.simulation.report:SimulationReport",
    "DecideAnswer": "podium.decide.answer:Answer",
    "EvictionAnswer": "podium.decide.eviction.answer:EvictionAnswer",
    "BenchResult": "podium.bench.results:BenchReport",
    "LiveMeasurement": "podium.bench.live.measuring:Measured",
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
    of = getattr(import_module(module), kind)
    adapter: TypeAdapter[Any] = TypeAdapter(of)
    mode: JsonSchemaMode = "serialization" if issubclass(of, Report) else "validation"
    found = adapter.json_schema(by_alias=True, mode=mode)
    return {"$schema": _DIALECT, **found, "title": name}
