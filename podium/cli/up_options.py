"""The options of `podium up`."""

from pathlib import Path
from typing import Annotated

import typer

from podium.embedded.defaults import USUAL_PORT, NodeShape

DEFAULT_SHAPE = NodeShape()

NodesOption = Annotated[
    int | None,
    typer.Option(
        min=0, help="How many simulated nodes; 3, or those of --filename.", show_default=False
    ),
]
CpuOption = Annotated[str, typer.Option(metavar="QUANTITY", help="The CPU of each of them.")]
MemoryOption = Annotated[str, typer.Option(metavar="QUANTITY", help="The memory of each of them.")]
FilenameOption = Annotated[
    list[str] | None,
    typer.Option(
        "--filename",
        "-f",
        metavar="FILE|DIR|-",
        help="What is there at the first start; may be given several times.",
    ),
]
ApplyOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="FILE|DIR|-",
        help="Manifests to apply once the cluster is ready, and to tell the story of.",
    ),
]
SettledOption = Annotated[
    bool,
    typer.Option(
        "--exit-when-settled", help="End when nothing more is to be expected, with the story."
    ),
]
DataDirOption = Annotated[
    Path | None,
    typer.Option(metavar="DIR", help="Where the cluster keeps what it has; nowhere if not given."),
]
PortOption = Annotated[
    int | None,
    typer.Option(
        min=0,
        max=65535,
        help=f"Where to listen; 0 for any free port. {USUAL_PORT}, if it is free.",
        show_default=False,
    ),
]
SpeedOption = Annotated[
    str,
    typer.Option(metavar="1x|10x|max", help="How time passes; max jumps over mere waiting."),
]
SchedulerConfigOption = Annotated[
    str | None, typer.Option(metavar="FILE", help="A KubeSchedulerConfiguration (v1).")
]
SchedulerOption = Annotated[
    bool, typer.Option("--scheduler/--no-scheduler", help="Whether Podium schedules the pods.")
]
ControllersOption = Annotated[
    str,
    typer.Option(metavar="LIST", help="Names with commas; `*` for all, `-NAME` for all but one."),
]
InsecureOption = Annotated[bool, typer.Option("--insecure-http", help="Speak HTTP, without TLS.")]
