"""`podium node`: this machine as a node, whose pods are its processes."""

import os
import socket
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from podium.ui.command_line.options.common_options import ContextOption, KubeconfigOption
from podium.ui.command_line.options.option_fields import with_fields_of
from podium.ui.inputs.configurations import read_kubelet_config
from podium.ui.inputs.extras import check_extra
from podium.ui.inputs.input_error import InputError
from podium.ui.writers.console import print_warnings

_ISOLATES_NOTHING = (
    "pods are plain processes of this machine and user, and nothing isolates them: "
    "run only what you trust"
)
_REFUSES_ROOT = (
    "refuses to run as root: nothing would keep pods from doing anything to this machine; "
    "run it as another user, or say --allow-root"
)


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


@with_fields_of(NodeCommandOptions)
def node(asked: NodeCommandOptions) -> None:
    """Join a cluster as a node that runs pods as processes of this machine, until SIGTERM.

    For development, tests and edge machines: it isolates nothing.
    """
    # Imported when it is called, so that help, completion and the library start at once.
    from podium.api.selectors.labels import validate_subdomain
    from podium.kubelet.eviction.threshold_parser import EQUALS, parse_flag

    flags: dict[str, str | int | None] = {
        "evictionHard": asked.eviction_hard,
        "evictionSoft": asked.eviction_soft,
        "evictionSoftGracePeriod": asked.eviction_soft_grace_period,
        "evictionMinimumReclaim": asked.eviction_minimum_reclaim,
        "evictionMaxPodGracePeriod": asked.eviction_max_pod_grace_period,
        "evictionPressureTransitionPeriod": asked.eviction_pressure_transition_period,
        "kubeReserved": asked.kube_reserved,
        "systemReserved": asked.system_reserved,
    }
    if os.geteuid() == 0 and not asked.allow_root:
        raise InputError(_REFUSES_ROOT)
    if sys.platform != "linux":
        raise InputError("a node needs Linux")
    check_extra("a node")
    import asyncio

    from podium.ui.command_line.processes.node_process import NodeOptions, run

    name = asked.name or socket.gethostname().lower()
    if wrong := validate_subdomain(name):
        raise InputError(f"{name}: is no name of a node: {wrong[0]}")
    state = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    kubelet = read_kubelet_config(None if asked.config is None else str(asked.config), flags)
    options = NodeOptions(
        kubeconfig=asked.kubeconfig,
        context=asked.context,
        name=name,
        root=asked.root_dir or Path(state) / "podium" / "nodes" / name,
        config=kubelet,
        labels=parse_flag(asked.node_labels or "", EQUALS),
        port=asked.port,
        client_ca=asked.client_ca_file,
    )
    unheeded = (f"{asked.config}: {field} isn't heeded" for field in kubelet.unheeded)
    print_warnings([*unheeded, _ISOLATES_NOTHING])
    asyncio.run(run(options))
