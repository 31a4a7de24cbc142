"""`podium node`: this machine as a node, whose pods are its processes."""

import os
import socket
import sys
from pathlib import Path

from podium.ui.command_line.options.node_options import NodeCommandOptions
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


@with_fields_of(NodeCommandOptions)
def node(asked: NodeCommandOptions) -> None:
    """Join a cluster as a node that runs pods as processes of this machine, until SIGTERM.

    For development, tests and edge machines: it isolates nothing.
    """
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
    _check_here(asked.allow_root)
    import asyncio

    from podium.ui.command_line.processes.node_process import NodeOptions, run

    called = _checked_name(asked.name or socket.gethostname().lower())
    kubelet = read_kubelet_config(None if asked.config is None else str(asked.config), flags)
    options = NodeOptions(
        kubeconfig=asked.kubeconfig,
        context=asked.context,
        name=called,
        root=asked.root_dir or _usual_root(called),
        config=kubelet,
        labels=parse_flag(asked.node_labels or "", EQUALS),
        port=asked.port,
        client_ca=asked.client_ca_file,
    )
    unheeded = (f"{asked.config}: {field} isn't heeded" for field in kubelet.unheeded)
    print_warnings([*unheeded, _ISOLATES_NOTHING])
    asyncio.run(run(options))


def _check_here(allow_root: bool) -> None:
    """Find out whether this machine can be a node, and whether it should."""
    if os.geteuid() == 0 and not allow_root:
        raise InputError(_REFUSES_ROOT)
    if sys.platform != "linux":
        raise InputError("a node needs Linux")
    check_extra("a node")


def _checked_name(called: str) -> str:
    from podium.api.selectors.labels import validate_subdomain

    if wrong := validate_subdomain(called):
        raise InputError(f"{called}: is no name of a node: {wrong[0]}")
    return called


def _usual_root(name: str) -> Path:
    state = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    return Path(state) / "podium" / "nodes" / name
