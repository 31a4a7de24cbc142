"""Questions made of words, the names of their fields, and errors that are spelt in them."""

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


class WordError(PodiumError):
    """A question has an unknown word, or a word a wrong value."""


def words_of(kind: Any, place: Reach = Reach.LIBRARY) -> dict[str, tuple[Field[Any], Option]]:
    """The fields of a question that can be given at a place, by name."""
    places = [*Reach]
    found = ((one, option_of(one)) for one in fields(kind))
    return {
        one.name: (one, option)
        for one, option in found
        if option is not None and places.index(option.reach) >= places.index(place)
    }


def made(kind: Callable[..., A], words: Mapping[str, Any], place: Reach = Reach.LIBRARY) -> A:
    """Make a question of the words that are given at a place; raises WordError."""
    known, given = words_of(kind, place), dict[str, Any]()
    former = {
        flag.lstrip("-").replace("-", "_"): name
        for name, (_, option) in known.items()
        for flag in option.formerly
    }
    for word, value in words.items():
        word = former.get(word, word)
        if word not in known:
            near = get_close_matches(word, known)
            hint = f"is {' or '.join(near)} meant?" if near else f"words are {', '.join(known)}"
            raise WordError(f"{word}: unknown; {hint}")
        if value is not None:
            given[word] = _checked(*known[word], value)
    for name, (one, _) in known.items():
        if one.default is MISSING and not given.get(name):
            raise WordError(f"{name}: is missing")
    if any(one.name == "order" for one in fields(cast("Any", kind))):
        repeated = (word for word in given if known[word][0].type in (Texts, Sources))
        given["order"] = tuple(word for word in repeated for _ in given[word])
    return kind(**given)


def _checked(one: Field[Any], option: Option, value: Any) -> Any:
    """A value of a word, where it may be given; raises WordError."""
    if one.type in (Texts, Sources):
        takes: tuple[type, ...] = (str, Path)
        what = "a text, a path"
        if one.type is Sources:
            takes, what = (str, Path, Mapping), "a file, a directory, an object"
        given = [*several(value)] if hasattr(value, "__iter__") else [value]
        if not all(isinstance(each, takes) for each in given):
            raise WordError(f"{one.name}: must be {what} or several, but is {value!r}")
        return given
    kinds = get_args(one.type) or (one.type,)
    for kind in kinds:
        if isinstance(kind, EnumType):
            if value not in [*kind]:
                known = ", ".join(map(str, kind))
                raise WordError(f"{one.name}: must be one of {known}, but is {value!r}")
            return kind(value)
    # A whole number is a number, too, but True is none.
    takes = (*kinds, int) if float in kinds else kinds
    if not isinstance(value, takes) or isinstance(value, bool) is not (bool in kinds):
        names = " or ".join(name for kind, name in _KINDS.items() if kind in kinds)
        raise WordError(f"{one.name}: must be {names}, but is {value!r}")
    if isinstance(value, int | float) and option.min is not None and value < option.min:
        raise WordError(f"{one.name}: must be at least {option.min}, but is {value!r}")
    return value


@contextmanager
def spelt_as_words(kind: Any) -> Iterator[None]:
    """Have errors name the options of a question as the library spells them."""
    try:
        yield
    except PodiumError as error:
        words = {
            flag: name
            for name, (_, option) in words_of(kind).items()
            for flag in option.flags or (f"--{name.replace('_', '-')}",)
        }
        said = str(error)
        spelt = re.sub(r"(?<![\w-])--?[a-z][a-z-]*", lambda flag: words.get(flag[0], flag[0]), said)
        if spelt != said:
            error.args = (spelt,)
        raise
