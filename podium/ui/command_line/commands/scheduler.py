"""`podium scheduler`: schedules a real cluster, through its API server."""

from podium.cluster.real.logs import LogFormat, LogLevel, log_to_stderr
from podium.ui.inputs.option import Texts, option, option_like, question, text, texts
from podium.ui.inputs.request_options import Connection, Rules

# Where kube-scheduler served its metrics while it did so without TLS.
_USUAL_PORT = 10251


@question
class SchedulerCommandOptions(Connection):
    """Which cluster is scheduled, and how."""

    config: str | None = option("A KubeSchedulerConfiguration (v1).", metavar="FILE")
    plugin: Texts = option_like(Rules, "plugin")
    dry_run: bool = option(
        "Schedule nothing: say of each pod that another scheduler places what it would do.",
        default=False,
    )
    leader_elect: bool | None = option(
        "Whether to schedule only while holding the lease; yes, if nobody says otherwise.",
        flags=("--leader-elect/--no-leader-elect",),
        shows_default=False,
    )
    leader_elect_lease_duration: str | None = option(
        "How long others leave a lease alone that isn't renewed; 15s.", metavar="DURATION"
    )
    leader_elect_renew_deadline: str | None = option(
        "How long the leader tries to renew before it gives up; 10s.", metavar="DURATION"
    )
    leader_elect_retry_period: str | None = option("Between two tries; 2s.", metavar="DURATION")
    leader_elect_resource_name: str | None = option(
        "The Lease; kube-scheduler, which kube-scheduler itself has, too.", metavar="NAME"
    )
    leader_elect_resource_namespace: str | None = option(
        "Namespace of the Lease; kube-system.", metavar="NAMESPACE"
    )
    kube_api_qps: float | None = option(
        "Requests a second in the long run; 50, as kube-scheduler's; -1 for no limit.", metavar="N"
    )
    kube_api_burst: int | None = option("Requests at once; 100.", metavar="N", min=1)
    watch_timeout: float = option(
        "After how long a watch that tells nothing is taken for dead.",
        metavar="SECONDS",
        min=1,
        default=150.0,
    )
    bind_address: str = option(
        "Where metrics and probes are served.", metavar="ADDRESS", default="127.0.0.1"
    )
    metrics_port: int = option(
        "At which port; 0 for any free one.", metavar="PORT", min=0, max=65535, default=_USUAL_PORT
    )
    dashboard_port: int | None = option(
        "Where a dashboard is served, to this machine alone; 0 for any free one. Prints "
        "the link. None unless given.",
        metavar="PORT",
        min=0,
        max=65535,
    )
    log_level: LogLevel = option("The least that is logged.", default=LogLevel.INFO)
    log_format: LogFormat = option("How lines are written.", default=LogFormat.TEXT)


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
        kubeconfig=text(asked.kubeconfig),
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

    configuration, options = read_configuration(asked.config, flags, texts(asked.plugin))
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
