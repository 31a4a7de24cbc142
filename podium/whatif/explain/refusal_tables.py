"""Tables of the nodes that refuse a pod, in which nodes with equal reasons share a row."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from operator import attrgetter

from podium.api.presentation import Cell, Table, Tone, Toned
from podium.api.values.message_words import count
from podium.scheduler.explain.obstacles import Obstacle, Shortage, amount_text, bare_amount
from podium.scheduler.framework.status import Status

_HEADERS = ("Node", "Plugin", "Code", "Reasons")
_NAMED_MAX = 5
_TOLD_APART_MAX = 10
_DETAILS_MAX = 3

_Refused = tuple[str, tuple[Obstacle, ...]]


def obstacle_table(obstacles: Sequence[Obstacle], *, wide: bool, title: str = "") -> Table:
    """Make a table of the obstacles on each node.

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
            rows.append(
                (nodes, *_cells(first.plugin, first.code, first.reasons), _detail(refusals))
            )
    return Table((*_HEADERS, "In detail"), rows, title=title)


def status_table(refused: Mapping[str, Status], *, wide: bool, title: str) -> Table:
    """Make a table of the status of each node; nodes with equal ones share a row."""
    alike: dict[tuple[Cell, ...], list[str]] = {}
    for node, status in sorted(refused.items()):
        cells = _cells(status.plugin, str(status.code), status.reasons)
        alike.setdefault((*cells, node) if wide else cells, []).append(node)
    rows = [(_named(nodes), *cells[:3]) for cells, nodes in alike.items()]
    return Table(_HEADERS, rows, title=title)


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


def _cells(plugin: str, code: str, reasons: Iterable[str]) -> tuple[Cell, ...]:
    return plugin or "-", code, Toned("; ".join(reasons), Tone.BAD)


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
