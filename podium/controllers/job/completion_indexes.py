"""Sets of completion indexes, as a Job's status writes them: `1,3-5`."""

from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import chain

from podium.api.values.integers import parse_count

_INDEXES = range(2**31)
# More than Jobs with so many completions are ever run for; a text may name any number of them.
_COUNT_MAX = 1_000_000


@lru_cache(maxsize=1024)
def read_indexes(text: str | None) -> frozenset[int]:
    """The indexes in a text such as `1,3-5`; none in an empty one, or in one that can't be read."""
    parts = [_interval(part) for part in filter(None, (text or "").split(","))]
    if None in parts or sum(map(len, filter(None, parts))) > _COUNT_MAX:
        return frozenset()
    return frozenset(chain.from_iterable(filter(None, parts)))


def _interval(text: str) -> range | None:
    first, dash, last = text.partition("-")
    start, end = parse_count(first, _INDEXES), parse_count(last if dash else first, _INDEXES)
    return None if start is None or end is None else range(start, end + 1)


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
