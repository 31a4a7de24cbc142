"""`podium up`: a cluster of its own, with the real API, for kubectl and ordinary clients."""

from dataclasses import dataclass

from podium.api.durations import duration_seconds
from podium.cli.collecting import collect_rarely
from podium.cli.options import InputError, KubeletConfigOption, PluginOption
from podium.cli.output import working
from podium.cli.stages import Stages, is_detached
from podium.cli.up_options import (
    DEFAULT_SHAPE,
    ApplyOption,
    Arguments,
    ControllersOption,
    CpuOption,
    DataDirOption,
    DetachOption,
    FilenameOption,
    InsecureOption,
    MemoryOption,
    MergeOption,
    NodesOption,
    PortOption,
    SchedulerConfigOption,
    SchedulerOption,
    SettledOption,
    ShapeOption,
    SpeedOption,
    WaitOption,
    ZonesOption,
)
from podium.embedded.defaults import ALL_CONTROLLERS


def up(
    nodes: NodesOption = None,
    node_cpu: CpuOption = DEFAULT_SHAPE.cpu,
    node_memory: MemoryOption = DEFAULT_SHAPE.memory,
    node_shape: ShapeOption = "",
    zones: ZonesOption = 0,
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
    detach: DetachOption = False,
    wait: WaitOption = None,
    merge_kubeconfig: MergeOption = False,
) -> None:
    """Run a cluster that kubectl and ordinary clients talk to, until Ctrl-C or `podium down`.

    With --exit-when-settled it ends by itself. The exit code is 1 if --apply is refused.

    API server, scheduler, controllers and simulated nodes run in this one process.
    """
    arguments = Arguments(
        nodes=nodes,
        cpu=node_cpu,
        memory=node_memory,
        shape=node_shape,
        zones=zones,
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
        merges_kubeconfig=merge_kubeconfig,
    )
    background = _background(wait, detach=detach, ends_when_settled=exit_when_settled)
    if background is not None:
        _run_in_background(arguments, background)
    else:
        _run_here(arguments)


@dataclass(frozen=True, slots=True)
class _Background:
    """How to wait for a cluster in the background.

    Attributes:
        wait_s: how long, until nothing more is to be expected; None to wait for its API alone.
    """

    wait_s: float | None


def _background(wait: str | None, *, detach: bool, ends_when_settled: bool) -> _Background | None:
    """Whether this process is to start another one, and how to wait for that."""
    if not detach and wait is not None:
        raise InputError("--wait: needs --detach; without it there is --exit-when-settled")
    if detach and ends_when_settled:
        raise InputError("--detach and --exit-when-settled: say one of them; --wait waits")
    wait_s = None if wait is None else duration_seconds(wait)
    if wait is not None and (wait_s is None or wait_s <= 0):
        raise InputError(f"--wait {wait}: must be a duration, such as 90s or 10m")
    return _Background(wait_s) if detach and not is_detached() else None


def _run_here(arguments: Arguments) -> None:
    stages = Stages.of_this_process()
    if arguments.data_dir is not None:
        # Before anything that takes its time: scripts wait for the file.
        from podium.embedded.directory import DataDirectory

        DataDirectory(arguments.data_dir).forget_kubeconfig()
    from podium.cli.up_request import read_up_request
    from podium.cli.up_running import run_until_end

    with working("reading"):
        request = read_up_request(arguments)
    collect_rarely()
    run_until_end(request, stages)


def _run_in_background(arguments: Arguments, background: _Background) -> None:
    from podium.cli.detaching import detach

    reads_stdin = "-" in [*arguments.state, *arguments.news]
    with working("starting the cluster"):
        directory = detach(arguments.data_dir, background.wait_s, reads_stdin=reads_stdin)
    print("The cluster is ready.")
    print(f"  export KUBECONFIG={directory.kubeconfig.absolute()}")
    print(f"See it: {directory.dashboard.read_text().strip()}")
    where = "" if arguments.data_dir is None else f" --data-dir {arguments.data_dir}"
    print(f"podium down{where} stops it.")
