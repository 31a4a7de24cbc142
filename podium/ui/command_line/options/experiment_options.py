"""Options that `compare` and `sweep` have in common."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from podium.ui.writers.console import console

if TYPE_CHECKING:
    from podium.simulation.experiments.executors import Done

FAILED_RUNS_EXIT_CODE = 1
FAILED_ON_EXIT_CODE = 2

DaskOption = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS", help="Play the runs on a Dask cluster, such as tcp://host:8786."
    ),
]
RunWorkersOption = Annotated[
    int | None,
    typer.Option(
        "--workers", min=1, help="How many processes play the runs; one a core unless given."
    ),
]


@contextmanager
def counted(what: str, total: int) -> "Iterator[Done]":
    """A bar on a terminal that shows how many runs of all are over."""
    shown = console(stderr=True)
    if not shown.is_terminal:
        yield lambda _: None
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, TimeRemainingColumn(), console=shown, transient=True) as bar:
        task = bar.add_task(what, total=total)
        yield lambda over: bar.update(task, completed=over)
