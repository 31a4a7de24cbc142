"""Fields of questions that are options of commands, keywords of the library and fields of forms."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import MISSING, dataclass, field, fields
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Any, TypeVar, dataclass_transform

from podium.api.objects import Object

T = TypeVar("T")

Texts = str | Path | Iterable[str | Path]
"""One or several of what an option of the command line takes."""

Source = str | Path | Object
"""A file, a directory, or an object."""

Sources = Source | Iterable[Source]

_KEY = "option"


class Reach(StrEnum):
    """Where an option can be given; each place stands for those before it, too."""

    COMMAND = "command"
    LIBRARY = "library"
    EVERYWHERE = "everywhere"
    """Also in a browser, whose users have no files or processes here."""


@dataclass(frozen=True, slots=True)
class Option:
    """What an option has besides the name, type and default of its field.

    Attributes:
        flags: as the command line spells it; made of the name of the field if there are none.
        metavar: stands for its value in the help; made of the type if None.
        completes: the function of `podium.ui.command_line.options.completion` for its value.
        formerly: other spellings, which the help doesn't list.
        is_argument: whether it stands on the command line without a flag.
        shows_default: whether the help ends with its default; where it says so itself, no.
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
    shows_default: bool = True


def option(help: str, *, default: Any = None, **more: Any) -> Any:  # noqa: A002 - Typer's word
    """A field of a question that is an option, with the attributes of `Option`."""
    return field(default=default, metadata={_KEY: Option(help, **more)})


local_option = partial(option, reach=Reach.LIBRARY)
"""A field of a question that is an option about files, code or processes of this machine."""


def place(
    help: str,  # noqa: A002 - Typer's word
    *,
    default: Any = MISSING,
    kw_only: bool = True,
    is_argument: bool = True,
    **more: Any,
) -> Any:
    """A field that the command line takes by its position, and Python if it isn't `kw_only`.

    Without a default it must be given. With `is_argument=False` only Python takes it so.
    """
    meaning = Option(help, is_argument=is_argument, **more)
    return field(default=default, kw_only=kw_only, metadata={_KEY: meaning})


@dataclass_transform(
    eq_default=False, kw_only_default=True, frozen_default=True, field_specifiers=(place,)
)
def question(kind: type[T]) -> type[T]:
    """Make a frozen dataclass of options; two questions are never equal.

    The help of `podium` makes some forty such classes, and methods take most of the time.
    """
    return dataclass(frozen=True, kw_only=True, eq=False, repr=False)(kind)


def option_like(kind: type, name: str) -> Any:
    """A field that is the option that another question has under its name."""
    (found,) = (one for one in fields(kind) if one.name == name)
    return field(default=found.default, metadata=found.metadata)


def option_of(one: Any) -> Option | None:
    """What a field of a dataclass is as an option; None if it is none."""
    found: Option | None = one.metadata.get(_KEY)
    return found


def several(value: Any) -> Iterator[Any]:
    """Each of several, or the only one."""
    if isinstance(value, str | Path | Mapping):
        yield value
    else:
        yield from value or ()


def texts(value: Texts | None) -> list[str]:
    """One or several paths or texts as texts."""
    return [*map(str, several(value))]


def text(value: str | Path | None) -> str | None:
    """A path or text as text; None for none."""
    return None if value is None else str(value)
