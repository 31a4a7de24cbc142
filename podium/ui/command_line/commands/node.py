"""`podium node`: this machine as a node, whose pods are its processes."""

import os
import socket
import sys
from pathlib import Path

from podium.ui.inputs.configurations import read_kubelet_config
from podium.ui.inputs.extras import check_extra
from podium.ui.inputs.input_error import InputError
from podium.ui.inputs.option import option, question, text
from podium.ui.inputs.request_options import Connection
from podium.ui.writers.console import print_warnings

_ISOLATES_NOTHING = (
    "pods are plain processes of this machine and user, and nothing isolates them: "
    "run only what you trust"
)
_REFUSES_ROOT = (
    "refuses to run as root: nothing would keep pods from doing anything to this machine; "
    "run it as another user, or say --allow-root"
)


@question
class NodeCommandOptions(Connection):
    """Which node is run; most options are the kubelet's."""

    name: str | None = option("The node's name; the hostname, if not given.", metavar="NAME")
    root_dir: str | None = option(
        "Where volumes and logs of pods are; ~/.local/state/podium/nodes/NAME, if not given.",
        metavar="DIR",
    )
    config: str | None = option("A KubeletConfiguration; flags go before it.", metavar="FILE")
    eviction_hard: str | None = option("Such as `memory.available<500Mi`.", metavar="THRESHOLDS")
    eviction_soft: str | None = option("Such as `memory.available<1Gi`.", metavar="THRESHOLDS")
    eviction_soft_grace_period: str | None = option(
        "Such as `memory.available=1m30s`.", metavar="DURATIONS"
    )
    eviction_minimum_reclaim: str | None = option(
        "Such as `memory.available=200Mi`.", metavar="AMOUNTS"
    )
    eviction_max_pod_grace_period: int | None = option(
        "What a soft threshold leaves pods at most.", metavar="SECONDS"
    )
    eviction_pressure_transition_period: str | None = option(
        "How long a condition of pressure stays; 5m.", metavar="DURATION"
    )
    kube_reserved: str | None = option("Such as `cpu=100m,memory=200Mi`.", metavar="AMOUNTS")
    system_reserved: str | None = option("Such as `cpu=100m,memory=1Gi`.", metavar="AMOUNTS")
    node_labels: str | None = option("Of the node, such as `disk=ssd,zone=a`.", metavar="LABELS")
    port: int | None = option(
        "Where the API server asks for logs; 10250, if that is free.", metavar="PORT", min=0
    )
    client_ca_file: str | None = option(
        "Who vouches for those that ask for logs; the kubeconfig's authority, if not given.",
        metavar="FILE",
    )
    allow_root: bool = option("Run as root all the same, and all pods with it.", default=False)


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
    kubelet = read_kubelet_config(asked.config, flags)
    options = NodeOptions(
        kubeconfig=text(asked.kubeconfig),
        context=asked.context,
        name=name,
        root=Path(asked.root_dir or Path(state) / "podium" / "nodes" / name),
        config=kubelet,
        labels=parse_flag(asked.node_labels or "", EQUALS),
        port=asked.port,
        client_ca=Path(asked.client_ca_file) if asked.client_ca_file else None,
    )
    unheeded = (f"{asked.config}: {field} isn't heeded" for field in kubelet.unheeded)
    print_warnings([*unheeded, _ISOLATES_NOTHING])
    asyncio.run(run(options))
