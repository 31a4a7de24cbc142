"""The options of `podium up`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from podium.cluster.embedded.defaults import ALL_CONTROLLERS, USUAL_PORT, NodeShape
from podium.ui.command_line.options.common_options import (
    AssumeHealthyOption,
    KubeletConfigOption,
    PluginOption,
)

DEFAULT_SHAPE = NodeShape()


@dataclass(frozen=True, slots=True, kw_only=True)
class UpOptions:
    """What `podium up` is asked for; each field is an option, which says what it means."""

    nodes: Annotated[
        int | None,
        typer.Option(
            min=0, help="How many simulated nodes; 3, or those of --filename.", show_default=False
        ),
    ] = None
    node_cpu: Annotated[str, typer.Option(metavar="QUANTITY", help="The CPU of each of them.")] = (
        DEFAULT_SHAPE.cpu
    )
    node_memory: Annotated[
        str, typer.Option(metavar="QUANTITY", help="The memory of each of them.")
    ] = DEFAULT_SHAPE.memory
    node_shape: Annotated[
        str,
        typer.Option(
            metavar="NAME=AMOUNT,NAME=AMOUNT",
            help="What else each of them has, such as cpu=8,memory=32Gi,nvidia.com/gpu=1.",
        ),
    ] = ""
    zones: Annotated[
        int, typer.Option(min=0, help="Over how many zones they are spread, zone-1 and so on.")
    ] = 0
    filename: Annotated[
        list[str] | None,
        typer.Option(
            "--filename",
            "-f",
            metavar="FILE|DIR|-",
            help="What is there at the first start; may be given several times.",
        ),
    ] = None
    assume_healthy: AssumeHealthyOption = False
    apply: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FILE|DIR|-",
            help="Manifests to apply once the cluster is ready, and to tell the story of.",
        ),
    ] = None
    exit_when_settled: Annotated[
        bool,
        typer.Option(
            "--exit-when-settled", help="End when nothing more is to be expected, with the story."
        ),
    ] = False
    data_dir: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="Where the cluster keeps what it has; nowhere if not given."
        ),
    ] = None
    port: Annotated[
        int | None,
        typer.Option(
            min=0,
            max=65535,
            help=f"Where to listen; 0 for any free port. {USUAL_PORT}, if it is free.",
            show_default=False,
        ),
    ] = None
    speed: Annotated[
        str,
        typer.Option(
            metavar="1x|10x|max",
            help="How time passes; max jumps over mere waiting.",
            autocompletion=lambda: ["1x", "10x", "max"],
        ),
    ] = "1x"
    scheduler_config: Annotated[
        str | None, typer.Option(metavar="FILE", help="A KubeSchedulerConfiguration (v1).")
    ] = None
    plugin: PluginOption = None
    kubelet_config: KubeletConfigOption = None
    scheduler: Annotated[
        bool, typer.Option("--scheduler/--no-scheduler", help="Whether Podium schedules the pods.")
    ] = True
    controllers: Annotated[
        str,
        typer.Option(
            metavar="LIST", help="Names with commas; `*` for all, `-NAME` for all but one."
        ),
    ] = ALL_CONTROLLERS
    insecure_http: Annotated[
        bool, typer.Option("--insecure-http", help="Speak HTTP, without TLS.")
    ] = False
    detach: Annotated[
        bool,
        typer.Option(
            "--detach",
            help="Run in the background, and return once the API answers and --apply is done; "
            "`podium down` stops it.",
        ),
    ] = False
    wait: Annotated[
        str | None,
        typer.Option(
            metavar="DURATION",
            help="With --detach: return only when nothing more is to be expected, or with an error "
            "after so long.",
        ),
    ] = None
    merge_kubeconfig: Annotated[
        bool,
        typer.Option(
            "--merge-kubeconfig",
            help="Make the cluster the current context of your own kubeconfig while it runs.",
        ),
    ] = False
