"""The options of `podium up`."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from podium.embedded.defaults import USUAL_PORT, NodeShape

DEFAULT_SHAPE = NodeShape()


@dataclass(frozen=True, slots=True, kw_only=True)
class Arguments:
    """What the command line says.

    Attributes:
        nodes: how many simulated nodes; None if it doesn't say.
        cpu: of each of them.
        memory: of each of them.
        shape: what else each of them has, as names and amounts.
        zones: over how many zones they are spread.
        state: files of what is there at the first start.
        news: files of what is applied once the cluster is ready.
        ends_when_settled: whether it ends when nothing more is to be expected.
        data_dir: where the cluster keeps what it has; None for nowhere.
        port: where it listens; None for the usual one.
        speed: how time passes.
        scheduler_config: a file; None for the default profile.
        plugins: `FILE:CLASS` of those to enable.
        kubelet_config: a file; None for the defaults.
        schedules: whether Podium schedules the pods.
        controllers: which of them run, with commas.
        is_insecure: whether it speaks plain HTTP.
        merges_kubeconfig: whether the user's own kubeconfig gets its context.
    """

    nodes: int | None
    cpu: str
    memory: str
    shape: str
    zones: int
    state: Sequence[str]
    news: Sequence[str]
    ends_when_settled: bool
    data_dir: Path | None
    port: int | None
    speed: str
    scheduler_config: str | None
    plugins: Sequence[str]
    kubelet_config: str | None
    schedules: bool
    controllers: str
    is_insecure: bool
    merges_kubeconfig: bool


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
ShapeOption = Annotated[
    str,
    typer.Option(
        metavar="NAME=AMOUNT,NAME=AMOUNT",
        help="What else each of them has, such as cpu=8,memory=32Gi,nvidia.com/gpu=1.",
    ),
]
ZonesOption = Annotated[
    int, typer.Option(min=0, help="Over how many zones they are spread, zone-1 and so on.")
]
DetachOption = Annotated[
    bool,
    typer.Option(
        "--detach",
        help="Run in the background, and return once the API answers and --apply is done; "
        "`podium down` stops it.",
    ),
]
WaitOption = Annotated[
    str | None,
    typer.Option(
        metavar="DURATION",
        help="With --detach: return only when nothing more is to be expected, or with an error "
        "after so long.",
    ),
]
MergeOption = Annotated[
    bool,
    typer.Option(
        "--merge-kubeconfig",
        help="Make the cluster the current context of your own kubeconfig while it runs.",
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
    typer.Option(
        metavar="1x|10x|max",
        help="How time passes; max jumps over mere waiting.",
        autocompletion=lambda: ["1x", "10x", "max"],
    ),
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
