"""`podium node`: this machine as a node, whose pods are its processes."""

import asyncio
import os
import socket
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from podium.api.errors import PodiumError
from podium.cli.node_options import (
    AllowRootOption,
    ConfigOption,
    ContextOption,
    GracePeriodOption,
    HardOption,
    KubeconfigOption,
    KubeReservedOption,
    LabelsOption,
    MaxGracePeriodOption,
    NameOption,
    ReclaimOption,
    RootDirOption,
    SoftOption,
    SystemReservedOption,
    TransitionPeriodOption,
)
from podium.cli.options import InputError
from podium.cli.output import fail, print_warnings

if TYPE_CHECKING:
    from podium.node.kubelet_config import KubeletConfig

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
    allow_root: AllowRootOption = False,
) -> None:
    """Join a cluster as a node that runs pods as processes of this machine, until SIGTERM.

    For development, tests and edge machines: it isolates nothing.
    """
    from podium.api.labels import validate_subdomain
    from podium.cli.node_running import NodeOptions, run
    from podium.node.pressure.flags import EQUALS, parse_flag

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
    try:
        if os.geteuid() == 0 and not allow_root:
            raise InputError(_REFUSES_ROOT)
        if sys.platform != "linux":
            raise InputError("a node needs Linux")
        called = name or socket.gethostname().lower()
        if wrong := validate_subdomain(called):
            raise InputError(f"{called}: is no name of a node: {wrong[0]}")
        options = NodeOptions(
            kubeconfig=kubeconfig,
            context=context,
            name=called,
            root=root_dir or _usual_root(called),
            config=_kubelet_config(config, flags),
            labels=parse_flag(node_labels or "", EQUALS),
        )
        print_warnings([_ISOLATES_NOTHING])
        asyncio.run(run(options))
    except PodiumError as error:
        fail(error)


def _kubelet_config(path: Path | None, flags: Mapping[str, str | int | None]) -> "KubeletConfig":
    """The configuration of a file, with what flags say in its place."""
    from podium.node.kubelet_config import read_kubelet_config
    from podium.node.pressure.flags import EQUALS, parse_flag

    raw: dict[str, Any] = {} if path is None else _read(path)
    for field, given in flags.items():
        if given is not None:
            is_map = field.endswith("Reserved") and isinstance(given, str)
            raw[field] = parse_flag(str(given), EQUALS) if is_map else given
    config, unheeded = read_kubelet_config(raw)
    print_warnings([f"{path}: {field} isn't heeded" for field in unheeded])
    return config


def _read(path: Path) -> dict[str, Any]:
    from podium.manifests.input_files import read_file

    try:
        found = yaml.safe_load(read_file(path))
    except yaml.YAMLError as error:
        raise InputError(f"{path}: {error}") from None
    if not isinstance(found, dict):
        raise InputError(f"{path}: isn't a KubeletConfiguration")
    return found


def _usual_root(name: str) -> Path:
    state = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    return Path(state) / "podium" / "nodes" / name
