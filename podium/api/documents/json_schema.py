"""JSON Schemas of the documents that Podium reads and the reports that it writes."""

import inspect
import re
from typing import Any, get_args, get_type_hints

from pydantic import BaseModel, TypeAdapter
from pydantic.alias_generators import to_camel
from pydantic.fields import FieldInfo
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaMode, JsonSchemaValue
from pydantic_core import CoreSchema, core_schema

from podium.api.documents.report import Report

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def schema_of(kind: Any, title: str) -> dict[str, Any]:
    """Return the JSON Schema of a document, a report, or a list of reports."""
    adapter: TypeAdapter[Any] = TypeAdapter(kind)
    (one,) = get_args(kind) or (kind,)
    mode: JsonSchemaMode = "serialization" if issubclass(one, Report) else "validation"
    schema = adapter.json_schema(by_alias=True, mode=mode, schema_generator=_Described)
    return {"$schema": DIALECT, **schema, "title": title}


class _Described(GenerateJsonSchema):
    # Describes each field by its line in the docstring of its class.

    def dataclass_schema(self, schema: core_schema.DataclassSchema) -> JsonSchemaValue:
        return _described(super().dataclass_schema(schema), schema["cls"])

    def model_schema(self, schema: core_schema.ModelSchema) -> JsonSchemaValue:
        return _described(super().model_schema(schema), schema["cls"])

    def field_title_should_be_set(self, schema: CoreSchema) -> bool:
        # Titles would only repeat the names.
        return False


def _described(schema: JsonSchemaValue, kind: type) -> JsonSchemaValue:
    summary, _, attributes = inspect.cleandoc(kind.__doc__ or "").partition("\n\nAttributes:\n")
    if not attributes:
        return schema
    if issubclass(kind, BaseModel):
        aliases = {name: field.alias for name, field in kind.model_fields.items()}
    else:
        aliases = {
            name: part.serialization_alias
            for name, hint in get_type_hints(kind, include_extras=True).items()
            for part in get_args(hint)
            if isinstance(part, FieldInfo) and part.serialization_alias
        }
    properties = dict(schema.get("properties", {}))
    for name, text in re.findall(r"^ {4}(\w+): ((?:.|\n {8})+)", attributes, re.MULTILINE):
        field = aliases.get(name) or to_camel(name)
        if field in properties:
            words = " ".join(text.split())
            properties[field] = {"description": words, **properties[field]}
    return {**schema, "description": summary, "properties": properties}
