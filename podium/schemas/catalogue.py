"""Which schemas there are, by name, and where their types stand."""

import inspect
import re
from collections.abc import Mapping
from importlib import import_module
from typing import Any, get_args, get_type_hints

from pydantic import BaseModel, TypeAdapter
from pydantic.alias_generators import to_camel
from pydantic.fields import FieldInfo
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaMode, JsonSchemaValue
from pydantic_core import CoreSchema, core_schema

from podium.documents.report import Report

_DIALECT = "https://json-schema.org/draft/2020-12/schema"

# The types are imported when their schema is asked for.
_TYPES: Mapping[str, str] = {
    "KubeSchedulerConfiguration": "podium.config.document:KubeSchedulerConfiguration",
    "SchedulerOptions": "podium.config.document:SchedulerOptionsDocument",
    "Scenario": "podium.simulation.scenario_file:ScenarioDocument",
    "Plan": "podium.plan.outcome:Plan",
    "Explanation": "podium.plan.explanation:PodExplanation",
    "EvictionRanking": "podium.plan.evicting:EvictionRanking",
    "Simulation": "podium.simulation.report:SimulationReport",
    "DecideAnswer": "podium.decide.answer:Answer",
    "BenchResult": "podium.bench.results:BenchReport",
    "LiveMeasurement": "podium.bench.live.measurements:Measurement",
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
    found = adapter.json_schema(by_alias=True, mode=mode, schema_generator=_Described)
    return {"$schema": _DIALECT, **found, "title": name}


class _Described(GenerateJsonSchema):
    """Describes each field by what the docstring of its class says of it."""

    def dataclass_schema(self, schema: core_schema.DataclassSchema) -> JsonSchemaValue:
        return _described(super().dataclass_schema(schema), schema["cls"])

    def model_schema(self, schema: core_schema.ModelSchema) -> JsonSchemaValue:
        return _described(super().model_schema(schema), schema["cls"])

    def field_title_should_be_set(self, schema: CoreSchema) -> bool:
        """Titles would only repeat the names."""
        return False


def _described(found: JsonSchemaValue, kind: type) -> JsonSchemaValue:
    summary, _, attributes = inspect.cleandoc(kind.__doc__ or "").partition("\n\nAttributes:\n")
    if not attributes:
        return found
    properties = dict(found.get("properties", {}))
    for name, text in re.findall(r"^ {4}(\w+): ((?:.|\n {8})+)", attributes, re.MULTILINE):
        called = _name_of(kind, name)
        if called in properties:
            words = " ".join(text.split())
            properties[called] = {"description": words, **properties[called]}
    return {**found, "description": summary, "properties": properties}


def _name_of(kind: type, field: str) -> str:
    """A field's name in the document."""
    if issubclass(kind, BaseModel):
        return kind.model_fields[field].alias or field
    hint = get_type_hints(kind, include_extras=True)[field]
    aliases = (one.serialization_alias for one in get_args(hint) if isinstance(one, FieldInfo))
    return next((alias for alias in aliases if alias), to_camel(field))
