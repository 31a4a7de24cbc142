"""`podium scheduler`: schedules a real cluster, through its API server."""

from dataclasses import dataclass
from typing import Annotated

import typer

from podium.cluster.real.logs import LogFormat, LogLevel, log_to_stderr
from podium.ui.command_line.options.common_options import (
    ContextOption,
    KubeconfigOption,
    PluginOption,
)
from podium.ui.command_line.options.option_fields import with_fields_of

# Where kube-scheduler served its metrics while it did so without TLS.
_USUAL_PORT = 10251


@dataclass(frozen=True, slots=True, kw_only=True)
class SchedulerCommandOptions:
    """What `podium scheduler` is asked for; each field is an option, which says what it means."""

    kubeconfig: KubeconfigOption = None
    context: ContextOption = None
    config: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="A KubeSchedulerConfiguration (v1)."),
    ] = None
    plugin: PluginOption = None
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run",
            help="Schedule nothing: say of each pod that another scheduler places what it would "
            "do.",
        ),
    ] = False
    leader_elect: Annotated[
        bool | None,
        typer.Option(
            "--leader-elect/--no-leader-elect",
            help="Whether to schedule only while holding the lease; yes, if nobody says otherwise.",
            show_default=False,
        ),
    ] = None
    leader_elect_lease_duration: Annotated[
        str | None,
        typer.Option(
            metavar="DURATION", help="How long others leave a lease alone that isn't renewed; 15s."
        ),
    ] = None
    leader_elect_renew_deadline: Annotated[
        str | None,
        typer.Option(
            metavar="DURATION", help="How long the leader tries to renew before it gives up; 10s."
        ),
    ] = None
    leader_elect_retry_period: Annotated[
        str | None,
        typer.Option(metavar="DURATION", help="Between two tries; 2s."),
    ] = None
    leader_elect_resource_name: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="The Lease; kube-scheduler, which kube-scheduler itself has, too."
        ),
    ] = None
    leader_elect_resource_namespace: Annotated[
        str | None,
        typer.Option(metavar="NAMESPACE", help="Its; kube-system."),
    ] = None
    kube_api_qps: Annotated[
        float | None,
        typer.Option(
            metavar="N",
            help="Requests a second in the long run; 50, as kube-scheduler's; -1 for no limit.",
        ),
    ] = None
    kube_api_burst: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, help="Requests at once; 100."),
    ] = None
    watch_timeout: Annotated[
        float,
        typer.Option(
            metavar="SECONDS",
            min=1,
            help="After how long a watch that tells nothing is taken for dead.",
        ),
    ] = 150.0
    bind_address: Annotated[
        str,
        typer.Option(metavar="ADDRESS", help="Where metrics and probes are served."),
    ] = "127.0.0.1"
    metrics_port: Annotated[
        int,
        typer.Option(metavar="PORT", min=0, max=65535, help="At which; 0 for any free one."),
    ] = _USUAL_PORT
    dashboard_port: Annotated[
        int | None,
        typer.Option(
            metavar="PORT",
            min=0,
            max=65535,
            help="Where a dashboard is served, to this machine alone; 0 for any free one. Prints "
            "the link. None unless given.",
        ),
    ] = None
    log_level: Annotated[LogLevel, typer.Option(help="The least that is logged.")] = LogLevel.INFO
    log_format: Annotated[LogFormat, typer.Option(help="How lines are written.")] = LogFormat.TEXT


@with_fields_of(SchedulerCommandOptions)
def scheduler(asked: SchedulerCommandOptions) -> None:
    """Schedule a real cluster, in place of kube-scheduler or beside it, until SIGTERM.

    Without a kubeconfig it takes the service account of the pod that it runs in. To watch it in
    a browser: podium scheduler --kubeconfig FILE --dashboard-port 8080
    """
    # Imported when it is called, so that help, completion and the library start at once.
    import asyncio

    from podium.cluster.real.settings import Flags
    from podium.ui.inputs.extras import check_extra

    flags = Flags(
        kubeconfig=asked.kubeconfig,
        leader_elect=asked.leader_elect,
        lease_duration=asked.leader_elect_lease_duration,
        renew_deadline=asked.leader_elect_renew_deadline,
        retry_period=asked.leader_elect_retry_period,
        resource_name=asked.leader_elect_resource_name,
        resource_namespace=asked.leader_elect_resource_namespace,
        qps=asked.kube_api_qps,
        burst=asked.kube_api_burst,
    )
    check_extra("a scheduler of a real cluster")
    from podium.cluster.real.scheduler_process import ProcessOptions
    from podium.ui.command_line.processes.scheduler_launcher import (
        own_names,
        read_configuration,
        run,
    )

    configuration, options = read_configuration(asked.config, flags, asked.plugin or ())
    log_to_stderr(asked.log_level, asked.log_format)
    identity, hostname = own_names()
    process = ProcessOptions(
        configuration=configuration,
        options=options,
        identity=identity,
        hostname=hostname,
        dry_run=asked.dry_run,
        watch_timeout_s=asked.watch_timeout,
        address=asked.bind_address,
        port=asked.metrics_port,
    )
    asyncio.run(run(process, asked.context, asked.dashboard_port))
