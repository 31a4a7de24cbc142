"""`podium node`: this machine as a node, whose pods are its processes."""

import os
import socket
import sys
from pathlib import Path

from podium.cli.configurations import read_kubelet_config
from podium.cli.extras import check_extra
from podium.cli.node_options import (
    AllowRootOption,
    ClientCaOption,
    ConfigOption,
    GracePeriodOption,
    HardOption,
    KubeconfigOption,
    KubeReservedOption,
    LabelsOption,
    MaxGracePeriodOption,
    NameOption,
    PortOption,
    ReclaimOption,
    RootDirOption,
    SoftOption,
    SystemReservedOption,
    TransitionPeriodOption,
)
from podium.cli.options import ContextOption, InputError
from podium.cli.output import print_warnings

_ISOLATES_NOTHING = (
    "pods are plain processes of this machine and user, and nothing isolates them: "
    "run only what you trust"
)
_REFUSES_ROOT = (
    "refuses to run as root: nothing would keep pods from doing anything to this machine; "
    "run it as another user, or say --allow-root"
)


def node(
    kubeconfig: KubeconfigOption = None,
    context: ContextOption = None,
    name: NameOption = None,
    root_dir: RootDirOption = None,
    config: ConfigOption = None,
    eviction_hard: HardOption = None,
    eviction_soft: SoftOption = None,
    eviction_soft_grace_period: GracePeriodOption = None,
    eviction_minimum_reclaim: ReclaimOption = None,
    eviction_max_pod_grace_period: MaxGracePeriodOption = None,
    eviction_pressure_transition_period: TransitionPeriodOption = None,
    kube_reserved: KubeReservedOption = None,
    system_reserved: SystemReservedOption = None,
    node_labels: LabelsOption = None,
    port: PortOption = None,
    client_ca_file: ClientCaOption = None,
    allow_root: AllowRootOption = False,
) -> None:
    """Join a cluster as a node that runs pods as processes of this machine, until SIGTERM.

    For development, tests and edge machines: it isolates nothing.
    """
    from podium.node.pressure.threshold_parsing import EQUALS, parse_flag

    flags: dict[str, str | int | None] = {
        "evictionHard": eviction_hard,
        "evictionSoft": eviction_soft,
        "evictionSoftGracePeriod": eviction_soft_grace_period,
        "evictionMinimumReclaim": eviction_minimum_reclaim,
        "evictionMaxPodGracePeriod": eviction_max_pod_grace_period,
        "evictionPressureTransitionPeriod": eviction_pressure_transition_period,
        "kubeReserved": kube_reserved,
        "systemReserved": system_reserved,
    }
    _check_here(allow_root)
    import asyncio

    from podium.cli.node_running import NodeOptions, run

    called = _checked_name(name or socket.gethostname().lower())
    kubelet = read_kubelet_config(None if config is None else str(config), flags)
    options = NodeOptions(
        kubeconfig=kubeconfig,
        context=context,
        name=called,
        root=root_dir or _usual_root(called),
        config=kubelet,
        labels=parse_flag(node_labels or "", EQUALS),
        port=port,
        client_ca=client_ca_file,
    )
    unheeded = (f"{config}: {field} isn't heeded" for field in kubelet.unheeded)
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
    from podium.api.labels import validate_subdomain

    if wrong := validate_subdomain(called):
        raise InputError(f"{called}: is no name of a node: {wrong[0]}")
    return called


def _usual_root(name: str) -> Path:
    state = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    return Path(state) / "podium" / "nodes" / name
