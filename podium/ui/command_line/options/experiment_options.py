"""Options that `compare` and `sweep` have in common."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from podium.api.errors import PodiumError
from podium.ui.command_line.options.extras import check_extra
from podium.ui.command_line.output.output import console, core_count

if TYPE_CHECKING:
    from podium.simulation.experiments.executors import Done, Executor

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


def executor_of(dask: str | None, workers: int | None) -> "Executor":
    """What plays the runs."""
    from podium.simulation.experiments.executors import LocalExecutor

    if dask is not None:
        from podium.simulation.experiments.dask_executor import DaskExecutor

        check_extra("--dask", "experiments", "distributed")
        return DaskExecutor(dask)
    return LocalExecutor(workers or core_count())


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


def parse_seeds(text: str) -> range:
    """`10` for the seeds 0 to 9, `5..9` for those from 5 to 9; raises BadSeedsError."""
    first, dots, last = text.partition("..")
    if dots and first.isdigit() and last.isdigit() and int(first) <= int(last):
        return range(int(first), int(last) + 1)
    if not dots and text.isdigit() and int(text) > 0:
        return range(int(text))
    raise BadSeedsError(f"--seeds {text}: must be a number such as 10, or a range such as 5..9")


class BadSeedsError(PodiumError):
    """Seeds that can't be read."""
