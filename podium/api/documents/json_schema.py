"""JSON Schemas of the documents that Podium reads and the reports that it writes."""

import ast
import inspect
import re
import sys
from collections import defaultdict
from collections.abc import Mapping
from functools import cache
from itertools import pairwise
from typing import Any, get_args

from pydantic import BaseModel, TypeAdapter
from pydantic.alias_generators import to_camel
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaMode, JsonSchemaValue
from pydantic_core import CoreSchema, core_schema

from podium.api.documents.report import Report, json_name

DIALECT = "https://json-schema.org/draft/2020-12/schema"

# Capitals inside of a word are those of a name.
_FIRST_WORD = re.compile(r"^[A-Z][a-z]*\b")


def schema_of(kind: Any, title: str) -> dict[str, Any]:
    """Return the JSON Schema of a document, a report, or a list of reports."""
    adapter: TypeAdapter[Any] = TypeAdapter(kind)
    (one,) = get_args(kind) or (kind,)
    mode: JsonSchemaMode = "serialization" if issubclass(one, Report) else "validation"
    schema = adapter.json_schema(by_alias=True, mode=mode, schema_generator=_Described)
    return {"$schema": DIALECT, **schema, "title": title}


class _Described(GenerateJsonSchema):
    # Describes each field by the docstring below it.

    def dataclass_schema(self, schema: core_schema.DataclassSchema) -> JsonSchemaValue:
        return _described(super().dataclass_schema(schema), schema["cls"])

    def model_schema(self, schema: core_schema.ModelSchema) -> JsonSchemaValue:
        return _described(super().model_schema(schema), schema["cls"])

    def field_title_should_be_set(self, schema: CoreSchema) -> bool:
        # Titles would only repeat the names.
        return False


def _described(schema: JsonSchemaValue, kind: type) -> JsonSchemaValue:
    texts = _field_texts(kind.__module__).get(kind.__name__)
    if not texts:
        return schema
    if issubclass(kind, BaseModel):
        aliases = {name: field.alias for name, field in kind.model_fields.items()}
    else:
        aliases = {name: json_name(name) for name in texts}
    properties = dict(schema.get("properties", {}))
    for name, text in texts.items():
        field = aliases.get(name) or to_camel(name)
        if field in properties:
            properties[field] = {"description": text, **properties[field]}
    return {**schema, "description": inspect.getdoc(kind), "properties": properties}


@cache
def _field_texts(module: str) -> Mapping[str, Mapping[str, str]]:
    """Return the docstrings of fields as phrases, by class of a module and field."""
    texts: dict[str, dict[str, str]] = defaultdict(dict)
    kinds = ast.parse(inspect.getsource(sys.modules[module])).body
    for kind in (class_def for class_def in kinds if isinstance(class_def, ast.ClassDef)):
        for part, below in pairwise(kind.body):
            match part, below:
                case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(
                    value=ast.Constant(str(text))
                ):
                    phrase = _FIRST_WORD.sub(lambda word: word[0].lower(), text)
                    texts[kind.name][name] = " ".join(phrase.split())
    return texts
