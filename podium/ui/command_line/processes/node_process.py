"""The process of `podium node`: joins a cluster, and runs pods until a signal."""

import asyncio
import os
import signal
import ssl
import time
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from http import HTTPStatus
from pathlib import Path
from random import Random
from typing import Any

from podium.api.errors import PodiumError
from podium.apiserver.http.certificates import LOCAL_NAMES, kept_certificates
from podium.cluster.client.http_api import CallFailedError, HttpApi
from podium.cluster.drivers.live import LiveDriver, SteadyClock
from podium.kubelet.eviction.threshold_parser import EQUALS, parse_flag
from podium.kubelet.kubelet_config import KubeletConfiguration
from podium.kubelet.real.host.cgroups import Cgroups
from podium.kubelet.real.host.containers import Containers
from podium.kubelet.real.host.host_stats import host_info
from podium.kubelet.real.host.kubelet_server import ASKED, KubeletServer
from podium.kubelet.real.host.node_directory import NodeDirectory
from podium.kubelet.real.host.runtime_service import RuntimeService
from podium.kubelet.real.machine_kubelet import MachineKubelet
from podium.kubelet.real.registration import node_object
from podium.machines.async_api import UnreachableError
from podium.ui.command_line.options.process_options import NodeCommandOptions
from podium.ui.inputs.state_inputs import connection_of


async def run(asked: NodeCommandOptions, name: str, config: KubeletConfiguration) -> None:
    """Run a node until Ctrl-C or SIGTERM; a second signal kills all pods; raises PodiumError."""
    connection = await connection_of(asked)
    state = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    root = Path(asked.root_dir or Path(state) / "podium" / "nodes" / name)
    labels = parse_flag(asked.node_labels or "", EQUALS)
    fields = {"Pod": f"spec.nodeName={name}", "Node": f"metadata.name={name}"}
    async with AsyncExitStack() as stack:
        api = await stack.enter_async_context(HttpApi(connection, Random(), fields=fields))
        directory = stack.enter_context(NodeDirectory(root))
        await api.list("Node")
        clock, loop = SteadyClock(), asyncio.get_running_loop()
        host = host_info(directory.root, directory.logs)
        containers = Containers(clock.now_s, Cgroups.delegated(), directory.root)

        async def fetch(kind: str, namespace: str, object_name: str) -> Mapping[str, Any] | None:
            try:
                return await api.get(kind, object_name, namespace)
            except CallFailedError as failed:
                if failed.error.code in (HTTPStatus.NOT_FOUND, HTTPStatus.FORBIDDEN):
                    return None
                raise UnreachableError(failed.error.message) from None

        async def fetch_pod(namespace: str, pod: str) -> Mapping[str, Any] | None:
            return await fetch("Pod", namespace, pod)

        async def may_read(user: str, groups: Sequence[str]) -> bool:
            return await api.may(user, groups, {**ASKED, "name": name})

        if authority := str(asked.client_ca_file or connection.authority):
            server = KubeletServer(
                directory,
                containers,
                fetch_pod=fetch_pod,
                may_read=may_read,
                now_s=time.time,
                address=host.address,
                port=asked.port,
                tls=_tls(directory, (host.address, name), authority),
            )
            host = replace(host, port=(await stack.enter_async_context(server)).port or 0)
        service = RuntimeService(api, fetch, containers, directory, host, clock.now_s)
        node = node_object(name, host, config, labels)

        def kubelet() -> MachineKubelet:
            # A kubelet that has failed, or was killed, may have left containers.
            containers.kill_all()
            return MachineKubelet(node, host, config)

        def end() -> None:
            if service.asked_to_end.is_set():
                service.has_ended.set()
            service.asked_to_end.set()

        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, end)
        print(f"node {name} runs pods in {directory.root}", flush=True)
        # Whatever ends the node, its containers end before their server and directory.
        stack.callback(containers.kill_all)
        async with LiveDriver(service, clock) as driver:
            driver.add(kubelet(), host=name, renew=kubelet)
            await service.has_ended.wait()


def _tls(directory: NodeDirectory, names: Sequence[str], authority: str) -> ssl.SSLContext:
    every = dict.fromkeys((*LOCAL_NAMES, *names))
    own = kept_certificates(directory.root / "pki", time.time(), [*every])
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(own.certificate, own.key)
    try:
        context.load_verify_locations(authority)
    except (OSError, ssl.SSLError) as error:
        raise PodiumError(
            f"{authority}: can't be used as the authority of clients: {error}"
        ) from None
    context.verify_mode = ssl.CERT_OPTIONAL
    return context
