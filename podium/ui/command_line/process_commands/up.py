"""`podium up`: a cluster with the Kubernetes API, for kubectl and other clients."""

import webbrowser
from ipaddress import ip_address
from pathlib import Path

from podium.ui.command_line.options.process_options import UpOptions
from podium.ui.inputs.input_error import InputError
from podium.ui.inputs.option import seconds_of, texts
from podium.ui.writers.terminal import working


class UpCommand(UpOptions):
    """Run a cluster with simulated nodes, for kubectl and other clients, until Ctrl-C.

    API server, scheduler, controllers and nodes run in this one process. podium down stops it, too;
    with --exit-when-settled it ends by itself. The exit code is 1 if the API server refuses a
    manifest of --apply.
    """

    def run(self) -> None:
        from podium.ui.command_line.processes.detached_cluster import Stages, detach, is_detached

        try:
            ip_address(self.bind_address)
        except ValueError:
            raise InputError(f"--bind-address {self.bind_address}: must be an IP address") from None
        wait = self.wait
        data_dir = None if self.data_dir is None else Path(self.data_dir)
        if not self.detach and wait is not None:
            raise InputError(
                "--wait needs --detach; a cluster in the foreground has --exit-when-settled"
            )
        if self.detach and self.exit_when_settled:
            raise InputError(
                "--detach and --exit-when-settled exclude each other; use --detach --wait"
            )
        wait_s = None if wait is None else seconds_of("--wait", wait)
        if self.detach and not is_detached():
            reads_stdin = "-" in [*texts(self.filename), *texts(self.apply)]
            with working("starting the cluster"):
                directory = detach(data_dir, wait_s, reads_stdin=reads_stdin)
            print("The cluster is ready.")
            print(f"  export KUBECONFIG={directory.kubeconfig.absolute()}")
            print(f"See it: {(link := directory.dashboard.read_text().strip())}")
            if self.open:
                webbrowser.open(link)
            where = "" if self.data_dir is None else f" --data-dir {self.data_dir}"
            print(f"podium down{where} stops it.")
            return
        stages = Stages()
        if data_dir is not None:
            # Before anything that takes its time: scripts wait for the file.
            from podium.cluster.embedded.directory import DataDirectory

            DataDirectory(data_dir).forget_kubeconfig()
        from podium.ui.command_line.processes.up_process import run

        run(self, data_dir, stages)
