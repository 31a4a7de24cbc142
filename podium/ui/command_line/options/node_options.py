"""The options of `podium node`; most are the kubelet's."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from podium.ui.command_line.options.common_options import ContextOption, KubeconfigOption


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeCommandOptions:
    """What `podium node` is asked for; each field is an option, most of them the kubelet's."""

    kubeconfig: KubeconfigOption = None
    context: ContextOption = None
    name: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="The node's name; the hostname, if not given."),
    ] = None
    root_dir: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Where volumes and logs of pods are; ~/.local/state/podium/nodes/NAME, if not "
            "given.",
        ),
    ] = None
    config: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="A KubeletConfiguration; flags go before it."),
    ] = None
    eviction_hard: Annotated[
        str | None, typer.Option(metavar="THRESHOLDS", help="Such as `memory.available<500Mi`.")
    ] = None
    eviction_soft: Annotated[
        str | None, typer.Option(metavar="THRESHOLDS", help="Such as `memory.available<1Gi`.")
    ] = None
    eviction_soft_grace_period: Annotated[
        str | None, typer.Option(metavar="DURATIONS", help="Such as `memory.available=1m30s`.")
    ] = None
    eviction_minimum_reclaim: Annotated[
        str | None, typer.Option(metavar="AMOUNTS", help="Such as `memory.available=200Mi`.")
    ] = None
    eviction_max_pod_grace_period: Annotated[
        int | None,
        typer.Option(metavar="SECONDS", help="What a soft threshold leaves pods at most."),
    ] = None
    eviction_pressure_transition_period: Annotated[
        str | None,
        typer.Option(metavar="DURATION", help="How long a condition of pressure stays; 5m."),
    ] = None
    kube_reserved: Annotated[
        str | None, typer.Option(metavar="AMOUNTS", help="Such as `cpu=100m,memory=200Mi`.")
    ] = None
    system_reserved: Annotated[
        str | None, typer.Option(metavar="AMOUNTS", help="Such as `cpu=100m,memory=1Gi`.")
    ] = None
    node_labels: Annotated[
        str | None, typer.Option(metavar="LABELS", help="Of the node, such as `disk=ssd,zone=a`.")
    ] = None
    port: Annotated[
        int | None,
        typer.Option(
            metavar="PORT",
            help="Where the API server asks for logs; 10250, if that is free.",
            min=0,
        ),
    ] = None
    client_ca_file: Annotated[
        Path | None,
        typer.Option(
            "--client-ca-file",
            metavar="FILE",
            help="Who vouches for those that ask for logs; the kubeconfig's authority, if not "
            "given.",
        ),
    ] = None
    allow_root: Annotated[
        bool, typer.Option("--allow-root", help="Run as root all the same, and all pods with it.")
    ] = False
