"""Reads the state of a running cluster, and shows how far it is."""

from random import Random
from typing import TYPE_CHECKING

from podium.ui.command_line.options.extras import check_extra
from podium.ui.command_line.output.output import console
from podium.ui.command_line.processes.coroutines import run_to_end

if TYPE_CHECKING:
    from podium.cluster.snapshot.state_snapshot import ClusterSnapshot


def snapshot_of(kubeconfig: str | None, context: str | None) -> "ClusterSnapshot":
    """The state of a cluster.

    Args:
        kubeconfig: how to reach it; as for kubectl if None.
        context: of the kubeconfig; its current one if None.

    Raises:
        PodiumError: it can't be read.
    """
    check_extra("reading a cluster")
    return run_to_end(_taken(kubeconfig, context))


async def _taken(kubeconfig: str | None, context: str | None) -> "ClusterSnapshot":
    from podium.cluster.client.connection import load_connection
    from podium.cluster.client.http_api import HttpApi
    from podium.cluster.snapshot.state_snapshot import take_snapshot

    connection = await load_connection(kubeconfig, context)
    with console(stderr=True).status("") as status:
        async with HttpApi(connection, Random()) as api:
            return await take_snapshot(
                api, lambda kind, count: status.update(f"{count:,} objects; reads {kind}")
            )
