"""The options of `podium node`; most are the kubelet's."""

from pathlib import Path
from typing import Annotated

import typer

KubeconfigOption = Annotated[
    str | None,
    typer.Option(
        metavar="FILE",
        help="How to reach the cluster; as for kubectl, if not given.",
    ),
]
NameOption = Annotated[
    str | None, typer.Option(metavar="NAME", help="The node's name; the hostname, if not given.")
]
RootDirOption = Annotated[
    Path | None,
    typer.Option(
        metavar="DIR",
        help="Where volumes and logs of pods are; ~/.local/state/podium/nodes/NAME, if not given.",
    ),
]
ConfigOption = Annotated[
    Path | None, typer.Option(metavar="FILE", help="A KubeletConfiguration; flags go before it.")
]
HardOption = Annotated[
    str | None, typer.Option(metavar="THRESHOLDS", help="Such as `memory.available<500Mi`.")
]
SoftOption = Annotated[
    str | None, typer.Option(metavar="THRESHOLDS", help="Such as `memory.available<1Gi`.")
]
GracePeriodOption = Annotated[
    str | None, typer.Option(metavar="DURATIONS", help="Such as `memory.available=1m30s`.")
]
ReclaimOption = Annotated[
    str | None, typer.Option(metavar="AMOUNTS", help="Such as `memory.available=200Mi`.")
]
MaxGracePeriodOption = Annotated[
    int | None,
    typer.Option(metavar="SECONDS", help="What a soft threshold leaves pods at most."),
]
TransitionPeriodOption = Annotated[
    str | None,
    typer.Option(metavar="DURATION", help="How long a condition of pressure stays; 5m."),
]
KubeReservedOption = Annotated[
    str | None, typer.Option(metavar="AMOUNTS", help="Such as `cpu=100m,memory=200Mi`.")
]
SystemReservedOption = Annotated[
    str | None, typer.Option(metavar="AMOUNTS", help="Such as `cpu=100m,memory=1Gi`.")
]
LabelsOption = Annotated[
    str | None, typer.Option(metavar="LABELS", help="Of the node, such as `disk=ssd,zone=a`.")
]
PortOption = Annotated[
    int | None,
    typer.Option(
        metavar="PORT", help="Where the API server asks for logs; 10250, if that is free.", min=0
    ),
]
ClientCaOption = Annotated[
    Path | None,
    typer.Option(
        "--client-ca-file",
        metavar="FILE",
        help="Who vouches for those that ask for logs; the kubeconfig's authority, if not given.",
    ),
]
AllowRootOption = Annotated[
    bool, typer.Option("--allow-root", help="Run as root all the same, and all pods with it.")
]
