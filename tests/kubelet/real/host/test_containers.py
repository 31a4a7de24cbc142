"""Containers as processes of a machine, and their TCP probes."""

import asyncio
import os
from pathlib import Path

from podium.kubelet.containers.container import ContainerId, StopSignal
from podium.kubelet.real.host.container_handlers import handle
from podium.kubelet.real.host.containers import Containers, Launch

RUN = ContainerId("0f3c", "c", 0)


def sleeping(directory: Path, name: str) -> Launch:
    return Launch(
        run=RUN,
        command=["sleep", "60"],
        variables={"PATH": os.environ["PATH"]},
        directory=directory,
        log=directory / name / "0.log",
        memory_bytes=None,
        cpu_millis=None,
        oom_score_adj=0,
    )


def test_nodes_of_other_clusters_may_have_pods_of_the_same_uid(tmp_path: Path) -> None:
    async def story() -> None:
        nodes = [Containers(lambda: 0.0, None, tmp_path / name) for name in ("a", "b")]
        for node, name in zip(nodes, "ab", strict=True):
            node.start(sleeping(tmp_path, name))
        nodes[0].stop(RUN, StopSignal.KILL)
        assert (await nodes[0].exited(RUN)).code == 137
        other = nodes[1].get(RUN)
        assert other is not None
        assert other.process.poll() is None
        nodes[1].stop(RUN, StopSignal.TERM)
        assert (await nodes[1].exited(RUN)).code == 143

    asyncio.run(story())


def test_a_tcp_probe_succeeds_if_its_port_is_open(tmp_path: Path) -> None:
    async def story() -> None:
        node = Containers(lambda: 0.0, None, tmp_path)
        node.start(sleeping(tmp_path, "a"))
        running = node.get(RUN)
        assert running is not None
        async with await asyncio.start_server(lambda _, writer: writer.close(), "127.0.0.1") as web:
            port = web.sockets[0].getsockname()[1]
            ports = [{"name": "web", "containerPort": port}]
            pod = {"spec": {"containers": [{"name": "c", "ports": ports}]}}
            for wanted, succeeds in (("web", True), (port, True), (1, False), ("none", False)):
                result = await handle(running, pod, {"tcpSocket": {"port": wanted}}, 10.0)
                assert result.succeeded is succeeds, (wanted, result.message)
        node.stop(RUN, StopSignal.KILL)
        await node.exited(RUN)

    asyncio.run(story())
