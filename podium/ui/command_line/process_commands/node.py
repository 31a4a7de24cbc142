"""`podium node`: run this machine as a node."""

import os
import socket
import sys

from podium.ui.command_line.options.process_options import NodeCommandOptions
from podium.ui.inputs.configurations import read_kubelet_config
from podium.ui.inputs.input_error import InputError, check_extra
from podium.ui.writers.terminal import print_warnings

_ISOLATES_NOTHING = (
    "pods are plain processes of this machine and user, and nothing isolates them: "
    "run only what you trust"
)
_REFUSES_ROOT = (
    "podium node refuses to run as root, as nothing would keep pods from harming this machine: "
    "run it as another user, or with --allow-root"
)
# Fields of a KubeletConfiguration, which go before those of its file.
_KUBELET_FLAGS = (
    *("eviction_hard", "eviction_soft", "eviction_soft_grace_period", "eviction_minimum_reclaim"),
    *("eviction_max_pod_grace_period", "eviction_pressure_transition_period"),
    *("kube_reserved", "system_reserved"),
)


class NodeCommand(NodeCommandOptions):
    """Join a cluster as a node that runs pods as processes of this machine, until SIGTERM.

    For development, tests and edge machines: nothing isolates the pods from the machine.
    """

    def run(self) -> None:
        # Imported when it is called, so that help, completion and the library start at once.
        from pydantic.alias_generators import to_camel

        from podium.api.selectors.labels import validate_subdomain

        if os.geteuid() == 0 and not self.allow_root:
            raise InputError(_REFUSES_ROOT)
        if sys.platform != "linux":
            raise InputError("a node needs Linux")
        check_extra("a node")
        import asyncio

        from podium.ui.command_line.processes.node_process import run

        name = self.name or socket.gethostname().lower()
        if wrong := validate_subdomain(name):
            raise InputError(f"--name {name}: isn't a valid name of a node: {wrong[0]}")
        flags = {to_camel(flag): getattr(self, flag) for flag in _KUBELET_FLAGS}
        kubelet = read_kubelet_config(self.config, flags)
        unheeded = (f"{self.config}: {field} isn't heeded" for field in kubelet.unheeded)
        print_warnings([*unheeded, _ISOLATES_NOTHING])
        asyncio.run(run(self, name, kubelet))
