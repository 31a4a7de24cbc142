"""Tables of the nodes that refuse a pod, in which nodes with equal reasons share a row."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import attrgetter

from podium.api.presentation import Cell, Table, Tone, Toned
from podium.api.values.message_words import count
from podium.scheduler.explain.obstacles import Obstacle, Shortage, amount_text, bare_amount

_HEADERS = ("Node", "Plugin", "Code", "Reasons", "In detail")
_NAMED_MAX = 5
_TOLD_APART_MAX = 10
_DETAILS_MAX = 3

_Refused = tuple[str, tuple[Obstacle, ...]]


def refusal_table(obstacles: Sequence[Obstacle], *, wide: bool, title: str = "") -> Table:
    """Make a table of the obstacles on each node, with a column of details if there are any.

    Nodes share rows if their obstacles are equal, or if more than ten have the same reasons; a row
    then has the range of what they lack. The reason of most nodes comes first.

    Args:
        wide: whether each node has rows of its own.
    """
    rows: list[tuple[Cell, ...]] = []
    for alike in _alike(obstacles, wide=wide):
        nodes = _named([node for node, _ in alike])
        # The obstacles of one filter at a time.
        for refusals in zip(*(found for _, found in alike), strict=True):
            first = refusals[0]
            reasons = Toned("; ".join(first.reasons), Tone.BAD)
            rows.append((nodes, first.plugin or "-", first.code, reasons, _detail(refusals)))
    columns = len(_HEADERS) if any(row[-1] for row in rows) else len(_HEADERS) - 1
    return Table(_HEADERS[:columns], [row[:columns] for row in rows], title=title)


def _alike(obstacles: Sequence[Obstacle], *, wide: bool) -> Iterator[list[_Refused]]:
    refused = [(node, tuple(some)) for node, some in groupby(obstacles, attrgetter("node"))]
    if wide:
        yield from ([one] for one in refused)
        return
    groups: dict[tuple[tuple[str, ...], ...], list[_Refused]] = {}
    for one in refused:
        reasons = tuple((each.plugin, each.code, *each.reasons) for each in one[1])
        groups.setdefault(reasons, []).append(one)
    for group in sorted(groups.values(), key=len, reverse=True):
        if len(group) > _TOLD_APART_MAX:
            yield group
            continue
        equal: dict[tuple[tuple[str, ...], ...], list[_Refused]] = {}
        for one in group:
            equal.setdefault(tuple(each.details for each in one[1]), []).append(one)
        yield from equal.values()


def _named(nodes: Sequence[str]) -> str:
    if len(nodes) <= _NAMED_MAX:
        return ", ".join(nodes)
    return f"{count(len(nodes), 'node')}, such as {nodes[0]}"


def _detail(refusals: Sequence[Obstacle]) -> str:
    details = [*dict.fromkeys("; ".join(one.details) for one in refusals)]
    if len(details) == 1:
        return details[0]
    shortages: dict[str, list[Shortage]] = {}
    for refusal in refusals:
        for shortage in refusal.shortages:
            shortages.setdefault(shortage.resource, []).append(shortage)
    if shortages:
        return "; ".join(map(_range, shortages.values()))
    # Of many nodes only the first ones have details.
    some = [*filter(None, details)][:_DETAILS_MAX]
    return f"such as: {'; '.join(some)}" if some else ""


def _range(shortages: Sequence[Shortage]) -> str:
    resource, needed = shortages[0].resource, shortages[0].needed
    missing = [shortage.missing for shortage in shortages]
    least, most = min(missing), max(missing)
    short = amount_text(resource, most)
    if least < most:
        short = f"{bare_amount(resource, least)} to {short}"
    text = f"needs {amount_text(resource, needed)}, {short} short"
    enough = sum(shortage.missing <= shortage.lower for shortage in shortages)
    if enough:
        text += f"; enough on {count(enough, 'node')} with pods of lower priority gone"
    return text
