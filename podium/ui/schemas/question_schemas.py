"""JSON Schemas of questions, made of their fields."""

from dataclasses import MISSING
from enum import EnumType
from pathlib import Path
from types import NoneType
from typing import Any, get_args

from podium.api.documents.json_schema import DIALECT
from podium.ui.commands.words import words_of
from podium.ui.inputs.option import Reach, Sources, Texts

_TYPES: dict[Any, str] = {
    bool: "boolean",
    int: "integer",
    float: "number",
    str: "string",
    Path: "string",
    NoneType: "null",
}


def question_schema(kind: type, reach: Reach = Reach.LIBRARY) -> dict[str, Any]:
    """The JSON Schema of a question, with the options that can be given in some place."""
    properties: dict[str, Any] = {}
    for one, option in words_of(kind, reach).values():
        said: dict[str, Any] = {"description": option.help}
        kinds = get_args(one.type) or (one.type,)
        enum = next((each for each in kinds if isinstance(each, EnumType)), None)
        if one.type in (Texts, Sources):
            item = ["string", "object"] if one.type is Sources else "string"
            said |= {"type": ["string", "array"], "items": {"type": item}}
        elif enum is not None:
            said["enum"] = [*map(str, enum)]
        else:
            types = [*dict.fromkeys(_TYPES[each] for each in kinds)]
            said["type"] = types[0] if len(types) == 1 else types
        if option.min is not None:
            said["minimum"] = option.min
        if one.default not in (MISSING, None, ()):
            said["default"] = one.default if enum is None else str(one.default)
        properties[one.name] = said
    every = words_of(kind, reach).values()
    required = [one.name for one, _ in every if one.default is MISSING]
    return {
        "$schema": DIALECT,
        "title": kind.__name__,
        "type": "object",
        "properties": properties,
        "additionalProperties": False,
        **({"required": required} if required else {}),
    }
