"""Sets of completion indexes, as a Job's status writes them: `1,3-5`."""

from collections.abc import Iterable, Iterator
from functools import lru_cache


@lru_cache(maxsize=1024)
def read_indexes(text: str | None) -> frozenset[int]:
    """The indexes in a text such as `1,3-5`; none in an empty one."""
    found: set[int] = set()
    for part in filter(None, (text or "").split(",")):
        first, _, last = part.partition("-")
        found.update(range(int(first), int(last or first) + 1))
    return frozenset(found)


def write_indexes(indexes: Iterable[int]) -> str:
    """The text for these indexes; two in a row are joined by a comma, more by a dash."""
    return ",".join(_parts(sorted(indexes)))


def _parts(ordered: list[int]) -> Iterator[str]:
    start = 0
    for end in range(1, len(ordered) + 1):
        if end < len(ordered) and ordered[end] == ordered[end - 1] + 1:
            continue
        first, last = ordered[start], ordered[end - 1]
        yield f"{first}" if first == last else f"{first}{'-' if last - first > 1 else ','}{last}"
        start = end
