"""`podium node-token`: credentials with which a machine joins a cluster as one node."""

from pathlib import Path
from typing import Annotated

import typer

NameArgument = Annotated[str, typer.Argument(metavar="NAME", help="The node's name.")]
DataDirOption = Annotated[
    Path, typer.Option(metavar="DIR", help="The data directory of `podium up`, which must run.")
]
OutputOption = Annotated[
    Path | None,
    typer.Option(
        "--output",
        metavar="FILE",
        help="Where to write the kubeconfig; into the data directory, if not given.",
    ),
]


def node_token(name: NameArgument, data_dir: DataDirOption, output: OutputOption = None) -> None:
    """Write a kubeconfig that lets `podium node` be one node of a cluster, and nothing else.

    It may write its Node, its Lease, events, and the status of pods that are bound to it.
    """
    # Imported when it is called, so that help, completion and the library start at once.
    from podium.cluster.embedded.node_credentials import write_node_kubeconfig

    print(write_node_kubeconfig(data_dir, name, output))
