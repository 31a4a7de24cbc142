"""The numbers that fields have in Protobuf, as Kubernetes has given them.

`numbers.txt` has a block for each struct, such as `core.Container`:

    core.Container
      image=2 ports=6          a field and its number
      restartPolicy=24?        a field whose zero means something, and is written only if it is set
    core.Volume
      secret=2.6               a field of a message that JSON doesn't show, which has the number 2
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

_DATA = files("podium.apiserver.protobuf") / "numbers.txt"


@dataclass(frozen=True, slots=True)
class FieldName:
    """What a number stands for.

    Attributes:
        name: of the field, as in JSON.
        keeps_zero: whether a zero is more than a field that isn't there.
    """

    name: str
    keeps_zero: bool


Numbers = Mapping[int, "FieldName | Numbers"]
"""What the numbers in a message stand for: a field, or a message whose fields stand beside it."""


@cache
def numbers_of(struct: str) -> Numbers | None:
    """The numbers of a struct such as `core.Container`; None if it isn't read from Protobuf."""
    words = _blocks().get(struct)
    if words is None:
        return None
    found: dict[int, FieldName | Numbers] = {}
    for word in words:
        name, _, path = word.partition("=")
        field = FieldName(name, path.endswith("?"))
        *outer, last = map(int, path.removesuffix("?").split("."))
        _at(found, outer)[last] = field
    return found


def _at(numbers: dict[int, FieldName | Numbers], path: list[int]) -> dict[int, FieldName | Numbers]:
    for number in path:
        inner = numbers.setdefault(number, {})
        assert isinstance(inner, dict)
        numbers = inner
    return numbers


@cache
def _blocks() -> dict[str, list[str]]:
    """The fields of all structs, with their numbers as they are written."""
    blocks = _DATA.read_text(encoding="utf-8").split("\n\n")
    return {words[0]: words[1:] for words in map(str.split, blocks)}
