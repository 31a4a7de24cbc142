"""`podium down`: stops a cluster that runs in the background."""

from pathlib import Path
from typing import Annotated

import typer

from podium.api.errors import PodiumError
from podium.cli.output import fail

DataDirOption = Annotated[
    Path | None,
    typer.Option(
        metavar="DIR",
        help="The data directory of the cluster; that of `podium up --detach`, if not given.",
    ),
]


def down(data_dir: DataDirOption = None) -> None:
    """Stop a cluster, as Ctrl-C does; what it keeps in a data directory stays.

    Where none runs there is nothing to do, and the exit code is 0.
    """
    from podium.cli.detaching import usual_directory
    from podium.embedded.directory import stop_user

    directory = data_dir or usual_directory()
    try:
        pid = stop_user(directory)
    except PodiumError as error:
        fail(error)
    if pid is None:
        print(f"No cluster runs in {directory}.")
    else:
        print(f"The cluster in {directory} has stopped.")
