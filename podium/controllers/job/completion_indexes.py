"""Sets of completion indexes in the text form of a Job's status: `1,3-5`."""

from collections.abc import Iterable
from functools import lru_cache
from itertools import chain, groupby

from podium.api.values.integers import parse_count

_INDEXES = range(2**31)
# More than Jobs with so many completions are ever run for; a text may name any number of them.
_COUNT_MAX = 1_000_000


@lru_cache(maxsize=1024)
def read_indexes(text: str | None) -> frozenset[int]:
    """Return the indexes in a text such as `1,3-5`; an empty set if it is empty or malformed."""
    intervals = []
    for part in filter(None, (text or "").split(",")):
        first, dash, last = part.partition("-")
        start, end = parse_count(first, _INDEXES), parse_count(last if dash else first, _INDEXES)
        if start is None or end is None:
            return frozenset()
        intervals.append(range(start, end + 1))
    if sum(map(len, intervals)) > _COUNT_MAX:
        return frozenset()
    return frozenset(chain.from_iterable(intervals))


def write_indexes(indexes: Iterable[int]) -> str:
    """Format indexes; two consecutive ones are separated by a comma, a longer range has a dash."""
    parts = []
    # Of consecutive indexes, the difference from their positions is constant.
    for _, run in groupby(enumerate(sorted(indexes)), lambda placed: placed[1] - placed[0]):
        first, *others = (index for _, index in run)
        last = others[-1] if others else first
        dash = "-" if last - first > 1 else ","
        parts.append(f"{first}{dash}{last}" if others else f"{first}")
    return ",".join(parts)
