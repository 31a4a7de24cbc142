"""Which schemas there are, by name, and where their types stand."""

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from podium.ui.commands import QUESTIONS
from podium.ui.schemas.question_schemas import question_schema

# The types are imported when their schema is asked for.
_TYPES: Mapping[str, str] = {
    "KubeSchedulerConfiguration": "podium.scheduler.config.document:KubeSchedulerConfiguration",
    "SchedulerOptions": "podium.scheduler.config.scheduler_options:SchedulerOptions",
    "Scenario": "podium.simulation.scenario:ScenarioDocument",
    "KubeletConfiguration": "podium.kubelet.kubelet_config:KubeletConfiguration",
    "DecideScenario": "podium.simulation.decide.scenario:DecisionScenario",
    "EvictionQuestion": "podium.simulation.decide.eviction.question:EvictionQuestion",
    "Plan": "podium.whatif.plan.plan_report:Plan",
    "Impact": "podium.whatif.resilience.impact:Impact",
    "Resilience": "podium.whatif.resilience.resilience_report:Resilience",
    "Explanation": "podium.whatif.explain.explanation:PodExplanation",
    "LintReport": "podium.whatif.lint.lint_report:LintReport",
    "LintConfiguration": "podium.whatif.lint.linter:LintConfiguration",
    "EvictionRanking": "podium.whatif.explain.eviction_rankings:EvictionRanking",
    "Capacity": "podium.whatif.capacity.capacity_report:Capacity",
    "CheapestNodes": "podium.whatif.capacity.capacity_report:CheapestNodes",
    "RolloutAdvice": "podium.whatif.rollout_order.rollout_report:RolloutAdvice",
    "Simulation": "podium.simulation.runner.simulation_report:SimulationReport",
    "Sweep": "podium.simulation.experiments.sweep.sweep_file:SweepDocument",
    "SweepReport": "podium.simulation.experiments.sweep.sweep_report:SweepReport",
    "Comparison": "podium.simulation.experiments.comparison.comparison:Comparison",
    "DecideAnswer": "podium.simulation.decide.decisions:ScenarioAnswer",
    "EvictionAnswer": "podium.simulation.decide.eviction.rounds:EvictionAnswer",
    "BenchResult": "podium.simulation.benchmarks.results:Results",
    "LiveMeasurement": "podium.simulation.benchmarks.results:Measurements",
    "ServerBenchResult": "podium.simulation.benchmarks.results:ServerResults",
    "RecordingReplay": "podium.simulation.recordings.comparison:ReplayReport",
    **{
        name: f"podium.scheduler.config.args:{name}"
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
"""The names of the schemas of documents and reports."""

_ASKED = {target.partition(":")[2]: target for target in QUESTIONS.values()}

EVERY_NAME = (*NAMES, *_ASKED)
"""These, and the names of the schemas of questions."""


def schema(name: str) -> dict[str, Any]:
    """The JSON Schema of a document, a report or a question.

    Args:
        name: one of `EVERY_NAME`; others raise KeyError.
    """
    # Completion lists the names without it.
    from podium.api.documents.json_schema import schema_of

    if name in _ASKED:
        module, _, kind = _ASKED[name].partition(":")
        return question_schema(getattr(import_module(f"podium.ui.commands.{module}"), kind))
    module, _, kind = _TYPES[name].partition(":")
    return schema_of(getattr(import_module(module), kind), name)
