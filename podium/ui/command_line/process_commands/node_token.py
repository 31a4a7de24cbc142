"""`podium node-token`: credentials with which a machine joins a cluster as one node."""

from pathlib import Path

from podium.ui.inputs.option import Options, option, place


class NodeTokenCommand(Options):
    """Write a kubeconfig with which podium node joins a cluster of podium up as one node.

    Its credentials can write only that Node, its Lease, events, and the status of pods that are
    bound to it.
    """

    name: str = place("Name of the node.", metavar="NAME")
    data_dir: str = place(
        "Data directory of the running podium up.", metavar="DIR", is_argument=False
    )
    output_file: str | None = option("FILE", formerly=("--output",)).help("""
        File to write the kubeconfig to. [default: a file in the data directory]""")

    def run(self) -> None:
        # Imported when it is called, so that help, completion and the library start at once.
        from podium.cluster.embedded.kubeconfig import write_node_kubeconfig

        path = None if self.output_file is None else Path(self.output_file)
        print(write_node_kubeconfig(Path(self.data_dir), self.name, path))
