"""The process of `podium record`, with its progress."""

import sys
from pathlib import Path
from random import Random

from rich.filesize import decimal
from rich.text import Text

from podium.api.values.message_words import count
from podium.cluster.drivers.live import SteadyClock
from podium.cluster.manifests.input_files import read_text
from podium.simulation.recordings.recorder import RecorderMachine, record
from podium.simulation.recordings.segments import SegmentWriter
from podium.ui.command_line.processes.signals import stop_event
from podium.ui.inputs.configurations import read_scheduler_config
from podium.ui.inputs.request_options import ClusterOptions
from podium.ui.inputs.state_inputs import connection_of
from podium.ui.writers.terminal import console, print_warnings, working


async def record_until_end(directory: Path, cluster: ClusterOptions, config: str | None) -> None:
    """Record a cluster until Ctrl-C or SIGTERM; raises PodiumError."""
    configuration = ""
    if config is not None:
        read_scheduler_config(config)
        configuration = read_text(config, sys.stdin.buffer)
    connection = await connection_of(cluster)
    stop, clock = stop_event(), SteadyClock()
    err = console(stderr=True)
    writer, has_said = SegmentWriter(directory, configuration), False
    try:
        machine = RecorderMachine(writer)

        def changes() -> str:
            return count(machine.changes, "change")

        def tell() -> None:
            nonlocal has_said
            if not machine.is_synced:
                shown.tell(lambda: f"reads the cluster: {count(len(machine), 'object')}")
                return
            if not has_said:
                err.print(Text(f"records into {directory}; Ctrl-C ends it"))
                has_said = True
            shown.tell(
                lambda: (
                    f"{count(len(machine), 'object')}, {changes()}, "
                    f"segment {writer.number}, {decimal(writer.bytes_written)}"
                )
            )

        with working("reads the cluster") as shown:
            await record(
                connection,
                machine,
                clock,
                Random(),
                stop,
                warn=lambda text: print_warnings([text]),
                progress=tell,
            )
        machine.end(clock.now_s())
    finally:
        writer.close()
    err.print(Text(f"recorded {changes()} in {directory}"))
