"""`podium scheduler`: schedules a real cluster, through its API server."""

from podium.cluster.real.logs import log_to_stderr
from podium.ui.command_line.options.option_fields import with_fields_of
from podium.ui.command_line.options.scheduler_options import SchedulerCommandOptions


@with_fields_of(SchedulerCommandOptions)
def scheduler(asked: SchedulerCommandOptions) -> None:
    """Schedule a real cluster, in place of kube-scheduler or beside it, until SIGTERM.

    Without a kubeconfig it takes the service account of the pod that it runs in. To watch it in
    a browser: podium scheduler --kubeconfig FILE --dashboard-port 8080
    """
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
    run(process, asked.context, asked.dashboard_port)
