"""The process of `podium scheduler`, with its signals, logs, clocks and randomness."""

import gc
import socket
import time
import uuid
from collections.abc import Mapping
from dataclasses import fields
from random import Random
from typing import Any

from podium.cluster.client.connection import load_connection
from podium.cluster.drivers.live import SteadyClock
from podium.cluster.real.logs import log_to_stderr
from podium.cluster.real.scheduler_process import Beside, ProcessOptions, SchedulerProcess
from podium.cluster.real.settings import with_flags
from podium.scheduler.config.document import UNHEEDED, KubeSchedulerConfiguration
from podium.scheduler.config.load import default_configuration
from podium.scheduler.config.scheduler_options import SchedulerOptions
from podium.ui.command_line.options.process_options import SchedulerCommandOptions
from podium.ui.command_line.processes.signals import stop_event
from podium.ui.inputs.configurations import read_scheduler_config
from podium.ui.inputs.option import Plugins, text
from podium.ui.writers.terminal import print_warnings


def read_configuration(
    path: str | None, flags: Mapping[str, Any], plugins: Plugins = ()
) -> tuple[KubeSchedulerConfiguration, SchedulerOptions]:
    """Read a configuration overridden by flags, and Podium's own options."""
    loaded = read_scheduler_config(path, plugins)
    if loaded is None:
        return with_flags(default_configuration(), flags), SchedulerOptions()
    print_warnings([note for note in loaded.notes if not note.endswith(UNHEEDED)])
    return with_flags(loaded.configuration, flags), loaded.options


async def run(asked: SchedulerCommandOptions) -> None:
    """Schedule a cluster until Ctrl-C or SIGTERM; raises PodiumError."""
    flags = {
        one.name.removeprefix("leader_elect_").removeprefix("kube_api_"): getattr(asked, one.name)
        for one in fields(asked)
        if one.name.startswith(("leader_elect", "kube_api"))
    }
    flags["kubeconfig"] = text(asked.kubeconfig)
    configuration, own = read_configuration(asked.config, flags, asked.plugin)
    log_to_stderr(asked.log_level, asked.log_format)
    if asked.dry_run:
        # A dry run needs no lease, and must not keep it from schedulers that do.
        election = configuration.election.model_copy(update={"leader_elect": False})
        configuration = configuration.model_copy(update={"leader_election": election})
    hostname = socket.gethostname()
    options = ProcessOptions(
        configuration=configuration,
        options=own,
        identity=f"{hostname}_{uuid.uuid4()}",
        hostname=hostname,
        dry_run=asked.dry_run,
        watch_timeout_s=asked.watch_timeout,
        address=asked.bind_address,
        port=asked.metrics_port,
    )
    # What lists bring stays for long; it needn't be looked through for garbage all the time.
    gc.set_threshold(100_000, 20, 100)
    kubeconfig = configuration.connection.kubeconfig or None
    connection = await load_connection(kubeconfig, asked.context)
    stop = stop_event()
    beside: list[Beside] = []
    if asked.dashboard_port is not None:
        # Only now: a scheduler without a dashboard doesn't wait for it.
        from podium.ui.dashboard.scheduler_dashboard import scheduler_dashboard

        def tell(link: str) -> None:
            print(f"See it: {link}", flush=True)

        beside = [scheduler_dashboard(asked.dashboard_port, connection, configuration, own, tell)]
    process = SchedulerProcess(
        connection, options, SteadyClock(), time.perf_counter, Random(), *beside
    )
    await process.run(stop)
