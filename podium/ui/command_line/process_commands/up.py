"""`podium up`: a cluster with the Kubernetes API, for kubectl and other clients."""

from ipaddress import ip_address
from pathlib import Path

from podium.api.values.durations import duration_seconds
from podium.ui.command_line.options.process_options import UpOptions
from podium.ui.inputs.input_error import InputError
from podium.ui.inputs.option import texts
from podium.ui.writers.terminal import working


def up(asked: UpOptions) -> None:
    """Run a cluster with simulated nodes, for kubectl and other clients, until Ctrl-C.

    API server, scheduler, controllers and nodes run in this one process. podium down stops it, too;
    with --exit-when-settled it ends by itself. The exit code is 1 if the API server refuses a
    manifest of --apply.
    """
    from podium.ui.command_line.processes.detached_cluster import Stages, detach, is_detached

    try:
        ip_address(asked.bind_address)
    except ValueError:
        raise InputError(f"--bind-address {asked.bind_address}: must be an IP address") from None
    wait = asked.wait
    data_dir = None if asked.data_dir is None else Path(asked.data_dir)
    if not asked.detach and wait is not None:
        raise InputError(
            "--wait needs --detach; a cluster in the foreground has --exit-when-settled"
        )
    if asked.detach and asked.exit_when_settled:
        raise InputError("--detach and --exit-when-settled exclude each other; use --detach --wait")
    wait_s = None if wait is None else duration_seconds(wait)
    if wait is not None and (wait_s is None or wait_s <= 0):
        raise InputError(f"--wait {wait}: must be a duration, such as 90s or 10m")
    if asked.detach and not is_detached():
        reads_stdin = "-" in [*texts(asked.filename), *texts(asked.apply)]
        with working("starting the cluster"):
            directory = detach(data_dir, wait_s, reads_stdin=reads_stdin)
        print("The cluster is ready.")
        print(f"  export KUBECONFIG={directory.kubeconfig.absolute()}")
        print(f"See it: {directory.dashboard.read_text().strip()}")
        where = "" if asked.data_dir is None else f" --data-dir {asked.data_dir}"
        print(f"podium down{where} stops it.")
        return
    stages = Stages()
    if data_dir is not None:
        # Before anything that takes its time: scripts wait for the file.
        from podium.cluster.embedded.directory import DataDirectory

        DataDirectory(data_dir).forget_kubeconfig()
    from podium.ui.command_line.processes.up_process import run

    run(asked, data_dir, stages)
