"""How much is kept, and by whom: the elements of all containers that can be reached."""

from collections import Counter, deque
from collections.abc import Iterable, Iterator
from functools import partial
from types import CellType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

_LISTS = (list, tuple, set, frozenset, deque)
_PLAIN = (str, bytes, int, float, bool, type(None), type, ModuleType)
_MOSTLY = frozenset(_PLAIN)


def sizes(*roots: object) -> Counter[str]:
    """Numbers of elements by class and attribute, such as `Shelf._objects`.

    What is in a container counts for the attribute that has the container, however deep; what
    several have counts for whom is reached first.
    """
    found: Counter[str] = Counter()
    seen: dict[int, object] = {}
    waiting: deque[tuple[object, str]] = deque((root, "root") for root in roots)
    while waiting:
        obj, path = waiting.popleft()
        if isinstance(obj, _PLAIN) or id(obj) in seen:
            continue
        seen[id(obj)] = obj
        if isinstance(obj, np.ndarray):
            found[path] += obj.size
            continue
        if isinstance(obj, (dict, *_LISTS)):
            found[path] += len(obj)
        waiting += _parts(obj, path)
    return found


def _parts(obj: Any, path: str) -> Iterator[tuple[object, str]]:
    if isinstance(obj, dict):
        yield from _in_container(obj, path)
        yield from _in_container(obj.values(), path)
    elif isinstance(obj, _LISTS):
        yield from _in_container(obj, path)
    elif isinstance(obj, MethodType):
        yield obj.__self__, path
    elif isinstance(obj, partial):
        yield from ((part, path) for part in (obj.func, obj.args, obj.keywords))
    elif isinstance(obj, FunctionType):
        yield from ((cell, path) for cell in obj.__closure__ or ())
    elif isinstance(obj, CellType):
        yield obj.cell_contents, path
    else:
        name = type(obj).__qualname__
        yield from ((value, f"{name}.{field}") for field, value in _fields(obj))


def _in_container(parts: Iterable[object], path: str) -> list[tuple[object, str]]:
    """Those that may have parts themselves, as most don't."""
    return [(part, path) for part in parts if type(part) not in _MOSTLY]


def _fields(obj: Any) -> Iterator[tuple[str, object]]:
    yield from getattr(obj, "__dict__", {}).items()
    for base in type(obj).__mro__:
        for field in getattr(base, "__slots__", ()):
            name = f"_{base.__name__}{field}" if field.startswith("__") else field
            if hasattr(obj, name):
                yield field, getattr(obj, name)
