"""Options: fields of a dataclass that become options of a command and of the library."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import MISSING, dataclass, field, fields
from enum import StrEnum
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar, dataclass_transform

from podium.api.objects import Object
from podium.api.values.times import duration_seconds
from podium.ui.inputs.input_error import InputError

T = TypeVar("T")

Texts = str | Path | Iterable[str | Path]
"""One or several values of an option."""

Source = str | Path | Object
"""A file, a directory, or an object."""

Sources = Source | Iterable[Source]

Plugins = str | Path | type | Iterable[str | Path | type]
"""One or several scheduler plugins: `FILE:CLASS`, or the class itself."""

Configuration = str | Path | Object
"""A file with a configuration, or its document."""

Duration = str | float
"""A duration such as `10m`; a number is seconds."""

REPEATABLE: Mapping[Any, tuple[tuple[type, ...], str]] = MappingProxyType(
    {
        Texts: ((str, Path), "a text, a path"),
        Sources: ((str, Path, Mapping), "a file, a directory, an object"),
        Plugins: ((str, Path, type), "a text such as ./cheap.py:CheapFirst, a class"),
    }
)
"""The types of options with several values: the types of a value, and these in words."""

_KEY = "option"


class Reach(StrEnum):
    """Where an option is available; each value includes the values before it."""

    COMMAND = "command"
    LIBRARY = "library"
    EVERYWHERE = "everywhere"
    """Also in a browser, whose user has no access to files and processes of this machine."""


@dataclass(frozen=True, slots=True)
class Option:
    """Properties of an option, in addition to the name, type and default of its field."""

    help: str
    flags: tuple[str, ...] = ()
    """Flags on the command line; derived from the field's name if empty."""
    formerly: tuple[str, ...] = ()
    """Former flags, which still work but aren't in the help."""
    metavar: str | None = None
    """Placeholder of the value in the help; derived from the type if None."""
    completes: str = ""
    """Name of a function of `options.completion` that completes the value."""
    min: float | None = None
    max: float | None = None
    reach: Reach = Reach.EVERYWHERE
    is_argument: bool = False
    """Whether it is positional on the command line."""


class Declaration:
    """The default and properties of an option, to be completed by a help text."""

    def __init__(self, default: Any, properties: Mapping[str, Any]) -> None:
        self._default, self._properties = default, properties

    def help(self, text: str) -> Any:
        """Make the option's field; white space in the help text is collapsed."""
        option = Option(" ".join(text.split()), **self._properties)
        return field(default=self._default, metadata={_KEY: option})


def option(metavar: str | None = None, *, default: Any = None, **more: Any) -> Declaration:
    """Declare an option with attributes of `Option`; the result's `help` makes the field."""
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

    Without a default, it is required. With `is_argument=False`, it is positional in Python only.
    """
    meaning = Option(help, is_argument=is_argument, **more)
    return field(default=default, kw_only=kw_only, metadata={_KEY: meaning})


@dataclass_transform(
    eq_default=False, kw_only_default=True, frozen_default=True, field_specifiers=(place,)
)
class Options:
    """The base of questions, and of options of several: makes each class a frozen dataclass.

    The help of `podium` makes some forty such classes, and generated methods to compare them would
    cost most of its time.
    """

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        dataclass(frozen=True, kw_only=True, eq=False, repr=False)(cls)


def option_like(kind: type, name: str) -> Any:
    """Make a field with the default and option of a field of another class."""
    (other,) = (one for one in fields(kind) if one.name == name)
    return field(default=other.default, metadata=other.metadata)


def option_of(one: Any) -> Option | None:
    """Return the option of a dataclass field; None if the field isn't an option."""
    option: Option | None = one.metadata.get(_KEY)
    return option


def several(value: Any) -> Iterator[Any]:
    """Yield each value of a list, or a single value."""
    if isinstance(value, str | Path | Mapping) or not isinstance(value, Iterable | None):
        yield value
    else:
        yield from value or ()


def seconds_of(option_name: str, duration: Duration, *, zero: str = "") -> float:
    """Return an option's seconds; 0 only if `zero` says what that means; raises InputError."""
    is_number = isinstance(duration, int | float) or duration.isdecimal()
    seconds = float(duration) if is_number else duration_seconds(str(duration))
    if seconds is None or not (seconds > 0 or (zero and seconds == 0)):
        rule = f"must be a duration such as 90s or 10m{zero and f', or 0 for {zero}'}"
        raise InputError(f"{option_name} {duration}: {rule}")
    return seconds


def texts(value: Texts | None) -> list[str]:
    """Return one or several paths or texts as a list of texts."""
    return [*map(str, several(value))]


def text(value: str | Path | None) -> str | None:
    """Return a path or text as text; None stays None."""
    return None if value is None else str(value)
