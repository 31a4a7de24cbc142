"""The process of `podium up`, and its output."""

import asyncio
import signal
import sys
import time
import webbrowser
from collections.abc import Sequence
from contextlib import AsyncExitStack, suppress
from pathlib import Path

from msgspec import structs
from rich.live import Live
from rich.text import Text

from podium.api.codec.field_validation import FieldValidation
from podium.api.errors import PodiumError, RefusedError
from podium.api.objects import is_terminating
from podium.api.pods import is_finished
from podium.api.process.python_garbage_collection import collect_rarely
from podium.cluster.embedded.cluster import EmbeddedCluster, EmbeddedOptions
from podium.cluster.embedded.cluster_clock import parse_speed
from podium.cluster.embedded.cluster_counts import ClusterCounter
from podium.cluster.embedded.defaults import DEFAULT_NODES, NodeShape
from podium.cluster.embedded.in_process_client import InProcessClient
from podium.cluster.embedded.initial_objects import parse_shape, read_manifests, simulated_nodes
from podium.cluster.embedded.kubeconfig import merged, usual_kubeconfig
from podium.cluster.manifests.manifest_objects import Loaded
from podium.cluster.manifests.problems import Problem, describe
from podium.cluster.virtual import SchedulerSetup
from podium.cluster.virtual.controller_list import chosen_controllers
from podium.simulation.timeline.facts import TimelineEntry
from podium.simulation.timeline.observer import Observer
from podium.simulation.timeline.timeline_sentences import clock, sentences, tone_of
from podium.ui.command_line.options.process_options import UpOptions
from podium.ui.command_line.processes.detached_cluster import READY, SETTLED, Stages
from podium.ui.command_line.processes.signals import stop_event
from podium.ui.dashboard.embedded_dashboard import mount_dashboard
from podium.ui.inputs.configurations import read_kubelet_config, read_scheduler_config
from podium.ui.inputs.input_error import InputError
from podium.ui.inputs.option import texts
from podium.ui.writers.terminal import STYLES, console, print_warnings, working

REFRESH_S = 0.25
_PLAIN_LINES_S = 1.0
_WIDTH = len("t+59.999s  ")
_STYLES = {"pending": "yellow", "running": "green"}
_STYLES |= dict.fromkeys(("preempted", "evicted", "lost"), "red")
_SETTLED_S = 5.0
"""A cluster has settled when nothing was written for this time and no pod is on its way."""

_STUCK_S = 60.0
"""A cluster with pods on their way has settled when nothing was written for this time."""


def run(asked: UpOptions, data_dir: Path | None, stages: Stages) -> None:
    """Run a cluster until Ctrl-C, SIGTERM or the end of its terminal, or until it has settled."""
    with working("reading"):
        options, applied = _read(asked, data_dir)
    collect_rarely()
    asyncio.run(_run(asked, options, applied, stages))


async def _run(
    asked: UpOptions, options: EmbeddedOptions, applied: Sequence[Loaded], stages: Stages
) -> None:
    # The end of its terminal ends a cluster, too, but not under nohup.
    is_under_nohup = signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    stop = stop_event(*([] if is_under_nohup else [signal.SIGHUP]))
    async with AsyncExitStack() as stack:
        with working("starting the cluster"):
            embedded = await stack.enter_async_context(EmbeddedCluster(options))
        if embedded.taken_up and (texts(asked.filename) or asked.nodes is not None):
            print_warnings([f"{options.data_dir} has a cluster, which goes on as it was"])
        print_warnings(embedded.notes)
        cluster, backend = embedded.cluster, embedded.backend
        # Counts and timeline begin before anything is applied, as the cluster may act at once.
        counter, observer = ClusterCounter(cluster.store), None
        began_s = cluster.driver.now_s - cluster.options.start_s
        if applied or asked.exit_when_settled:
            observer = Observer(cluster)
            backend.hooks.append(observer.look)
        actor, refusals = InProcessClient(cluster), []
        for loaded in applied:
            try:
                actor.apply([loaded.obj])
            except RefusedError as refused:
                problem = Problem(loaded.source, describe(loaded.obj), refused.message)
                refusals.append(str(problem))
        backend.acted()
        if refusals:
            raise PodiumError("\n".join(refusals))
        link, own = mount_dashboard(embedded), embedded.directory.kubeconfig
        if asked.merge_kubeconfig:
            stack.enter_context(merged(own, usual_kubeconfig()))
        out, live = console(), None
        if out.is_terminal:
            rate = 1 / REFRESH_S
            live = stack.enter_context(Live(console=out, refresh_per_second=rate, transient=True))
        stages.tell(READY)
        out.print(
            f"The cluster is ready at {embedded.served.url}\n"
            f"  export KUBECONFIG={own.absolute()}\n"
            "  kubectl get pods --all-namespaces --watch\n"
            f"See it: {link}\n"
            "Ctrl-C stops it.",
            soft_wrap=True,
        )
        # The command that waits for a detached cluster opens it.
        if asked.open and not stages.are_waited_for:
            await asyncio.to_thread(webbrowser.open, link)

        async def show() -> None:
            shown, shown_s, shown_at, is_over = None, 0.0, "", False
            while not (is_over or stop.is_set()):
                entries: list[TimelineEntry] = []
                if observer is not None:
                    observer.look()
                    entries = [*observer.entries]
                    observer.entries.clear()
                for at_s, text in sentences(entries):
                    at = clock(at_s - began_s)
                    for line in text.splitlines():
                        shown_time = ("" if at == shown_at else at).ljust(_WIDTH)
                        out.print(
                            Text.assemble((shown_time, "bold"), (line, STYLES[tone_of(line)]))
                        )
                        shown_at = at
                waits = asked.exit_when_settled or stages.are_waited_for
                if waits and is_settled(embedded):
                    stages.tell(SETTLED)
                    is_over = asked.exit_when_settled
                counts = counter.counts()
                local_time = time.localtime(backend.now_s())
                summary = Text(time.strftime("%H:%M:%S", local_time), style="cyan")
                for name, number in structs.asdict(counts).items():
                    if name in ("starting", "lost") and not number:
                        continue
                    style = _STYLES.get(name, "") if number else ""
                    summary.append(f"  {name} ", style="default").append(f"{number}", style=style)
                if live is not None:
                    live.update(summary)
                # Without a terminal, only changed counts are printed, and not too often.
                elif is_over or (counts != shown and time.monotonic() - shown_s >= _PLAIN_LINES_S):
                    shown, shown_s = counts, time.monotonic()
                    out.print(summary)
                if not is_over:
                    with suppress(TimeoutError):
                        await asyncio.wait_for(stop.wait(), REFRESH_S)

        await embedded.alongside(show())


def is_settled(embedded: EmbeddedCluster) -> bool:
    """Return whether nothing more is expected to happen in a cluster by itself."""
    quiet_s = embedded.clock.quiet_s
    if quiet_s < _SETTLED_S:
        return False
    return quiet_s >= _STUCK_S or not any(
        is_terminating(pod) or (pod["status"]["phase"] == "Pending" and not is_finished(pod))
        for pod in embedded.cluster.store.list("Pod").items
    )


def _read(asked: UpOptions, data_dir: Path | None) -> tuple[EmbeddedOptions, Sequence[Loaded]]:
    state, news = texts(asked.filename), texts(asked.apply)
    if [*state, *news].count("-") > 1:
        raise InputError("standard input (-) can be read only once")
    loaded = read_scheduler_config(asked.scheduler_config, asked.plugin)
    setup = SchedulerSetup(stopwatch=time.perf_counter)
    if loaded is not None:
        print_warnings(loaded.notes)
        setup = SchedulerSetup(
            configuration=loaded.configuration, options=loaded.options, stopwatch=time.perf_counter
        )
    stdin = sys.stdin.buffer
    first = read_manifests(state, stdin, validation=FieldValidation.WARN)
    applied = read_manifests(news, stdin)
    count = asked.nodes if asked.nodes is not None else 0 if state else DEFAULT_NODES
    resources = parse_shape(asked.node_shape)
    shape = NodeShape(
        cpu=asked.node_cpu, memory=asked.node_memory, resources=resources, zones=asked.zones
    )
    simulated = simulated_nodes(count, shape)
    options = EmbeddedOptions(
        objects=[*simulated, *(loaded.obj for loaded in first.objects)],
        data_dir=data_dir,
        address=asked.bind_address,
        port=asked.port,
        is_insecure=asked.insecure_http,
        speed=parse_speed(asked.speed),
        eviction=read_kubelet_config(asked.kubelet_config).eviction,
        schedulers=(setup,) if asked.scheduler else (),
        controllers=chosen_controllers(word for word in asked.controllers.split(",") if word),
        heals=asked.assume_healthy,
    )
    print_warnings([*first.warnings, *first.notes, *applied.notes])
    return options, applied.objects
