"""The life of `podium up`: from the start to a signal, or to the end of a timeline."""

import asyncio
import signal
from collections.abc import Awaitable, Coroutine, Iterator, Sequence
from contextlib import AsyncExitStack, nullcontext
from typing import Any

import msgspec

from podium.api.errors import PodiumError
from podium.api.refused import RefusedError
from podium.cluster.embedded.cluster import EmbeddedCluster, EmbeddedOptions
from podium.cluster.embedded.cluster_counts import ClusterCounter
from podium.cluster.embedded.in_process_client import InProcessClient
from podium.cluster.embedded.merged_kubeconfig import merged, usual_kubeconfig
from podium.cluster.manifests import Loaded, Problem
from podium.cluster.manifests.problems import describe
from podium.ui.command_line.output.up_display import REFRESH_S, Display, display, greeting
from podium.ui.command_line.processes.dashboards import PRESENTERS
from podium.ui.command_line.processes.stages import READY, SETTLED, Stages
from podium.ui.command_line.processes.timeline_follower import TimelineFollower, is_settled
from podium.ui.dashboard.embedded_dashboard import mount_dashboard
from podium.ui.writers.console import print_warnings, working


class ApplyError(PodiumError):
    """The API has refused something that was to be applied."""


class UpRequest(msgspec.Struct, frozen=True):
    """What is to be run.

    Attributes:
        options: what the cluster consists of.
        applied: objects to apply once it is ready, and to tell the timeline of.
        names_beginning: whether somebody says what is there at the first start.
        ends_when_settled: whether it ends when nothing more is to be expected.
        merges_kubeconfig: whether the user's own kubeconfig gets its context while it runs.
    """

    options: EmbeddedOptions
    applied: Sequence[Loaded]
    names_beginning: bool = False
    ends_when_settled: bool = False
    merges_kubeconfig: bool = False


def run_until_end(request: UpRequest, stages: Stages) -> None:
    """Run a cluster until Ctrl-C, SIGTERM or the terminal's end, or until it has settled.

    Args:
        request: what is to be run.
        stages: is told when the API answers and all is applied, and when the cluster has settled.

    Raises:
        ApplyError: the API refuses something that is to be applied.
        PodiumError: the cluster can't start, or can't go on.
    """
    asyncio.run(_run(request, stages))


async def _run(request: UpRequest, stages: Stages) -> None:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in _ending_signals():
        loop.add_signal_handler(number, stop.set)
    async with AsyncExitStack() as stack:
        with working("starting the cluster"):
            embedded = await stack.enter_async_context(EmbeddedCluster(request.options))
        if embedded.taken_up and request.names_beginning:
            print_warnings([f"{request.options.data_dir} has a cluster; it goes on as it was"])
        print_warnings(embedded.notes)
        # Both look on from before anything is applied: the cluster may act at once.
        counter = ClusterCounter(embedded.cluster.store)
        timeline = (
            TimelineFollower(embedded) if request.applied or request.ends_when_settled else None
        )
        if refusals := [*_apply(embedded, request.applied)]:
            raise ApplyError("\n".join(map(str, refusals)))
        link = mount_dashboard(embedded, PRESENTERS)
        own, mine = embedded.directory.kubeconfig, usual_kubeconfig()
        with merged(own, mine) if request.merges_kubeconfig else nullcontext(), display() as shown:
            stages.tell(READY)
            for line in greeting(embedded, link):
                shown.say(line)
            showing = _show(
                embedded, shown, stop, counter, timeline, ends=request.ends_when_settled
            )
            await embedded.alongside(_both(showing, _tell_settled(embedded, stages)))


def _ending_signals() -> Iterator[signal.Signals]:
    """The signals that end a cluster; its terminal's end is one, but not under nohup."""
    yield from (signal.SIGINT, signal.SIGTERM)
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
        yield signal.SIGHUP


async def _both(first: Awaitable[None], beside: Coroutine[Any, Any, None]) -> None:
    """Wait for the first; the other one goes on beside it as long as that takes."""
    task = asyncio.create_task(beside)
    try:
        await first
    finally:
        task.cancel()


async def _tell_settled(embedded: EmbeddedCluster, stages: Stages) -> None:
    while stages.are_waited_for:
        if is_settled(embedded):
            stages.tell(SETTLED)
        await asyncio.sleep(REFRESH_S)


async def _show(
    embedded: EmbeddedCluster,
    shown: Display,
    stop: asyncio.Event,
    counter: ClusterCounter,
    timeline: TimelineFollower | None,
    *,
    ends: bool,
) -> None:
    while not stop.is_set():
        for at, sentence in timeline.new_lines() if timeline else ():
            shown.tell(at, sentence)
        is_over = ends and timeline is not None and is_settled(embedded)
        shown.show(counter.counts(), embedded.backend.now_s(), is_last=is_over)
        if is_over:
            return
        try:
            await asyncio.wait_for(stop.wait(), REFRESH_S)
        except TimeoutError:
            continue


def _apply(embedded: EmbeddedCluster, objects: Sequence[Loaded]) -> Iterator[Problem]:
    """Apply objects, and tell of those that are refused; the others are there, as with kubectl."""
    actor = InProcessClient(embedded.cluster)
    for loaded in objects:
        try:
            actor.apply([loaded.obj])
        except RefusedError as refused:
            yield Problem(loaded.source, describe(loaded.obj), refused.message)
    embedded.backend.acted()
