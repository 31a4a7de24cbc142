"""`podium up`: a cluster of its own, with the real API, for kubectl and ordinary clients."""

import asyncio
import sys
import time
from typing import TYPE_CHECKING

from podium.api.errors import PodiumError
from podium.cli.collecting import collect_rarely
from podium.cli.options import InputError, KubeletConfigOption
from podium.cli.output import fail, print_warnings
from podium.cli.up_options import (
    DEFAULT_SHAPE,
    ApplyOption,
    ControllersOption,
    CpuOption,
    DataDirOption,
    FilenameOption,
    InsecureOption,
    MemoryOption,
    NodesOption,
    PortOption,
    SchedulerConfigOption,
    SchedulerOption,
    SettledOption,
    SpeedOption,
)
from podium.embedded.defaults import ALL_CONTROLLERS, NodeShape
from podium.embedded.directory import DataDirectory

if TYPE_CHECKING:
    from podium.cluster import SchedulerSetup

_NODES = 3


def up(
    nodes: NodesOption = None,
    node_cpu: CpuOption = DEFAULT_SHAPE.cpu,
    node_memory: MemoryOption = DEFAULT_SHAPE.memory,
    filename: FilenameOption = None,
    apply: ApplyOption = None,
    exit_when_settled: SettledOption = False,
    data_dir: DataDirOption = None,
    port: PortOption = None,
    speed: SpeedOption = "1x",
    scheduler_config: SchedulerConfigOption = None,
    kubelet_config: KubeletConfigOption = None,
    scheduler: SchedulerOption = True,
    controllers: ControllersOption = ALL_CONTROLLERS,
    insecure_http: InsecureOption = False,
) -> None:
    """Run a cluster that kubectl and ordinary clients talk to, until Ctrl-C.

    With --exit-when-settled it ends by itself. The exit code is 1 if --apply is refused.

    API server, scheduler, controllers and simulated nodes run in this one process.
    """
    state, news = filename or [], apply or []
    try:
        if data_dir is not None:
            DataDirectory(data_dir).forget_kubeconfig()
        from podium.cli.inputs import read_kubelet_config
        from podium.cli.up_running import Wish, run
        from podium.embedded.cluster import EmbeddedOptions
        from podium.embedded.controller_choice import chosen_controllers
        from podium.embedded.first_objects import read_manifests, simulated_nodes
        from podium.embedded.pace import parse_speed

        if [*state, *news].count("-") > 1:
            raise InputError("standard input (-) can be read only once")
        setup = _scheduler_setup(scheduler_config)
        pace = parse_speed(speed)
        evicting = read_kubelet_config(kubelet_config).eviction
        first = read_manifests(state, sys.stdin.buffer)
        applied = read_manifests(news, sys.stdin.buffer)
        count = nodes if nodes is not None else 0 if state else _NODES
        simulated = simulated_nodes(count, NodeShape(cpu=node_cpu, memory=node_memory))
        options = EmbeddedOptions(
            objects=[*simulated, *(loaded.obj for loaded in first.objects)],
            data_dir=data_dir,
            port=port,
            is_insecure=insecure_http,
            pace=pace,
            eviction=evicting,
            schedulers=(setup,) if scheduler else (),
            controllers=chosen_controllers(word for word in controllers.split(",") if word),
        )
        print_warnings([*first.notes, *applied.notes])
        collect_rarely()
        asyncio.run(run(Wish(options, applied.objects, exit_when_settled)))
    except PodiumError as error:
        fail(error)


def _scheduler_setup(path: str | None) -> "SchedulerSetup":
    from podium.cli.inputs import read_scheduler_config
    from podium.cluster import SchedulerSetup

    loaded = read_scheduler_config(path)
    if loaded is None:
        return SchedulerSetup(stopwatch=time.perf_counter)
    print_warnings(loaded.notes)
    return SchedulerSetup(
        configuration=loaded.configuration, options=loaded.options, stopwatch=time.perf_counter
    )
