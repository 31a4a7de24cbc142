"""`podium up`: a cluster of its own, with the real API, for kubectl and ordinary clients."""

from dataclasses import dataclass

from podium.api.process.python_garbage_collection import collect_rarely
from podium.api.values.durations import duration_seconds
from podium.ui.command_line.options.option_fields import with_fields_of
from podium.ui.command_line.options.up_options import UpOptions
from podium.ui.command_line.processes.stages import Stages, is_detached
from podium.ui.inputs.input_error import InputError
from podium.ui.writers.console import working


@with_fields_of(UpOptions)
def up(asked: UpOptions) -> None:
    """Run a cluster that kubectl and ordinary clients talk to, until Ctrl-C or `podium down`.

    With --exit-when-settled it ends by itself. The exit code is 1 if --apply is refused.

    API server, scheduler, controllers and simulated nodes run in this one process.
    """
    background = _background(asked)
    if background is not None:
        _run_in_background(asked, background)
    else:
        _run_here(asked)


@dataclass(frozen=True, slots=True)
class _Background:
    """How to wait for a cluster in the background.

    Attributes:
        wait_s: how long, until nothing more is to be expected; None to wait for its API alone.
    """

    wait_s: float | None


def _background(asked: UpOptions) -> _Background | None:
    """Whether this process is to start another one, and how to wait for that."""
    wait = asked.wait
    if not asked.detach and wait is not None:
        raise InputError("--wait: needs --detach; without it there is --exit-when-settled")
    if asked.detach and asked.exit_when_settled:
        raise InputError("--detach and --exit-when-settled: say one of them; --wait waits")
    wait_s = None if wait is None else duration_seconds(wait)
    if wait is not None and (wait_s is None or wait_s <= 0):
        raise InputError(f"--wait {wait}: must be a duration, such as 90s or 10m")
    return _Background(wait_s) if asked.detach and not is_detached() else None


def _run_here(asked: UpOptions) -> None:
    stages = Stages.of_this_process()
    if asked.data_dir is not None:
        # Before anything that takes its time: scripts wait for the file.
        from podium.cluster.embedded.directory import DataDirectory

        DataDirectory(asked.data_dir).forget_kubeconfig()
    from podium.ui.command_line.options.up_request import read_up_request
    from podium.ui.command_line.processes.up_process import run_until_end

    with working("reading"):
        request = read_up_request(asked)
    collect_rarely()
    run_until_end(request, stages)


def _run_in_background(asked: UpOptions, background: _Background) -> None:
    from podium.ui.command_line.processes.detached_cluster import detach

    reads_stdin = "-" in [*(asked.filename or ()), *(asked.apply or ())]
    with working("starting the cluster"):
        directory = detach(asked.data_dir, background.wait_s, reads_stdin=reads_stdin)
    print("The cluster is ready.")
    print(f"  export KUBECONFIG={directory.kubeconfig.absolute()}")
    print(f"See it: {directory.dashboard.read_text().strip()}")
    where = "" if asked.data_dir is None else f" --data-dir {asked.data_dir}"
    print(f"podium down{where} stops it.")
