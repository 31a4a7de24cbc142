"""Rows about pods that are alike, as one row with a count."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence

from rich.text import Text

from podium.api.count_words import listed
from podium.cli.output import Cell, count

_AS_ABOVE = "as above"
_SHOWN_MAX = 12


def together(
    workloads: Sequence[str], rows: Iterable[Sequence[Cell]], merged: Collection[int] = ()
) -> Iterator[tuple[Cell, ...]]:
    """Rows with one for all pods of a workload that fare alike.

    Args:
        workloads: whose pod each row is about.
        rows: the name of the pod comes first.
        merged: places of cells in which alike pods may differ; all of their contents are told.
    """
    groups: dict[tuple[str, ...], list[Sequence[Cell]]] = {}
    for workload, row in zip(workloads, rows, strict=True):
        same = (str(cell) for place, cell in enumerate(row) if place and place not in merged)
        groups.setdefault((workload, *same), []).append(row)
    for (workload, *_), alike in groups.items():
        if len(alike) == 1:
            yield tuple(alike[0])
            continue
        name = Text(f"{workload}: {count(len(alike), 'pod')}", style=_style(alike[0][0]))
        yield (
            name,
            *(
                _all_of([row[place] for row in alike]) if place in merged else cell
                for place, cell in enumerate(alike[0])
                if place
            ),
        )


def told_once(rows: Iterable[Sequence[Cell]], place: int) -> Iterator[tuple[Cell, ...]]:
    """Rows with those of equal text together, which only the first of them tells."""
    groups: dict[str, list[Sequence[Cell]]] = {}
    for row in rows:
        groups.setdefault(str(row[place]), []).append(row)
    for first, *others in groups.values():
        yield tuple(first)
        for row in others:
            yield (*row[:place], _AS_ABOVE, *row[place + 1 :])


def _style(cell: Cell) -> str:
    return str(cell.style) if isinstance(cell, Text) else ""


def _all_of(cells: Sequence[Cell]) -> str:
    """Each content once, with how often it is there."""
    counts = Counter(map(str, cells))
    if len(counts) == 1:
        return str(cells[0])
    texts = [text if times == 1 else f"{text} ×{times}" for text, times in counts.items()]
    return listed(texts, _SHOWN_MAX)
