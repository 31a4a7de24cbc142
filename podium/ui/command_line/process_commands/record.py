"""`podium record`: what happens in a real cluster, kept to be played again."""

from pathlib import Path

from podium.ui.inputs.input_error import InputError
from podium.ui.inputs.option import option, question
from podium.ui.inputs.request_options import Connection


@question
class RecordOptions(Connection):
    """Which cluster is recorded, and where."""

    output_dir: str | None = option(
        "Where to write the recording.", formerly=("--output", "-o"), metavar="DIR"
    )
    config: str | None = option(
        "The KubeSchedulerConfiguration (v1) that the cluster is scheduled by, to be "
        "kept with the recording; the default one unless given.",
        metavar="FILE",
    )


def record(asked: RecordOptions) -> None:
    """Record what happens in a cluster, until Ctrl-C or SIGTERM; nothing is changed there.

    A recording that is there already is gone on with.
    """
    # Imported when it is called, so that help, completion and the library start at once.
    from podium.ui.inputs.extras import check_extra

    if asked.output_dir is None:
        raise InputError("--output-dir: is missing; it names the directory of the recording")
    check_extra("recording a cluster")
    import asyncio

    from podium.ui.command_line.processes.record_process import record_until_end

    asyncio.run(record_until_end(Path(asked.output_dir), asked, asked.config))
