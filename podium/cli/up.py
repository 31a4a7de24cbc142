"""`podium up`: a cluster of its own, with the real API, for kubectl and ordinary clients."""

from podium.api.errors import PodiumError
from podium.cli.collecting import collect_rarely
from podium.cli.options import KubeletConfigOption, PluginOption
from podium.cli.output import fail
from podium.cli.up_options import (
    DEFAULT_SHAPE,
    ApplyOption,
    Arguments,
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
    plugin: PluginOption = None,
    kubelet_config: KubeletConfigOption = None,
    scheduler: SchedulerOption = True,
    controllers: ControllersOption = ALL_CONTROLLERS,
    insecure_http: InsecureOption = False,
) -> None:
    """Run a cluster that kubectl and ordinary clients talk to, until Ctrl-C.

    With --exit-when-settled it ends by itself. The exit code is 1 if --apply is refused.

    API server, scheduler, controllers and simulated nodes run in this one process.
    """
    arguments = Arguments(
        nodes=nodes,
        shape=NodeShape(cpu=node_cpu, memory=node_memory),
        state=filename or [],
        news=apply or [],
        ends_when_settled=exit_when_settled,
        data_dir=data_dir,
        port=port,
        speed=speed,
        scheduler_config=scheduler_config,
        plugins=plugin or [],
        kubelet_config=kubelet_config,
        schedules=scheduler,
        controllers=controllers,
        is_insecure=insecure_http,
    )
    try:
        if data_dir is not None:
            # Before anything that takes its time: scripts wait for the file.
            from podium.embedded.directory import DataDirectory

            DataDirectory(data_dir).forget_kubeconfig()
        from podium.cli.up_running import run_until_end
        from podium.cli.up_wish import read_wish

        wish = read_wish(arguments)
        collect_rarely()
        run_until_end(wish)
    except PodiumError as error:
        fail(error)
