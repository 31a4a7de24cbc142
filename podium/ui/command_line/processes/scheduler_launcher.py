"""Runs `podium scheduler`: signals, logs, clocks and chance."""

import gc
import socket
import time
import uuid
from collections.abc import Sequence
from random import Random

from msgspec import structs

from podium.cluster.client.connection import load_connection
from podium.cluster.drivers.live import SteadyClock
from podium.cluster.real.scheduler_process import Beside, ProcessOptions, SchedulerProcess
from podium.cluster.real.settings import Flags, with_flags
from podium.scheduler.config.document import UNHEEDED, KubeSchedulerConfiguration
from podium.scheduler.config.load import default_configuration
from podium.scheduler.config.scheduler_options import SchedulerOptions
from podium.ui.command_line.processes.signals import stop_event
from podium.ui.inputs.configurations import read_scheduler_config
from podium.ui.writers.console import print_warnings


def read_configuration(
    path: str | None, flags: Flags, plugins: Sequence[str] = ()
) -> tuple[KubeSchedulerConfiguration, SchedulerOptions]:
    """What a file says, with flags in its place, and Podium's own options; raises PodiumError."""
    loaded = read_scheduler_config(path, plugins)
    if loaded is None:
        return with_flags(default_configuration(), flags), SchedulerOptions()
    print_warnings([note for note in loaded.notes if not note.endswith(UNHEEDED)])
    return with_flags(loaded.configuration, flags), loaded.options


def own_names() -> tuple[str, str]:
    """What this process is called among those that want to lead, and what its machine is."""
    hostname = socket.gethostname()
    return f"{hostname}_{uuid.uuid4()}", hostname


async def run(options: ProcessOptions, context: str | None, dashboard_port: int | None) -> None:
    """Schedule until Ctrl-C or SIGTERM; raises PodiumError."""
    if options.dry_run:
        # Whoever does nothing needs no lease, and leaves it to those who do.
        election = options.configuration.election
        election = election.model_copy(update={"leader_elect": False})
        configuration = options.configuration.model_copy(update={"leader_election": election})
        options = structs.replace(options, configuration=configuration)
    # What lists bring stays for long; it needn't be looked through for garbage all the time.
    gc.set_threshold(100_000, 20, 100)
    kubeconfig = options.configuration.connection.kubeconfig or None
    connection = await load_connection(kubeconfig, context)
    stop = stop_event()
    beside: list[Beside] = []
    if dashboard_port is not None:
        # Only now: a scheduler without a dashboard doesn't wait for it.
        from podium.ui.dashboard.scheduler_dashboard import scheduler_dashboard

        def tell(link: str) -> None:
            print(f"See it: {link}", flush=True)

        configuration, own = options.configuration, options.options
        beside = [scheduler_dashboard(dashboard_port, configuration, own, tell)]
    process = SchedulerProcess(
        connection, options, SteadyClock(), time.perf_counter, Random(), *beside
    )
    await process.run(stop)
