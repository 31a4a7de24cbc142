"""Conversion of keyword arguments to questions."""

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import MISSING, Field, fields
from difflib import get_close_matches
from enum import EnumType
from pathlib import Path
from typing import Any, TypeVar, cast, get_args

from podium.api.errors import PodiumError
from podium.ui.inputs.option import Option, Reach, Sources, Texts, option_of, several

A = TypeVar("A")

_KINDS = {str: "a text", Path: "a path", int: "a whole number", float: "a number", bool: "a bool"}


class ArgumentError(PodiumError):
    """An argument of a question is unknown, missing, or has a wrong value."""


def arguments_of(kind: Any, reach: Reach = Reach.LIBRARY) -> dict[str, tuple[Field[Any], Option]]:
    """Return the options of a question that are available in `reach`, by name."""
    order = [*Reach]
    options = ((field, option_of(field)) for field in fields(kind))
    return {
        field.name: (field, option)
        for field, option in options
        if option is not None and order.index(option.reach) >= order.index(reach)
    }


def question_from(
    kind: Callable[..., A], arguments: Mapping[str, Any], reach: Reach = Reach.LIBRARY
) -> A:
    """Make a question from keyword arguments; None means the default. Raises ArgumentError."""
    known, given = arguments_of(kind, reach), dict[str, Any]()
    former = {
        flag.lstrip("-").replace("-", "_"): name
        for name, (_, option) in known.items()
        for flag in option.formerly
    }
    for argument, value in arguments.items():
        name = former.get(argument, argument)
        if name not in known:
            near = get_close_matches(name, known)
            hint = f"is {' or '.join(near)} meant?" if near else f"arguments are {', '.join(known)}"
            raise ArgumentError(f"{name}: unknown; {hint}")
        if value is not None:
            given[name] = _checked(*known[name], value)
    for name, (field, _) in known.items():
        if field.default is MISSING and not given.get(name):
            raise ArgumentError(f"{name}: is missing")
    if any(field.name == "order" for field in fields(cast("Any", kind))):
        repeated = (name for name in given if known[name][0].type in (Texts, Sources))
        given["order"] = tuple(name for name in repeated for _ in given[name])
    return kind(**given)


def _checked(field: Field[Any], option: Option, value: Any) -> Any:
    if field.type in (Texts, Sources):
        allowed: tuple[type, ...] = (str, Path)
        rule = "a text, a path"
        if field.type is Sources:
            allowed, rule = (str, Path, Mapping), "a file, a directory, an object"
        given = [*several(value)] if hasattr(value, "__iter__") else [value]
        if not all(isinstance(each, allowed) for each in given):
            raise ArgumentError(f"{field.name}: must be {rule} or several, but is {value!r}")
        return given
    kinds = get_args(field.type) or (field.type,)
    for kind in kinds:
        if isinstance(kind, EnumType):
            if value not in [*kind]:
                values = ", ".join(map(str, kind))
                raise ArgumentError(f"{field.name}: must be one of {values}, but is {value!r}")
            return kind(value)
    # An int is a number, too, but a bool, which Python takes for an int, isn't.
    allowed = (*kinds, int) if float in kinds else kinds
    if not isinstance(value, allowed) or isinstance(value, bool) is not (bool in kinds):
        rule = " or ".join(name for kind, name in _KINDS.items() if kind in kinds)
        raise ArgumentError(f"{field.name}: must be {rule}, but is {value!r}")
    if isinstance(value, int | float) and option.min is not None and value < option.min:
        raise ArgumentError(f"{field.name}: must be at least {option.min}, but is {value!r}")
    return value


@contextmanager
def errors_name_arguments(kind: Any) -> Iterator[None]:
    """Rewrite errors inside of `with` to name arguments, such as `add_node` for `--add-node`."""
    try:
        yield
    except PodiumError as error:
        names = {
            flag: name
            for name, (_, option) in arguments_of(kind).items()
            for flag in option.flags or (f"--{name.replace('_', '-')}",)
        }
        before = str(error)
        after = re.sub(r"(?<![\w-])--?[a-z][a-z-]*", lambda m: names.get(m[0], m[0]), before)
        if after != before:
            error.args = (after,)
        raise
