"""Query parameters as values, read as leniently, and refused as strictly, as Kubernetes does."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import parse_qs

from podium.api.integers import parse_int
from podium.api.refused import RefusedError

_INTEGER = re.compile(r"[+-]?[0-9]+", re.ASCII)
_OFF = ("0", "false")


@dataclass(frozen=True, slots=True)
class Parameters:
    """The parameters of a query; of one that comes several times, the first value counts.

    Attributes:
        values: all values of each, by name.
    """

    values: Mapping[str, Sequence[str]]

    def text(self, name: str) -> str:
        """A parameter as it stands; empty if it is absent."""
        return next(iter(self.texts(name)), "")

    def texts(self, name: str) -> tuple[str, ...]:
        """All values of a parameter."""
        return tuple(self.values.get(name, ()))

    def flag(self, name: str) -> bool | None:
        """A switch, which anything but `0` and `false` turns on; None if it is absent."""
        return self.text(name).lower() not in _OFF if name in self.values else None

    def integer(self, name: str) -> int | None:
        """A number of 64 bits; None if it is absent.

        Raises:
            RefusedError: 400 if it isn't one.
        """
        return _integer(self.text(name)) if name in self.values else None


def parse_query(query: str) -> Parameters:
    """The parameters of the part of a path after its `?`."""
    return Parameters(parse_qs(query, keep_blank_values=True))


def _integer(text: str) -> int:
    number = parse_int(text)
    if number is None:
        why = "value out of range" if _INTEGER.fullmatch(text) else "invalid syntax"
        raise _refused(text, why)
    return number


def _refused(text: str, why: str) -> RefusedError:
    return RefusedError(400, "BadRequest", f'strconv.ParseInt: parsing "{text}": {why}')
