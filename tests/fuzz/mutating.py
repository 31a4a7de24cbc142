"""Objects changed in a few places, led by their schema: any field, set or not, can be one."""

import copy
from collections.abc import Callable
from random import Random
from typing import Any

from tests.fuzz import odd, words
from tests.fuzz.schemas import NO_SCHEMA, Schema, resolved, type_of

Fragments = Callable[[], Any]
"""Gives a piece of some object that there is."""

_ODD_POOLS = {
    "string": (odd.STRINGS,),
    "integer": (odd.INTEGERS,),
    "number": (odd.INTEGERS, odd.FLOATS),
    "quantity": (odd.QUANTITIES,),
    "time": (odd.TIMES,),
    "int-or-string": (odd.MIXED, odd.INTEGERS),
    "byte": (odd.BYTES,),
    "boolean": ((True, False),),
}
_HEADER = ("apiVersion", "kind", "metadata")
MANY = (150, 3_000)
DEPTH_MAX = 5


class Mutator:
    """Changes objects.

    Attributes:
        touched: the names of the fields that were changed last.

    Args:
        rng: chooses.
        fragments: pieces of other objects.
    """

    def __init__(self, rng: Random, fragments: Fragments) -> None:
        self._rng = rng
        self._fragments = fragments
        self.touched: list[str] = []

    def mutated(self, obj: Any, schema: Schema, count: int) -> Any:
        """A copy of an object with some of its values replaced, added or gone."""
        obj = copy.deepcopy(obj)
        self.touched = []
        for _ in range(count):
            if isinstance(obj, dict):
                self._change(obj, schema, "")
        return obj

    def plausible(self, schema: Schema, field: str, depth: int = 0) -> Any:
        """A value of the right type that may well be let in."""
        schema, rng = resolved(schema), self._rng
        kind = type_of(schema)
        if kind == "object":
            return self._struct(schema, depth)
        if kind == "array":
            count = rng.choice((0, 1, 1, 2)) if depth < DEPTH_MAX else 0
            return [self.plausible(schema["items"], field, depth + 1) for _ in range(count)]
        if kind == "map":
            inner = schema["additionalProperties"]
            count = rng.choice((1, 1, 2))
            keys = [words.key(rng, field) for _ in range(count)]
            return {key: self.plausible(inner, key, depth + 1) for key in keys}
        return self._leaf(kind, field)

    def _leaf(self, kind: str, field: str) -> Any:
        rng = self._rng
        match kind:
            case "integer":
                return rng.choice((0, 1, 2, 3, 5, 10, 80, 8080))
            case "boolean":
                return rng.random() < 0.5
            case "quantity":
                return rng.choice(("0", "1", "100m", "1Gi", "2", "64Mi"))
            case "time":
                return rng.choice(odd.TIMES[:4])
            case "int-or-string":
                return rng.choice((1, 80, "50%", "http"))
            case "byte":
                return "eA=="
            case "string":
                is_scripted = field in words.ANNOTATIONS
                return rng.choice(words.SPANS) if is_scripted else words.word(rng, field)
        return {}

    def _struct(self, schema: Schema, depth: int) -> dict[str, Any]:
        fields = schema.get("properties", {})
        count = min(len(fields), self._rng.choice((1, 2, 3, 4)))
        chosen = self._rng.sample(sorted(fields), count) if depth < DEPTH_MAX else []
        # Without these hardly anything is let in.
        usual = [name for name in ("name", "key", "operator", "topologyKey") if name in fields]
        return {
            name: self.plausible(fields[name], name, depth + 1)
            for name in dict.fromkeys((*usual, *chosen))
        }

    def _change(self, holder: dict[str, Any], schema: Schema, field: str) -> None:
        """Go down to some place, and change what is there."""
        schema, rng = resolved(schema), self._rng
        name = self._name(holder, schema, field)
        inner = self._inner(schema, name)
        value = holder.get(name)
        if isinstance(value, dict) and value and rng.random() < 0.85:
            return self._change(value, inner, name)
        if isinstance(value, list) and value and rng.random() < 0.85:
            return self._change_item(value, inner, name)
        self.touched.append(name)
        if name in holder and rng.random() < 0.15:
            del holder[name]
        else:
            holder[name] = self._value(inner, name)
        return None

    def _change_item(self, items: list[Any], schema: Schema, field: str) -> None:
        rng = self._rng
        inner = resolved(schema).get("items", NO_SCHEMA)
        place = rng.randrange(len(items))
        self.touched.append(field)
        match rng.random():
            case chance if chance < 0.65 and isinstance(items[place], dict):
                self._change(items[place], inner, field)
            case chance if chance < 0.75:
                items[place] = self._value(inner, field)
            case chance if chance < 0.8:
                items.append(copy.deepcopy(items[place]))
            case chance if chance < 0.85:
                items *= rng.choice(MANY)
            case chance if chance < 0.9:
                del items[place]
            case _:
                items.append(self._value(inner, field))

    def _name(self, holder: dict[str, Any], schema: Schema, field: str) -> str:
        """A field that the holder has, or could have, or couldn't."""
        rng = self._rng
        if not field:
            # Who says what an object is and how it is called is hardly heard out about the rest.
            holder = {name: 0 for name in holder if name not in _HEADER or rng.random() < 0.2}
        known = [name for name in schema.get("properties", ()) if field or name not in _HEADER]
        if holder and rng.random() < 0.6:
            return str(rng.choice(sorted(holder)))
        if known and rng.random() < 0.97:
            return str(rng.choice(known))
        if type_of(schema) == "map" and rng.random() < 0.7:
            return words.key(rng, field)
        return str(odd.odd(rng, odd.STRINGS))

    @staticmethod
    def _inner(schema: Schema, name: str) -> Schema:
        found: Schema = schema.get("properties", {}).get(name) or NO_SCHEMA
        return found or schema.get("additionalProperties", NO_SCHEMA)

    def _value(self, schema: Schema, field: str) -> Any:
        rng, kind = self._rng, type_of(resolved(schema))
        match rng.random():
            case chance if chance < 0.5:
                return self.plausible(schema, field)
            case chance if chance < 0.8 and kind in _ODD_POOLS:
                return odd.odd(rng, *_ODD_POOLS[kind])
            case chance if chance < 0.85 and kind in ("map", "array"):
                return self._crowd(resolved(schema), kind, field)
            case chance if chance < 0.92:
                return copy.deepcopy(self._fragments())
        return odd.odd(rng)

    def _crowd(self, schema: Schema, kind: str, field: str) -> Any:
        """Thousands of elements."""
        count = self._rng.choice(MANY)
        if kind == "array":
            return [self.plausible(schema["items"], field, DEPTH_MAX) for _ in range(count)]
        inner = self.plausible(schema["additionalProperties"], field, DEPTH_MAX)
        return {f"example.com/k{number}": inner for number in range(count)}
