"""`podium up`: a cluster of its own, with the real API, for kubectl and ordinary clients."""

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from podium.api.process.python_garbage_collection import collect_rarely
from podium.api.values.durations import duration_seconds
from podium.cluster.embedded.defaults import ALL_CONTROLLERS, DEFAULT_NODES, USUAL_PORT, NodeShape
from podium.ui.inputs.input_error import InputError
from podium.ui.inputs.option import Texts, option, option_like, question, texts
from podium.ui.inputs.request_options import Rules
from podium.ui.writers.console import print_warnings, working

if TYPE_CHECKING:
    from podium.ui.command_line.processes.up_process import UpRequest

DEFAULT_SHAPE = NodeShape()


@question
class UpOptions:
    """What a cluster of its own consists of, and how long it runs."""

    nodes: int | None = option(
        "How many simulated nodes; 3, or those of --filename.", min=0, shows_default=False
    )
    node_cpu: str = option(
        "The CPU of each of them.", metavar="QUANTITY", default=DEFAULT_SHAPE.cpu
    )
    node_memory: str = option(
        "The memory of each of them.", metavar="QUANTITY", default=DEFAULT_SHAPE.memory
    )
    node_shape: str = option(
        "What else each of them has, such as cpu=8,memory=32Gi,nvidia.com/gpu=1.",
        metavar="NAME=AMOUNT,NAME=AMOUNT",
        default="",
    )
    zones: int = option("Over how many zones they are spread, zone-1 and so on.", min=0, default=0)
    filename: Texts = option(
        "What is there at the first start; may be given several times.",
        flags=("--filename", "-f"),
        metavar="FILE|DIR|-",
    )
    assume_healthy: bool = option_like(Rules, "assume_healthy")
    apply: Texts = option(
        "Manifests to apply once the cluster is ready, and to tell the story of.",
        metavar="FILE|DIR|-",
    )
    exit_when_settled: bool = option(
        "End when nothing more is to be expected, with the story.", default=False
    )
    data_dir: str | None = option(
        "Where the cluster keeps what it has; nowhere if not given.", metavar="DIR"
    )
    port: int | None = option(
        f"Where to listen; 0 for any free port. {USUAL_PORT}, if it is free.",
        min=0,
        max=65535,
        shows_default=False,
    )
    speed: str = option(
        "How time passes; max jumps over mere waiting.",
        completes="speeds",
        metavar="1x|10x|max",
        default="1x",
    )
    scheduler_config: str | None = option("A KubeSchedulerConfiguration (v1).", metavar="FILE")
    plugin: Texts = option_like(Rules, "plugin")
    kubelet_config: str | None = option_like(Rules, "kubelet_config")
    scheduler: bool = option(
        "Whether Podium schedules the pods.", flags=("--scheduler/--no-scheduler",), default=True
    )
    controllers: str = option(
        "Names with commas; `*` for all, `-NAME` for all but one.",
        metavar="LIST",
        default=ALL_CONTROLLERS,
    )
    insecure_http: bool = option("Speak HTTP, without TLS.", default=False)
    detach: bool = option(
        "Run in the background, and return once the API answers and --apply is done; "
        "`podium down` stops it.",
        default=False,
    )
    wait: str | None = option(
        "With --detach: return only when nothing more is to be expected, or with an error "
        "after so long.",
        metavar="DURATION",
    )
    merge_kubeconfig: bool = option(
        "Make the cluster the current context of your own kubeconfig while it runs.", default=False
    )


def up(asked: UpOptions) -> None:
    """Run a cluster that kubectl and ordinary clients talk to, until Ctrl-C or `podium down`.

    With --exit-when-settled it ends by itself. The exit code is 1 if --apply is refused.

    API server, scheduler, controllers and simulated nodes run in this one process.
    """
    from podium.ui.command_line.processes.detached_cluster import Stages, detach, is_detached

    wait = asked.wait
    data_dir = None if asked.data_dir is None else Path(asked.data_dir)
    if not asked.detach and wait is not None:
        raise InputError("--wait: needs --detach; without it there is --exit-when-settled")
    if asked.detach and asked.exit_when_settled:
        raise InputError("--detach and --exit-when-settled: say one of them; --wait waits")
    wait_s = None if wait is None else duration_seconds(wait)
    if wait is not None and (wait_s is None or wait_s <= 0):
        raise InputError(f"--wait {wait}: must be a duration, such as 90s or 10m")
    if asked.detach and not is_detached():
        reads_stdin = "-" in [*texts(asked.filename), *texts(asked.apply)]
        with working("starting the cluster"):
            directory = detach(data_dir, wait_s, reads_stdin=reads_stdin)
        print("The cluster is ready.")
        print(f"  export KUBECONFIG={directory.kubeconfig.absolute()}")
        print(f"See it: {directory.dashboard.read_text().strip()}")
        where = "" if asked.data_dir is None else f" --data-dir {asked.data_dir}"
        print(f"podium down{where} stops it.")
        return
    stages = Stages()
    if data_dir is not None:
        # Before anything that takes its time: scripts wait for the file.
        from podium.cluster.embedded.directory import DataDirectory

        DataDirectory(data_dir).forget_kubeconfig()
    import asyncio

    from podium.ui.command_line.processes.up_process import run_until_end

    with working("reading"):
        request = _read_request(asked, data_dir)
    collect_rarely()
    asyncio.run(run_until_end(request, stages))


def _read_request(asked: UpOptions, data_dir: Path | None) -> "UpRequest":
    # Help needs none of these.
    from podium.api.codec.field_validation import FieldValidation
    from podium.cluster.embedded.cluster import EmbeddedOptions
    from podium.cluster.embedded.cluster_clock import parse_speed
    from podium.cluster.embedded.initial_objects import (
        parse_shape,
        read_manifests,
        simulated_nodes,
    )
    from podium.cluster.virtual import SchedulerSetup
    from podium.cluster.virtual.controller_list import chosen_controllers
    from podium.ui.command_line.processes.up_process import UpRequest
    from podium.ui.inputs.configurations import read_kubelet_config, read_scheduler_config

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
        port=asked.port,
        is_insecure=asked.insecure_http,
        speed=parse_speed(asked.speed),
        eviction=read_kubelet_config(asked.kubelet_config).eviction,
        schedulers=(setup,) if asked.scheduler else (),
        controllers=chosen_controllers(word for word in asked.controllers.split(",") if word),
        heals=asked.assume_healthy,
    )
    print_warnings([*first.warnings, *first.notes, *applied.notes])
    return UpRequest(
        options=options,
        applied=applied.objects,
        names_beginning=bool(state) or asked.nodes is not None,
        ends_when_settled=asked.exit_when_settled,
        merges_kubeconfig=asked.merge_kubeconfig,
    )
