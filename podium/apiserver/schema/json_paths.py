"""JSONPaths in CustomResourceDefinitions: of printer columns, selectable fields and replicas."""

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from podium.api.objects import Object

if TYPE_CHECKING:
    import jsonpath

_NAME = re.compile(r"\.((?:\\.|[^.\[\]\\'\"])+)")
_ESCAPE = re.compile(r"\\(.)")
# Brackets and their contents are the same in both notations.
_BRACKETS = re.compile(r"\[(?:\"[^\"]*\"|'[^']*'|[^\]\"'])*\]")


@lru_cache(maxsize=1024)
def compiled(path: str) -> "jsonpath.JSONPath":
    r"""Compile a path in kubectl's syntax, such as `.metadata.labels.a\.b`; raises ValueError."""
    _check_start(path)
    # Takes its time, and only definitions of kinds have paths.
    import jsonpath

    try:
        json_path = jsonpath.compile(_standard(path))
    except jsonpath.JSONPathError as error:
        raise ValueError(f"is an invalid path: {path}: {error}") from None
    if not isinstance(json_path, jsonpath.JSONPath):
        raise ValueError(f"is an invalid path: {path}: must be a single path")
    return json_path


def found_at(obj: Object, path: str) -> list[Any]:
    """Return all values of an object at a path."""
    return list(compiled(path).findall(obj))


def steps(path: str) -> tuple[str, ...]:
    """Return the names in a path without brackets, such as `.spec.replicas`; raises ValueError."""
    _check_start(path)
    names = tuple(_ESCAPE.sub(r"\1", name) for name in _NAME.findall(path))
    if "".join(f".{name}" for name in _NAME.findall(path)) != path or not names:
        raise ValueError("must be a simple json path without array notation")
    return names


def _check_start(path: str) -> None:
    if not path.startswith("."):
        raise ValueError("must be a simple json path starting with .")


def _standard(path: str) -> str:
    """Convert a path to RFC 9535, with names in brackets."""
    parts, at = ["$"], 0
    while at < len(path):
        # A name at any depth.
        is_below = path.startswith("..", at) and not path.startswith("...", at)
        at += is_below
        name, brackets = _NAME.match(path, at), _BRACKETS.match(path, at)
        if is_below:
            parts.append("..")
        if name is not None:
            plain = _ESCAPE.sub(r"\1", name[1])
            parts.append("[*]" if plain == "*" else f"[{plain!r}]")
            at = name.end()
        elif brackets is not None:
            parts.append(_ESCAPE.sub(r"\1", brackets[0]))
            at = brackets.end()
        else:
            raise ValueError(f"is an invalid path: {path}: unexpected {path[at]!r}")
    return "".join(parts)
