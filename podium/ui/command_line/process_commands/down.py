"""`podium down`: stop a cluster that runs in the background."""

from pathlib import Path

from podium.ui.inputs.option import Options, option
from podium.ui.writers.terminal import working


class DownCommand(Options):
    """Stop a cluster of podium up; its data directory is kept.

    If no cluster runs, removes what a killed one has left in kubeconfigs, and exits with code 0.
    """

    data_dir: str | None = option("DIR").help("""
        Data directory of the cluster. [default: that of podium up --detach without --data-dir]""")

    def run(self) -> None:
        # Imported when it is called, so that help, completion and the library start at once.
        from podium.cluster.embedded.directory import DataDirectory, stop_user
        from podium.cluster.embedded.kubeconfig import unmerge, usual_kubeconfig
        from podium.ui.command_line.processes.detached_cluster import usual_directory

        directory = usual_directory() if self.data_dir is None else Path(self.data_dir)
        with working("stopping"):
            pid = stop_user(directory)
        if pid is not None:
            print(f"The cluster in {directory} has stopped.")
            return
        left = DataDirectory(directory)
        if left.kubeconfig.exists():
            unmerge(left.kubeconfig, usual_kubeconfig())
            left.forget_kubeconfig()
        print(f"No cluster runs in {directory}.")
