"""Questions as functions, which take the options of commands as words: `--add-node` as `add_node`.

Which words there are, the types of the questions say alone: `help` and type checkers learn it from
their fields, which are the parameters of the functions.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import MISSING, Field, fields
from difflib import get_close_matches
from enum import EnumType
from inspect import Parameter, Signature
from pathlib import Path
from typing import Any, ParamSpec, Protocol, TypeVar, cast, get_args, overload

from podium.api.errors import PodiumError
from podium.ui.inputs.option import Option, Reach, Source, Sources, Texts, option_of, several
from podium.ui.questions.question import Question

P = ParamSpec("P")
Q = ParamSpec("Q")
A = TypeVar("A")
B = TypeVar("B")
A_co = TypeVar("A_co", covariant=True)
B_co = TypeVar("B_co", covariant=True)
Ask = Callable[[Any], Any]
"""Answers a question of its own."""

_KINDS = {str: "a text", Path: "a path", int: "a whole number", float: "a number", bool: "a bool"}


class WordError(PodiumError):
    """A question has an unknown word, or a word a wrong value."""


class Asks(Protocol[P, A_co]):
    """A function that asks a question; methods know what they are asked of."""

    def __call__(self, *places: P.args, **words: P.kwargs) -> A_co:
        """Ask."""


class AsksOfSeveral(Protocol[P, A_co]):
    """Likewise, with one of its first argument or several."""

    @overload
    def __call__(self, *places: P.args, **words: P.kwargs) -> A_co: ...
    @overload
    def __call__(self, one: Source, other: Source, /, *more: Source, **words: Any) -> A_co: ...


class AsksEither(Protocol[P, A_co, Q, B_co]):
    """Likewise, with another answer to a question that has more words."""

    @overload
    def __call__(self, *places: P.args, **words: P.kwargs) -> A_co: ...
    @overload
    def __call__(self, *places: Q.args, **words: Q.kwargs) -> B_co: ...


def asks(kind: Callable[P, Question[A]], summary: str, ask: Ask | None = None) -> Asks[P, A]:
    """A function that asks a question; without `ask` a method, whose object is asked."""
    return _function(kind, summary, ask)  # type: ignore[no-any-return]


def asks_of_several(
    kind: Callable[P, Question[A]], summary: str, ask: Ask | None = None
) -> AsksOfSeveral[P, A]:
    """Likewise, of a question whose first field takes several values one after the other."""
    return _function(kind, summary, ask, is_of_several=True)  # type: ignore[no-any-return]


def asks_either(
    _: Callable[P, Question[A]],
    kind: Callable[Q, Question[Any]],
    __: type[B],
    summary: str,
    ask: Ask | None = None,
) -> AsksEither[P, A, Q, B]:
    """Likewise, of a question that has the words of another one, and some more."""
    return _function(kind, summary, ask)  # type: ignore[no-any-return]


def words_of(kind: Any) -> dict[str, tuple[Field[Any], Option]]:
    """The fields of a question that the library takes, by name."""
    found = ((one, option_of(one)) for one in fields(kind))
    return {
        one.name: (one, option)
        for one, option in found
        if option is not None and option.reach is not Reach.COMMAND
    }


def made(kind: Callable[..., A], words: Mapping[str, Any]) -> A:
    """Make a question of words; raises WordError."""
    known, given = words_of(kind), dict[str, Any]()
    for word, value in words.items():
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


def _function(kind: Any, summary: str, ask: Ask | None, *, is_of_several: bool = False) -> Any:
    known = words_of(kind)
    by_place = [name for name, (one, _) in known.items() if not one.kw_only]
    parameters = [] if ask else [Parameter("self", Parameter.POSITIONAL_ONLY)]
    for name in sorted(known, key=lambda name: name not in by_place):
        one = known[name][0]
        shape = Parameter(name, Parameter.KEYWORD_ONLY, annotation=one.type)
        if one.default is not MISSING:
            shape = shape.replace(default=one.default)
        if is_of_several and name == by_place[0]:
            shape = Parameter(name, Parameter.VAR_POSITIONAL, annotation=Source)
        elif name in by_place and not is_of_several:
            shape = shape.replace(kind=Parameter.POSITIONAL_OR_KEYWORD)
        parameters.append(shape)

    def call(*places: Any, **words: Any) -> Any:
        asked, *given = (None, *places) if ask else places
        if is_of_several and given:
            given = [[one for place in given for one in several(place)]]
        if len(given) > len(by_place):
            names = ", ".join(by_place) or "none"
            raise WordError(f"{given[len(by_place)]!r}: needs a word; without one go {names}")
        words = {**dict(zip(by_place, given, strict=False)), **words}
        with spelt_as_words(kind):
            return ask(made(kind, words)) if ask else asked.ask(kind, words)

    helps = (f"    {name}: {option.help}" for name, (_, option) in known.items())
    call.__doc__ = "\n".join([summary, "", "Args:", *helps])
    call.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    return call
