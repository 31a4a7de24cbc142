"""Which schemas there are, by name, and where their types stand."""

from collections.abc import Mapping
from importlib import import_module
from typing import Any

# The types are imported when their schema is asked for.
_TYPES: Mapping[str, str] = {
    "KubeSchedulerConfiguration": "podium.config.document:KubeSchedulerConfiguration",
    "SchedulerOptions": "podium.config.scheduler_options:SchedulerOptions",
    "Scenario": "podium.simulation.scenario_file:ScenarioDocument",
    "KubeletConfiguration": "podium.node.kubelet_config:KubeletConfiguration",
    "DecideScenario": "podium.decide.scenario:ScenarioDocument",
    "EvictionQuestion": "podium.decide.eviction.question:EvictionQuestion",
    "Plan": "podium.plan.outcome:Plan",
    "Impact": "podium.advice.impact:Impact",
    "Resilience": "podium.advice.resilience_report:Resilience",
    "Explanation": "podium.plan.explanation:PodExplanation",
    "LintReport": "podium.linting.lint_report:LintReport",
    "LintConfiguration": "podium.linting.configuration:LintConfiguration",
    "EvictionRanking": "podium.plan.eviction_rankings:EvictionRanking",
    "Capacity": "podium.advice.capacity_report:Capacity",
    "CheapestNodes": "podium.advice.cheapest_nodes_report:CheapestNodes",
    "RolloutAdvice": "podium.advice.rollout_report:RolloutAdvice",
    "Simulation": "podium.simulation.simulation_report:SimulationReport",
    "Sweep": "podium.experiments.sweep_file:SweepDocument",
    "SweepReport": "podium.experiments.sweep_report:SweepReport",
    "Comparison": "podium.experiments.comparison:Comparison",
    "DecideAnswer": "podium.decide.decision_report:ScenarioAnswer",
    "EvictionAnswer": "podium.decide.eviction.eviction_answer:EvictionAnswer",
    "BenchResult": "podium.bench.results:Results",
    "LiveMeasurement": "podium.bench.live.measurements:Measurements",
    "ServerBenchResult": "podium.real.server_result:ServerResults",
    "RecordingReplay": "podium.recording.comparison:ReplayReport",
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
    from podium.schemas.generator import schema_of

    module, _, kind = _TYPES[name].partition(":")
    return schema_of(getattr(import_module(module), kind), name)
