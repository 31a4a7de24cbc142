"""Options of the commands that run until a signal."""

from podium.cluster.embedded.defaults import ALL_CONTROLLERS, USUAL_PORT, NodeShape
from podium.cluster.real.logs import LogFormat, LogLevel
from podium.ui.inputs.option import Options, Plugins, Texts, option, option_like
from podium.ui.inputs.request_options import ConnectionOptions, Rules

DEFAULT_SHAPE = NodeShape()
# Where kube-scheduler served its metrics while it did so without TLS.
_USUAL_PORT = 10251
_LOOPBACK = "127.0.0.1"


class UpOptions(Options):
    """Options of `podium up`."""

    nodes: int | None = option("N", min=0).help("""
        Number of simulated nodes. [default: 3, or 0 with --filename]""")
    node_cpu: str = option("QUANTITY", default=DEFAULT_SHAPE.cpu).help("""
        CPU of each simulated node.""")
    node_memory: str = option("QUANTITY", default=DEFAULT_SHAPE.memory).help("""
        Memory of each simulated node.""")
    node_shape: str = option("NAME=AMOUNT[,NAME=AMOUNT]...", default="").help("""
        Resources of each simulated node, such as cpu=8,memory=32Gi,nvidia.com/gpu=1. They take
        precedence over --node-cpu and --node-memory. [default: none]""")
    zones: int = option("N", default=0, min=0).help("""
        Number of zones, zone-1 and so on, that simulated nodes are spread over; 0 for no zones.""")
    filename: Texts = option("FILE|DIR|-", flags=("--filename", "-f")).help("""
        Objects to load at the first start, when --data-dir is new. May be repeated.""")
    assume_healthy: bool = option_like(Rules, "assume_healthy")
    apply: Texts = option("FILE|DIR|-").help("""
        Manifests to apply when the cluster is ready. What happens to them is printed. May be
        repeated.""")
    exit_when_settled: bool = option(default=False).help("""
        Print what happens, and exit when the cluster has settled: nothing was written for 5s, or
        for 60s while pods wait.""")
    data_dir: str | None = option("DIR").help("""
        Directory to keep the cluster in, and to continue it from. [default: keep nothing]""")
    bind_address: str = option("ADDRESS", default=_LOOPBACK).help("""
        IP address to listen on; 0.0.0.0 or :: for all addresses of this machine.""")
    port: int | None = option("PORT", min=0, max=65535).help(f"""
        Port to listen on; 0 picks any free port. [default: {USUAL_PORT}, or any if that is in
        use]""")
    speed: str = option("SPEED", default="1x", completes="speeds").help("""
        Speed of time in the cluster: 1x, 10x and so on, or max to skip the time in which nothing
        happens.""")
    scheduler_config: str | None = option_like(Rules, "scheduler_config")
    plugin: Plugins = option_like(Rules, "plugin")
    kubelet_config: str | None = option_like(Rules, "kubelet_config")
    scheduler: bool = option(default=True, flags=("--scheduler/--no-scheduler",)).help("""
        Run Podium's scheduler. Without it, another scheduler can be tried.""")
    controllers: str = option("NAME[,NAME]...", default=ALL_CONTROLLERS).help("""
        Controllers to run, by name, as for kube-controller-manager: * for all, -NAME for all but
        one.""")
    insecure_http: bool = option(default=False).help("Serve HTTP, without TLS.")
    detach: bool = option(default=False).help("""
        Run in the background. The command returns when the API server is ready and --apply is done;
        podium down stops the cluster.""")
    open: bool = option(default=False).help("Open the dashboard in a browser.")
    wait: str | None = option("DURATION").help("""
        With --detach: also wait until the cluster has settled, as with --exit-when-settled, and
        fail after this time, such as 2m. [default: don't wait]""")
    merge_kubeconfig: bool = option(default=False).help("""
        Add the cluster to your kubeconfig as the current context while it runs.""")


class NodeCommandOptions(ConnectionOptions):
    """Options of `podium node`; most are the kubelet's."""

    name: str | None = option("NAME").help("Name of the node. [default: the hostname]")
    root_dir: str | None = option("DIR").help("""
        Directory for volumes and logs of pods. [default: ~/.local/state/podium/nodes/NAME]""")
    config: str | None = option("FILE").help("""
        KubeletConfiguration (v1beta1); flags take precedence. [default: the kubelet's defaults]""")
    eviction_hard: str | None = option("THRESHOLDS").help("""
        Thresholds below which pods are evicted at once, such as memory.available<500Mi. [default:
        the kubelet's defaults]""")
    eviction_soft: str | None = option("THRESHOLDS").help("""
        Thresholds below which pods are evicted after a grace period, such as memory.available<1Gi.
        [default: none]""")
    eviction_soft_grace_period: str | None = option("DURATIONS").help("""
        Grace period of each soft threshold, such as memory.available=1m30s. [default: none]""")
    eviction_minimum_reclaim: str | None = option("AMOUNTS").help("""
        Smallest amount of each resource to reclaim by evictions, such as memory.available=200Mi.
        [default: none]""")
    eviction_max_pod_grace_period: int | None = option("SECONDS").help("""
        Longest termination grace period, in seconds, of pods that are evicted for a soft threshold.
        [default: 0]""")
    eviction_pressure_transition_period: str | None = option("DURATION").help("""
        How long the node stays under pressure after a threshold was last met. [default: 5m]""")
    kube_reserved: str | None = option("AMOUNTS").help("""
        Resources reserved for Kubernetes, such as cpu=100m,memory=200Mi. [default: none]""")
    system_reserved: str | None = option("AMOUNTS").help("""
        Resources reserved for the system, such as cpu=100m,memory=1Gi. [default: none]""")
    node_labels: str | None = option("LABELS").help("""
        Labels of the node, such as disk=ssd,zone=a. [default: none]""")
    port: int | None = option("PORT", min=0).help("""
        Port on which the API server reads logs; 0 picks any free port. [default: 10250, or any if
        that is in use]""")
    client_ca_file: str | None = option("FILE").help("""
        Certificate authority of the clients that read logs. [default: that of the kubeconfig]""")
    allow_root: bool = option(default=False).help("""
        Allow to run as root; pods then run as root, too. Without it, podium node refuses to start
        as root.""")


class SchedulerCommandOptions(ConnectionOptions):
    """Options of `podium scheduler`."""

    config: str | None = option("FILE").help("""
        KubeSchedulerConfiguration (v1) to schedule by; flags take precedence. [default:
        kube-scheduler's defaults]""")
    plugin: Plugins = option_like(Rules, "plugin")
    dry_run: bool = option(default=False).help("""
        Bind and preempt no pod. Logs for each pod that another scheduler binds which node Podium
        would have chosen.""")
    leader_elect: bool | None = option(flags=("--leader-elect/--no-leader-elect",)).help("""
        Schedule only while holding the leader election lease. [default: as the configuration says,
        or yes]""")
    leader_elect_lease_duration: str | None = option("DURATION").help("""
        How long other candidates wait after the last renewal before they take the lease. [default:
        that of --config, or 15s]""")
    leader_elect_renew_deadline: str | None = option("DURATION").help("""
        How long the leader tries to renew the lease before it gives up. [default: that of --config,
        or 10s]""")
    leader_elect_retry_period: str | None = option("DURATION").help("""
        Time between two tries to acquire or renew the lease. [default: that of --config, or 2s]""")
    leader_elect_resource_name: str | None = option("NAME").help("""
        Name of the leader election lease. The default is that of kube-scheduler, so that only one
        of them schedules. [default: kube-scheduler]""")
    leader_elect_resource_namespace: str | None = option("NAMESPACE").help("""
        Namespace of the leader election lease. [default: kube-system]""")
    kube_api_qps: float | None = option("N").help("""
        Average number of requests per second to the API server; -1 for no limit. [default: that of
        --config, or 50]""")
    kube_api_burst: int | None = option("N", min=1).help("""
        Largest number of requests to the API server at once. [default: that of --config, or
        100]""")
    watch_timeout: float = option("SECONDS", default=150.0, min=1).help("""
        Seconds without a message after which a watch is opened again, so that a lost connection is
        noticed.""")
    bind_address: str = option("ADDRESS", default=_LOOPBACK).help("""
        IP address on which metrics and probes are served over HTTP; 0.0.0.0 lets a kubelet probe a
        pod.""")
    metrics_port: int = option("PORT", default=_USUAL_PORT, min=0, max=65535).help("""
        Port for metrics and probes; 0 picks any free port.""")
    dashboard_port: int | None = option("PORT", min=0, max=65535).help("""
        Port of this machine for the dashboard, to which a link is printed; 0 picks any free port.
        [default: no dashboard]""")
    log_level: LogLevel = option(default=LogLevel.INFO).help("Lowest level of messages to log.")
    log_format: LogFormat = option(default=LogFormat.TEXT).help("Format of log messages.")
