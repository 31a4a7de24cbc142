"""Questions as functions, which take the options of commands as words: `--add-node` as `add_node`.

Which words there are, the types of the questions say alone: `help` and type checkers learn it from
their fields, which are the parameters of the functions.
"""

from collections.abc import Callable
from dataclasses import MISSING
from inspect import Parameter, Signature
from typing import Any, ParamSpec, Protocol, TypeVar, overload

from podium.ui.commands.question import Question
from podium.ui.commands.words import WordError, made, spelt_as_words, words_of
from podium.ui.inputs.option import Source, several

P = ParamSpec("P")
Q = ParamSpec("Q")
A = TypeVar("A")
B = TypeVar("B")
A_co = TypeVar("A_co", covariant=True)
B_co = TypeVar("B_co", covariant=True)
Ask = Callable[[Any], Any]
"""Answers a question of its own."""


class Asks(Protocol[P, A_co]):
    """A function that asks a question; methods know what they are asked of."""

    def __call__(self, *places: P.args, **words: P.kwargs) -> A_co:
        """Ask."""


class AsksOfSeveral(Protocol[P, A_co]):
    """A function that asks a question, with one value or several of its first argument."""

    @overload
    def __call__(self, *places: P.args, **words: P.kwargs) -> A_co: ...
    @overload
    def __call__(self, one: Source, other: Source, /, *more: Source, **words: Any) -> A_co: ...


class AsksEither(Protocol[P, A_co, Q, B_co]):
    """A function that asks one of two questions, of which the second has more words."""

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
    """A function that asks a question whose first field takes several values in a row."""
    return _function(kind, summary, ask, is_of_several=True)  # type: ignore[no-any-return]


def asks_either(
    _: Callable[P, Question[A]],
    kind: Callable[Q, Question[Any]],
    __: type[B],
    summary: str,
    ask: Ask | None = None,
) -> AsksEither[P, A, Q, B]:
    """A function that asks a question that has the words of another one, and some more."""
    return _function(kind, summary, ask)  # type: ignore[no-any-return]


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
