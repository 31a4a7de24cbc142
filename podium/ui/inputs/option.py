"""Options as metadata of the fields of a request, from which the command line makes its own."""

from dataclasses import dataclass, field
from typing import Any

KEY = "option"
"""Under which the metadata of a field has its `Option`."""


@dataclass(frozen=True, slots=True)
class Option:
    """What an option of the command line has besides the name, type and default of its field.

    Attributes:
        flags: as it is written; made of the name of the field if there are none.
        metavar: stands for its value in the help; made of the type if None.
        completes: what its value is completed to: `contexts`, `namespaces` or `nodes`.
    """

    help: str
    flags: tuple[str, ...] = ()
    metavar: str | None = None
    completes: str = ""
    min: int | None = None


def option(help: str, *, default: Any = None, **more: Any) -> Any:  # noqa: A002 - Typer's word
    """A field of a request that is an option, with the attributes of `Option`."""
    return field(default=default, metadata={KEY: Option(help, **more)})
