"""Options: fields of a dataclass that become options of a command and of the library."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import MISSING, dataclass, field, fields
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Any, TypeVar, dataclass_transform

from podium.api.objects import Object

T = TypeVar("T")

Texts = str | Path | Iterable[str | Path]
"""One or several values of an option."""

Source = str | Path | Object
"""A file, a directory, or an object."""

Sources = Source | Iterable[Source]

_KEY = "option"


class Reach(StrEnum):
    """Where an option can be given; each place includes those before it."""

    COMMAND = "command"
    LIBRARY = "library"
    EVERYWHERE = "everywhere"
    """Also in a browser, whose user has no access to files and processes of this machine."""


@dataclass(frozen=True, slots=True)
class Option:
    """Properties of an option besides the name, type and default of its field.

    Attributes:
        flags: flags on the command line; made of the name of the field if there are none.
        formerly: former flags, which the help doesn't list.
        metavar: stands for the value in the help; made of the type if None.
        completes: function of `podium.ui.command_line.options.completion` for the value.
        is_argument: whether it has no flag on the command line.
    """

    help: str
    flags: tuple[str, ...] = ()
    formerly: tuple[str, ...] = ()
    metavar: str | None = None
    completes: str = ""
    min: float | None = None
    max: float | None = None
    reach: Reach = Reach.EVERYWHERE
    is_argument: bool = False


class Declaration:
    """The default and the properties of an option, of which a help text makes a field."""

    def __init__(self, default: Any, properties: Mapping[str, Any]) -> None:
        self._default, self._properties = default, properties

    def help(self, text: str) -> Any:
        """Make the field; runs of white space in its help text count as one space."""
        option = Option(" ".join(text.split()), **self._properties)
        return field(default=self._default, metadata={_KEY: option})


def option(metavar: str | None = None, *, default: Any = None, **more: Any) -> Declaration:
    """Declare an option with attributes of `Option`, whose `help` makes it a field."""
    return Declaration(default, {"metavar": metavar, **more})


local_option = partial(option, reach=Reach.LIBRARY)
"""Declare an option about files, code or processes of this machine."""


def place(
    help: str,  # noqa: A002 - Typer's word
    *,
    default: Any = MISSING,
    kw_only: bool = True,
    is_argument: bool = True,
    **more: Any,
) -> Any:
    """Make a field that is positional on the command line, and in Python unless `kw_only`.

    Without a default it is required. With `is_argument=False` only Python has it positional.
    """
    meaning = Option(help, is_argument=is_argument, **more)
    return field(default=default, kw_only=kw_only, metadata={_KEY: meaning})


@dataclass_transform(
    eq_default=False, kw_only_default=True, frozen_default=True, field_specifiers=(place,)
)
def question(kind: type[T]) -> type[T]:
    """Make a frozen dataclass of options, without comparison.

    The help of `podium` makes some forty such classes; generating methods takes most of its time.
    """
    return dataclass(frozen=True, kw_only=True, eq=False, repr=False)(kind)


def option_like(kind: type, name: str) -> Any:
    """Make a field with the default and option of a field of another class."""
    (other,) = (one for one in fields(kind) if one.name == name)
    return field(default=other.default, metadata=other.metadata)


def option_of(one: Any) -> Option | None:
    """Return the option of a dataclass field; None if it is none."""
    option: Option | None = one.metadata.get(_KEY)
    return option


def several(value: Any) -> Iterator[Any]:
    """Yield each of several values, or the only one."""
    if isinstance(value, str | Path | Mapping):
        yield value
    else:
        yield from value or ()


def texts(value: Texts | None) -> list[str]:
    """Return one or several paths or texts as texts."""
    return [*map(str, several(value))]


def text(value: str | Path | None) -> str | None:
    """Return a path or text as text; None for None."""
    return None if value is None else str(value)
