"""`podium node-token`: credentials with which a machine joins a cluster as one node."""

from pathlib import Path

from podium.ui.inputs.option import option, place, question


@question
class NodeTokenOptions:
    """For which node of which cluster credentials are written, and where."""

    name: str = place("The node's name.", metavar="NAME")
    data_dir: str = place(
        "The data directory of `podium up`, which must run.", metavar="DIR", is_argument=False
    )
    output_file: str | None = option(
        "Where to write the kubeconfig; into the data directory, if not given.",
        formerly=("--output",),
        metavar="FILE",
    )


def node_token(asked: NodeTokenOptions) -> None:
    """Write a kubeconfig that lets `podium node` be one node of a cluster, and nothing else.

    It may write its Node, its Lease, events, and the status of pods that are bound to it.
    """
    # Imported when it is called, so that help, completion and the library start at once.
    from podium.cluster.embedded.kubeconfig import write_node_kubeconfig

    path = None if asked.output_file is None else Path(asked.output_file)
    print(write_node_kubeconfig(Path(asked.data_dir), asked.name, path))
