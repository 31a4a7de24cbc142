"""Conversion of keyword arguments to questions."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import MISSING, Field, fields
from difflib import get_close_matches
from enum import EnumType
from pathlib import Path
from types import NoneType
from typing import Any, TypeVar, cast, get_args, get_origin

from podium.api.errors import PodiumError
from podium.ui.inputs.input_error import InputError
from podium.ui.inputs.option import REPEATABLE, Option, Reach, option_of, several

A = TypeVar("A")

_SHOWN_MAX = 60
_WORDS: dict[Any, str] = {
    str: "a text",
    Path: "a path",
    Mapping: "an object",
    int: "a whole number",
    float: "a number",
    bool: "a bool",
}


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
    """Make a question from keyword arguments; None means the default. Raises InputError."""
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
            raise InputError(f"{name}: unknown; {hint}")
        if value is not None:
            given[name] = _checked(*known[name], value)
    for name, (field, _) in known.items():
        if field.default is MISSING and not given.get(name):
            raise InputError(f"{name}: is missing")
    if any(field.name == "order" for field in fields(cast("Any", kind))):
        repeated = (name for name in given if known[name][0].type in REPEATABLE)
        given["order"] = tuple(name for name in repeated for _ in given[name])
    return kind(**given)


def _checked(field: Field[Any], option: Option, value: Any) -> Any:
    if field.type in REPEATABLE:
        allowed, rule = REPEATABLE[field.type]
        given = [*several(value)]
        if wrong := [each for each in given if not isinstance(each, allowed)]:
            raise InputError(
                f"{field.name}: must be {rule} or several, but is {value_text(wrong[0])}"
            )
        return given
    kinds = [get_origin(kind) or kind for kind in get_args(field.type) or (field.type,)]
    for kind in kinds:
        if isinstance(kind, EnumType):
            if value not in [*kind]:
                values = ", ".join(map(str, kind))
                raise InputError(
                    f"{field.name}: must be one of {values}, but is {value_text(value)}"
                )
            return kind(value)
    # An int is a number, too, but a bool, which Python takes for an int, isn't.
    allowed = (*kinds, int) if float in kinds else (*kinds,)
    if not isinstance(value, allowed) or isinstance(value, bool) is not (bool in kinds):
        rule = " or ".join(words for kind, words in _WORDS.items() if kind in kinds)
        form = f" ({option.metavar})" if option.metavar and str in kinds else ""
        raise InputError(f"{field.name}: must be {rule}{form}, but is {value_text(value)}")
    if isinstance(value, int | float) and option.min is not None and value < option.min:
        raise InputError(f"{field.name}: must be at least {option.min}, but is {value_text(value)}")
    return value


def value_text(value: Any) -> str:
    """Return a value for an error: as Python writes it, or only its type if that is long."""
    text = repr(value)
    return text if len(text) <= _SHOWN_MAX else f"a {type(value).__name__}"


def type_text(field: Field[Any]) -> str:
    """Return the type of an option as help shows it, such as `str | Path or several`."""
    if field.type in REPEATABLE:
        return f"{_names(REPEATABLE[field.type][0])} or several"
    return _names(get_args(field.type) or (field.type,))


def _names(kinds: Iterable[Any]) -> str:
    named = (get_origin(kind) or kind for kind in kinds if kind is not NoneType)
    return " | ".join("dict" if kind is Mapping else kind.__name__ for kind in named)


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
