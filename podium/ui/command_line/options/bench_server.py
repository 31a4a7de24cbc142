"""`podium bench --server`: workloads for a scheduler that runs elsewhere."""

import time
import uuid
from collections.abc import Callable
from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING

from podium.ui.command_line.options.common_options import InputError
from podium.ui.command_line.options.extras import check_extra
from podium.ui.command_line.processes.coroutines import run_to_end

if TYPE_CHECKING:
    from podium.simulation.benchmarks.server_result import ServerResult

WORKLOADS = ("SchedulingBasic", "PreemptionBasic", "PreemptionAsync")
CURRENT = "current"

Tell = Callable[[str], None]
"""Shows what begins."""


def measure_server(
    server: str, names: list[str], scheduler_name: str, nodes: int, pods: int, tell: Tell
) -> "list[ServerResult]":
    """Run workloads, one after the other.

    Args:
        server: the URL of the API server, with the credentials of the current context; `current`
            for that context's own.
        names: of the workloads; all if none.
        scheduler_name: pods ask for it.
        nodes: how many there are.
        pods: how many are measured; of preemptors at most one a node.
        tell: shows what is measured.

    Raises:
        PodiumError: the server can't be reached, or refuses.
    """
    check_extra("measuring a server")
    if unknown := [name for name in names if name not in WORKLOADS]:
        raise InputError(f"{unknown[0]}: with --server there are {', '.join(WORKLOADS)}")
    chosen = names or [*WORKLOADS]
    return run_to_end(_measure(server, chosen, scheduler_name, nodes, pods, tell))


async def _measure(
    server: str, names: list[str], scheduler_name: str, nodes: int, pods: int, tell: Tell
) -> "list[ServerResult]":
    from podium.cluster.client.connection import load_connection
    from podium.cluster.client.http_api import HttpApi
    from podium.simulation.benchmarks.server_bench import ServerBench, ServerBenchOptions

    connection = await load_connection()
    if server != CURRENT:
        connection.url = server.rstrip("/")
    found = []
    async with HttpApi(connection, Random()) as api:
        await api.list("Node")
        for name in names:
            tell(f"measuring {name}")
            count = pods if name == "SchedulingBasic" else min(pods, nodes)
            options = ServerBenchOptions(uuid.uuid4().hex[:6], scheduler_name, nodes, count)
            if name == "PreemptionAsync":
                options = replace(options, pods=2 * count)
            bench = ServerBench(api, options, time.perf_counter)
            found.append(await getattr(bench, _METHODS[name])())
    return found


_METHODS = dict(
    zip(WORKLOADS, ("scheduling_basic", "preemption_basic", "preemption_async"), strict=True)
)
