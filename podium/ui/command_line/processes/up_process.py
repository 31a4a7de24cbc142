"""The process of `podium up`, and what it prints."""

import asyncio
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import AsyncExitStack, contextmanager, nullcontext
from pathlib import Path

from msgspec import structs
from rich.console import Console
from rich.live import Live
from rich.text import Text

from podium.api.codec.field_validation import FieldValidation
from podium.api.errors import PodiumError
from podium.api.objects import is_terminating
from podium.api.pods import is_finished
from podium.api.process.python_garbage_collection import collect_rarely
from podium.api.refused import RefusedError
from podium.cluster.embedded.cluster import EmbeddedCluster, EmbeddedOptions
from podium.cluster.embedded.cluster_clock import parse_speed
from podium.cluster.embedded.cluster_counts import ClusterCounter, ClusterCounts
from podium.cluster.embedded.defaults import DEFAULT_NODES, NodeShape
from podium.cluster.embedded.in_process_client import InProcessClient
from podium.cluster.embedded.initial_objects import parse_shape, read_manifests, simulated_nodes
from podium.cluster.embedded.kubeconfig import merged, usual_kubeconfig
from podium.cluster.manifests import Loaded, Problem
from podium.cluster.manifests.problems import describe
from podium.cluster.virtual import SchedulerSetup
from podium.cluster.virtual.controller_list import chosen_controllers
from podium.simulation.timeline import Observer
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
_STYLES = {"pending": "yellow", "running": "green", "preempted": "red", "evicted": "red"}
_SETTLED_S = 5.0
"""Nothing was written for so long, and no pod is on its way: nothing more will come."""

_STUCK_S = 60.0
"""The same if pods wait for something that doesn't come."""


class ApplyError(PodiumError):
    """The API server has refused an object of `--apply`."""


class Display:
    """Prints a line of counts, and the sentences of a timeline above it.

    Args:
        live: shows the line that changes; None if the output isn't a terminal.
    """

    def __init__(self, out: Console, live: Live | None) -> None:
        self._out = out
        self._live = live
        self._shown: ClusterCounts | None = None
        self._shown_s = 0.0
        self._told = ""

    def say(self, line: str) -> None:
        """Print lines as they are."""
        self._out.print(line, soft_wrap=True)

    def show(self, numbers: ClusterCounts, now_s: float, *, is_last: bool = False) -> None:
        """Show counts; if the output isn't a terminal, only changed ones, at most once a second."""
        if self._live is not None:
            self._live.update(_line(numbers, now_s))
            return
        is_time = time.monotonic() - self._shown_s >= _PLAIN_LINES_S
        if is_last or (numbers != self._shown and is_time):
            self._shown, self._shown_s = numbers, time.monotonic()
            self._out.print(_line(numbers, now_s))

    def tell(self, at: str, sentence: str) -> None:
        """Print a sentence of the timeline."""
        shown = ("" if at == self._told else at).ljust(_WIDTH)
        self._out.print(Text.assemble((shown, "bold"), (sentence, STYLES[tone_of(sentence)])))
        self._told = at


@contextmanager
def display() -> Iterator[Display]:
    """Open a display until the end of `with`."""
    out = console()
    if not out.is_terminal:
        yield Display(out, None)
        return
    with Live(console=out, refresh_per_second=1 / REFRESH_S, transient=True) as live:
        yield Display(out, live)


def _line(numbers: ClusterCounts, now_s: float) -> Text:
    line = Text(time.strftime("%H:%M:%S", time.localtime(now_s)), style="cyan")
    for name, number in structs.asdict(numbers).items():
        style = _STYLES.get(name, "") if number else ""
        line.append(f"  {name} ", style="default").append(f"{number}", style=style)
    return line


class TimelineFollower:
    """Observes a cluster, and makes sentences of its timeline."""

    def __init__(self, embedded: EmbeddedCluster) -> None:
        cluster = embedded.cluster
        self._observer = Observer(cluster)
        self._began_s = cluster.driver.now_s - cluster.options.start_s
        embedded.backend.hooks.append(self._observer.look)

    def new_lines(self) -> Iterator[tuple[str, str]]:
        """Yield the new sentences of the timeline, each with its time, such as `t+30s`."""
        self._observer.look()
        entries = [*self._observer.entries]
        self._observer.entries.clear()
        for at_s, text in sentences(entries):
            for line in text.splitlines():
                yield clock(at_s - self._began_s), line


def is_settled(embedded: EmbeddedCluster) -> bool:
    """Return whether nothing more is expected to happen in a cluster by itself."""
    quiet_s = embedded.clock.quiet_s
    if quiet_s < _SETTLED_S:
        return False
    return quiet_s >= _STUCK_S or not any(
        is_terminating(pod) or (pod["status"]["phase"] == "Pending" and not is_finished(pod))
        for pod in embedded.cluster.store.list("Pod").items
    )


def run(asked: UpOptions, data_dir: Path | None, stages: Stages) -> None:
    """Run a cluster until Ctrl-C, SIGTERM or the end of its terminal, or until it has settled.

    Raises:
        ApplyError: the API server refuses an object of `--apply`.
        PodiumError: the cluster can't start, or has failed.
    """
    with working("reading"):
        options, applied = _read(asked, data_dir)
    collect_rarely()
    asyncio.run(_run_until_end(asked, options, applied, stages))


async def _run_until_end(
    asked: UpOptions, options: EmbeddedOptions, applied: Sequence[Loaded], stages: Stages
) -> None:
    # The end of its terminal ends a cluster, too, but not under nohup.
    is_under_nohup = signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    stop = stop_event(*([] if is_under_nohup else [signal.SIGHUP]))
    async with AsyncExitStack() as stack:
        with working("starting the cluster"):
            embedded = await stack.enter_async_context(EmbeddedCluster(options))
        if embedded.taken_up and (texts(asked.filename) or asked.nodes is not None):
            print_warnings([f"{options.data_dir} has a cluster; it goes on as it was"])
        print_warnings(embedded.notes)
        # Both look on from before anything is applied: the cluster may act at once.
        counter = ClusterCounter(embedded.cluster.store)
        timeline = TimelineFollower(embedded) if applied or asked.exit_when_settled else None
        if refusals := [*_apply(embedded, applied)]:
            raise ApplyError("\n".join(map(str, refusals)))
        link = mount_dashboard(embedded)
        own, mine = embedded.directory.kubeconfig, usual_kubeconfig()
        with merged(own, mine) if asked.merge_kubeconfig else nullcontext(), display() as shown:
            stages.tell(READY)
            shown.say(
                f"The cluster is ready at {embedded.served.url}\n"
                f"  export KUBECONFIG={own.absolute()}\n"
                "  kubectl get pods --all-namespaces --watch\n"
                f"See it: {link}\n"
                "Ctrl-C stops it."
            )
            showing = _show(
                asked.exit_when_settled, embedded, shown, stop, stages, counter, timeline
            )
            await embedded.alongside(showing)


def _read(asked: UpOptions, data_dir: Path | None) -> tuple[EmbeddedOptions, Sequence[Loaded]]:
    state, news = texts(asked.filename), texts(asked.apply)
    if [*state, *news].count("-") > 1:
        raise InputError("standard input (-) can be read only once")
    loaded = read_scheduler_config(asked.scheduler_config, texts(asked.plugin))
    setup = SchedulerSetup(stopwatch=time.perf_counter)
    if loaded is not None:
        print_warnings(loaded.notes)
        setup = SchedulerSetup(
            configuration=loaded.configuration,
            options=loaded.options,
            stopwatch=time.perf_counter,
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


async def _show(
    ends: bool,
    embedded: EmbeddedCluster,
    shown: Display,
    stop: asyncio.Event,
    stages: Stages,
    counter: ClusterCounter,
    timeline: TimelineFollower | None,
) -> None:
    while not stop.is_set():
        for at, sentence in timeline.new_lines() if timeline else ():
            shown.tell(at, sentence)
        is_over = (ends or stages.are_waited_for) and is_settled(embedded)
        if is_over:
            stages.tell(SETTLED)
        is_over = is_over and ends
        shown.show(counter.counts(), embedded.backend.now_s(), is_last=is_over)
        if is_over:
            return
        try:
            await asyncio.wait_for(stop.wait(), REFRESH_S)
        except TimeoutError:
            continue


def _apply(embedded: EmbeddedCluster, objects: Sequence[Loaded]) -> Iterator[Problem]:
    actor = InProcessClient(embedded.cluster)
    for loaded in objects:
        try:
            actor.apply([loaded.obj])
        except RefusedError as refused:
            yield Problem(loaded.source, describe(loaded.obj), refused.message)
    embedded.backend.acted()
