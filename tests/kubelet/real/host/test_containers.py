"""Containers of several nodes on one machine."""

import asyncio
import os
from pathlib import Path

from podium.kubelet.containers.container import ContainerId, StopSignal
from podium.kubelet.real.host.containers import Containers, Launch

RUN = ContainerId("0f3c", "c", 0)


def test_nodes_of_other_clusters_may_have_pods_of_the_same_uid(tmp_path: Path) -> None:
    async def story() -> None:
        nodes = [Containers(lambda: 0.0, None, tmp_path / name) for name in ("a", "b")]
        for node, name in zip(nodes, "ab", strict=True):
            launch = Launch(
                run=RUN,
                command=["sleep", "60"],
                variables={"PATH": os.environ["PATH"]},
                directory=tmp_path,
                log=tmp_path / name / "0.log",
                memory_bytes=None,
                cpu_millis=None,
                oom_score_adj=0,
            )
            node.start(launch)
        nodes[0].stop(RUN, StopSignal.KILL)
        assert (await nodes[0].exited(RUN)).code == 137
        other = nodes[1].get(RUN)
        assert other is not None
        assert other.process.poll() is None
        nodes[1].stop(RUN, StopSignal.TERM)
        assert (await nodes[1].exited(RUN)).code == 143

    asyncio.run(story())
