"""`podium scheduler`: schedules a real cluster, through its API server."""

from podium.cli.node_options import KubeconfigOption
from podium.cli.options import ContextOption, PluginOption
from podium.cli.scheduler_options import (
    AddressOption,
    BurstOption,
    ConfigOption,
    DashboardPortOption,
    DryRunOption,
    LeaderElectOption,
    LeaseDurationOption,
    LogFormatOption,
    LogLevelOption,
    PortOption,
    QpsOption,
    RenewDeadlineOption,
    ResourceNameOption,
    ResourceNamespaceOption,
    RetryPeriodOption,
    WatchTimeoutOption,
)
from podium.real.logs import LogFormat, LogLevel, log_to_stderr

# Where kube-scheduler served its metrics while it did so without TLS.
_USUAL_PORT = 10251


def scheduler(
    kubeconfig: KubeconfigOption = None,
    context: ContextOption = None,
    config: ConfigOption = None,
    plugin: PluginOption = None,
    dry_run: DryRunOption = False,
    leader_elect: LeaderElectOption = None,
    leader_elect_lease_duration: LeaseDurationOption = None,
    leader_elect_renew_deadline: RenewDeadlineOption = None,
    leader_elect_retry_period: RetryPeriodOption = None,
    leader_elect_resource_name: ResourceNameOption = None,
    leader_elect_resource_namespace: ResourceNamespaceOption = None,
    kube_api_qps: QpsOption = None,
    kube_api_burst: BurstOption = None,
    watch_timeout: WatchTimeoutOption = 150.0,
    bind_address: AddressOption = "127.0.0.1",
    metrics_port: PortOption = _USUAL_PORT,
    dashboard_port: DashboardPortOption = None,
    log_level: LogLevelOption = LogLevel.INFO,
    log_format: LogFormatOption = LogFormat.TEXT,
) -> None:
    """Schedule a real cluster, in place of kube-scheduler or beside it, until SIGTERM.

    Without a kubeconfig it takes the service account of the pod that it runs in. To watch it in
    a browser: podium scheduler --kubeconfig FILE --dashboard-port 8080
    """
    from podium.cli.extras import check_extra
    from podium.real.settings import Flags

    flags = Flags(
        kubeconfig=kubeconfig,
        leader_elect=leader_elect,
        lease_duration=leader_elect_lease_duration,
        renew_deadline=leader_elect_renew_deadline,
        retry_period=leader_elect_retry_period,
        resource_name=leader_elect_resource_name,
        resource_namespace=leader_elect_resource_namespace,
        qps=kube_api_qps,
        burst=kube_api_burst,
    )
    check_extra("a scheduler of a real cluster")
    from podium.cli.scheduler_running import own_names, read_configuration, run
    from podium.real.scheduler_process import ProcessOptions

    configuration, options = read_configuration(config, flags, plugin or ())
    log_to_stderr(log_level, log_format)
    identity, hostname = own_names()
    process = ProcessOptions(
        configuration=configuration,
        options=options,
        identity=identity,
        hostname=hostname,
        dry_run=dry_run,
        watch_timeout_s=watch_timeout,
        address=bind_address,
        port=metrics_port,
    )
    run(process, context, dashboard_port)
