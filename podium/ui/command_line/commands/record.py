"""`podium record`: what happens in a real cluster, kept to be played again."""

from pathlib import Path
from typing import Annotated

import typer

from podium.ui.command_line.options.common_options import ContextOption, KubeconfigOption


def record(
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="DIR", help="Where to write the recording.")
    ],
    kubeconfig: KubeconfigOption = None,
    context: ContextOption = None,
    config: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="The KubeSchedulerConfiguration (v1) that the cluster is scheduled by, to be "
            "kept with the recording; the default one unless given.",
        ),
    ] = None,
) -> None:
    """Record what happens in a cluster, until Ctrl-C or SIGTERM; nothing is changed there.

    A recording that is there already is gone on with.
    """
    # Imported when it is called, so that help, completion and the library start at once.
    from podium.ui.inputs.extras import check_extra

    check_extra("recording a cluster")
    import asyncio

    from podium.ui.command_line.processes.record_process import configuration_text, run

    asyncio.run(run(output, kubeconfig, context, configuration_text(config)))
