"""Runs `podium scheduler`: signals, logs, clocks and chance."""

import asyncio
import gc
import signal
import socket
import time
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from random import Random

from podium.cli.configurations import read_scheduler_config
from podium.cli.output import print_warnings
from podium.client.connection import load_connection
from podium.config.document import UNHEEDED
from podium.config.load import default_configuration
from podium.config.scheduler_options import SchedulerOptions
from podium.config.types import SchedulerConfiguration
from podium.real.logs import LogFormat, LogLevel, log_to_stderr
from podium.real.scheduler_process import Beside, ProcessOptions, SchedulerProcess
from podium.real.settings import Flags, with_flags
from podium.runtime.live import SteadyClock


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What the command line asks for.

    Attributes:
        configuration: of the file, with the flags.
        options: Podium's own.
        context: of the kubeconfig; None for its current one.
        dry_run: whether to judge another scheduler instead.
        watch_timeout_s: after how long a watch that tells nothing is taken for dead.
        address: where metrics and probes are served.
        port: at which.
        dashboard_port: where the dashboard is; None for none.
        log_level: the least that is logged.
        log_format: of the lines.
    """

    configuration: SchedulerConfiguration
    options: SchedulerOptions
    context: str | None
    dry_run: bool
    watch_timeout_s: float
    address: str
    port: int
    dashboard_port: int | None
    log_level: LogLevel
    log_format: LogFormat


def read_configuration(
    path: str | None, flags: Flags, plugins: Sequence[str] = ()
) -> tuple[SchedulerConfiguration, SchedulerOptions]:
    """What a file says, with flags in its place, and Podium's own options.

    Args:
        path: of the file; None for the default configuration.
        flags: what goes before it.
        plugins: `FILE:CLASS` of plugins to enable.

    Raises:
        PodiumError: the file can't be read, or something in it or in the flags is wrong.
    """
    loaded = read_scheduler_config(path, plugins)
    if loaded is None:
        return with_flags(default_configuration(), flags), SchedulerOptions()
    print_warnings([note for note in loaded.notes if not note.endswith(UNHEEDED)])
    return with_flags(loaded.configuration, flags), loaded.options


def run(wish: Wish) -> None:
    """Schedule until Ctrl-C or SIGTERM.

    Raises:
        PodiumError: the cluster can't be reached, the port can't be had, or the lease was lost.
    """
    asyncio.run(_run(wish))


async def _run(wish: Wish) -> None:
    log_to_stderr(wish.log_level, wish.log_format)
    # What lists bring stays for long; it needn't be looked through for garbage all the time.
    gc.set_threshold(100_000, 20, 100)
    kubeconfig = wish.configuration.client_connection.kubeconfig or None
    connection = await load_connection(kubeconfig, wish.context)
    stop, loop, hostname = asyncio.Event(), asyncio.get_running_loop(), socket.gethostname()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    configuration = wish.configuration
    if wish.dry_run:
        # Whoever does nothing needs no lease, and leaves it to those who do.
        alone = replace(configuration.leader_election, leader_elect=False)
        configuration = replace(configuration, leader_election=alone)
    options = ProcessOptions(
        configuration=configuration,
        options=wish.options,
        identity=f"{hostname}_{uuid.uuid4()}",
        hostname=hostname,
        dry_run=wish.dry_run,
        watch_timeout_s=wish.watch_timeout_s,
        address=wish.address,
        port=wish.port,
    )
    process = SchedulerProcess(
        connection, options, SteadyClock(), time.perf_counter, Random(), *_dashboard(wish)
    )
    await process.run(stop)


def _dashboard(wish: Wish) -> Iterator[Beside]:
    """What goes on beside the scheduling: the dashboard, if there is to be one."""
    if wish.dashboard_port is None:
        return
    from podium.cli.dashboards import PRESENTERS
    from podium.web.scheduler_dashboard import scheduler_dashboard

    def tell(link: str) -> None:
        print(f"See it: {link}", flush=True)

    yield scheduler_dashboard(
        wish.dashboard_port, wish.configuration, wish.options, PRESENTERS, tell
    )
