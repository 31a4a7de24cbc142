"""JSON Schemas of documents that Podium reads, of its reports, and of the commands' options.

The schemas are generated from the types. `docs/schemas` has them as files, for editors and for
programs that read reports; a test compares the files with the types.
"""

from collections.abc import Mapping
from dataclasses import MISSING
from enum import EnumType
from importlib import import_module
from pathlib import Path
from types import NoneType
from typing import Any, get_args

from podium.api.objects import Object
from podium.ui.commands import QUESTIONS
from podium.ui.commands.arguments import arguments_of
from podium.ui.inputs.option import REPEATABLE, Reach, Sources

# The types are imported when their schema is asked for.
_MODULES: Mapping[str, str] = {
    "KubeSchedulerConfiguration": "podium.scheduler.config.document:KubeSchedulerConfiguration",
    "SchedulerOptions": "podium.scheduler.config.scheduler_options:SchedulerOptions",
    "Scenario": "podium.simulation.scenario.scenario_document:ScenarioDocument",
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

NAMES = tuple(_MODULES)
"""The names of the schemas of documents and reports."""

_QUESTIONS = {target.partition(":")[2]: target for target in QUESTIONS.values()}

EVERY_NAME = (*NAMES, *_QUESTIONS)
"""The names of all schemas, those of questions included."""

_JSON_TYPES: dict[Any, str] = {
    bool: "boolean",
    int: "integer",
    float: "number",
    str: "string",
    Path: "string",
    Object: "object",
    NoneType: "null",
}


def schema(name: str) -> dict[str, Any]:
    """Return the JSON Schema of a document; raises KeyError for a name not in `EVERY_NAME`."""
    # Imported when it is called, as completion lists the names without it.
    from podium.api.documents.json_schema import schema_of

    if name in _QUESTIONS:
        module, _, kind = _QUESTIONS[name].partition(":")
        return question_schema(getattr(import_module(f"podium.ui.commands.{module}"), kind))
    module, _, kind = _MODULES[name].partition(":")
    return schema_of(getattr(import_module(module), kind), name)


def question_schema(kind: type, reach: Reach = Reach.LIBRARY) -> dict[str, Any]:
    """Return the JSON Schema of a question's options that are available in `reach`."""
    # Imported when it is called, as completion lists the names without it.
    from podium.api.documents.json_schema import DIALECT

    properties: dict[str, Any] = {}
    arguments = arguments_of(kind, reach).values()
    for field, option in arguments:
        property_schema: dict[str, Any] = {"description": option.help}
        kinds = get_args(field.type) or (field.type,)
        enum = next((enum_meta for enum_meta in kinds if isinstance(enum_meta, EnumType)), None)
        if field.type in REPEATABLE:
            item = ["string", "object"] if field.type is Sources else "string"
            property_schema |= {"type": ["string", "array"], "items": {"type": item}}
        elif enum is not None:
            property_schema["enum"] = [*map(str, enum)]
        else:
            types = [*dict.fromkeys(_JSON_TYPES[one] for one in kinds)]
            property_schema["type"] = types[0] if len(types) == 1 else types
        if option.min is not None:
            property_schema["minimum"] = option.min
        if field.default not in (MISSING, None, ()):
            property_schema["default"] = field.default if enum is None else str(field.default)
        properties[field.name] = property_schema
    required = [field.name for field, _ in arguments if field.default is MISSING]
    return {
        "$schema": DIALECT,
        "title": kind.__name__,
        "type": "object",
        "properties": properties,
        "additionalProperties": False,
        **({"required": required} if required else {}),
    }
