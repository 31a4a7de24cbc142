"""Options of the commands that run until a signal."""

from podium.cluster.embedded.defaults import ALL_CONTROLLERS, USUAL_PORT, NodeShape
from podium.cluster.real.logs import LogFormat, LogLevel
from podium.ui.inputs.option import Texts, option, option_like, question
from podium.ui.inputs.request_options import ConnectionOptions, Rules

DEFAULT_SHAPE = NodeShape()
# Where kube-scheduler served its metrics while it did so without TLS.
_USUAL_PORT = 10251
_LOOPBACK = "127.0.0.1"


@question
class UpOptions:
    """Options of `podium up`."""

    nodes: int | None = option(
        "Number of simulated nodes. [default: 3, or 0 with --filename]",
        metavar="N",
        min=0,
        shows_default=False,
    )
    node_cpu: str = option(
        "CPU of each simulated node.", metavar="QUANTITY", default=DEFAULT_SHAPE.cpu
    )
    node_memory: str = option(
        "Memory of each simulated node.", metavar="QUANTITY", default=DEFAULT_SHAPE.memory
    )
    node_shape: str = option(
        "Resources of each simulated node, such as cpu=8,memory=32Gi,nvidia.com/gpu=1. They take "
        "precedence over --node-cpu and --node-memory. [default: none]",
        metavar="NAME=AMOUNT[,NAME=AMOUNT]...",
        default="",
    )
    zones: int = option(
        "Number of zones, zone-1 and so on, that simulated nodes are spread over; 0 for no zones.",
        metavar="N",
        min=0,
        default=0,
    )
    filename: Texts = option(
        "Objects to load at the first start, when --data-dir is new. May be repeated.",
        flags=("--filename", "-f"),
        metavar="FILE|DIR|-",
    )
    assume_healthy: bool = option_like(Rules, "assume_healthy")
    apply: Texts = option(
        "Manifests to apply when the cluster is ready. What happens to them is printed. May be "
        "repeated.",
        metavar="FILE|DIR|-",
    )
    exit_when_settled: bool = option(
        "Print what happens, and exit when nothing more is expected to happen.", default=False
    )
    data_dir: str | None = option(
        "Directory to keep the cluster in, and to continue it from. [default: keep nothing]",
        metavar="DIR",
    )
    bind_address: str = option(
        "IP address to listen on; 0.0.0.0 or :: for all addresses of this machine.",
        metavar="ADDRESS",
        default=_LOOPBACK,
    )
    port: int | None = option(
        f"Port to listen on; 0 picks any free port. [default: {USUAL_PORT}, or any if that is "
        "in use]",
        metavar="PORT",
        min=0,
        max=65535,
        shows_default=False,
    )
    speed: str = option(
        "Speed of time in the cluster: 1x, 10x and so on, or max to skip the time in which nothing "
        "happens.",
        completes="speeds",
        metavar="SPEED",
        default="1x",
    )
    scheduler_config: str | None = option_like(Rules, "scheduler_config")
    plugin: Texts = option_like(Rules, "plugin")
    kubelet_config: str | None = option_like(Rules, "kubelet_config")
    scheduler: bool = option(
        "Run Podium's scheduler. Without it, another scheduler can be tried.",
        flags=("--scheduler/--no-scheduler",),
        default=True,
    )
    controllers: str = option(
        "Controllers to run, by name, as for kube-controller-manager: * for all, -NAME for all but "
        "one.",
        metavar="NAME[,NAME]...",
        default=ALL_CONTROLLERS,
    )
    insecure_http: bool = option("Serve HTTP, without TLS.", default=False)
    detach: bool = option(
        "Run in the background. The command returns when the API server is ready and --apply is "
        "done; podium down stops the cluster.",
        default=False,
    )
    wait: str | None = option(
        "With --detach: return when nothing more is expected to happen, and with an error after "
        "this time, such as 2m. [default: don't wait]",
        metavar="DURATION",
    )
    merge_kubeconfig: bool = option(
        "Add the cluster to your kubeconfig as the current context while it runs.", default=False
    )


@question
class NodeCommandOptions(ConnectionOptions):
    """Options of `podium node`; most are the kubelet's."""

    name: str | None = option("Name of the node. [default: the hostname]", metavar="NAME")
    root_dir: str | None = option(
        "Directory for volumes and logs of pods. [default: ~/.local/state/podium/nodes/NAME]",
        metavar="DIR",
    )
    config: str | None = option(
        "KubeletConfiguration (v1beta1); flags take precedence. [default: the kubelet's defaults]",
        metavar="FILE",
    )
    eviction_hard: str | None = option(
        "Thresholds below which pods are evicted at once, such as memory.available<500Mi. "
        "[default: the kubelet's defaults]",
        metavar="THRESHOLDS",
    )
    eviction_soft: str | None = option(
        "Thresholds below which pods are evicted after a grace period, such as "
        "memory.available<1Gi. [default: none]",
        metavar="THRESHOLDS",
    )
    eviction_soft_grace_period: str | None = option(
        "Grace period of each soft threshold, such as memory.available=1m30s. [default: none]",
        metavar="DURATIONS",
    )
    eviction_minimum_reclaim: str | None = option(
        "Smallest amount of each resource to reclaim by evictions, such as memory.available=200Mi. "
        "[default: none]",
        metavar="AMOUNTS",
    )
    eviction_max_pod_grace_period: int | None = option(
        "Longest termination grace period, in seconds, of pods that are evicted for a soft "
        "threshold. [default: 0]",
        metavar="SECONDS",
    )
    eviction_pressure_transition_period: str | None = option(
        "How long the node stays under pressure after a threshold was last met. [default: 5m]",
        metavar="DURATION",
    )
    kube_reserved: str | None = option(
        "Resources reserved for Kubernetes, such as cpu=100m,memory=200Mi. [default: none]",
        metavar="AMOUNTS",
    )
    system_reserved: str | None = option(
        "Resources reserved for the system, such as cpu=100m,memory=1Gi. [default: none]",
        metavar="AMOUNTS",
    )
    node_labels: str | None = option(
        "Labels of the node, such as disk=ssd,zone=a. [default: none]", metavar="LABELS"
    )
    port: int | None = option(
        "Port on which the API server reads logs; 0 picks any free port. [default: 10250, or any "
        "if that is in use]",
        metavar="PORT",
        min=0,
    )
    client_ca_file: str | None = option(
        "Certificate authority of the clients that read logs. [default: that of the kubeconfig]",
        metavar="FILE",
    )
    allow_root: bool = option("Run as root, and the pods with it.", default=False)


@question
class SchedulerCommandOptions(ConnectionOptions):
    """Options of `podium scheduler`."""

    config: str | None = option(
        "KubeSchedulerConfiguration (v1) to schedule by; flags take precedence. [default: "
        "kube-scheduler's defaults]",
        metavar="FILE",
    )
    plugin: Texts = option_like(Rules, "plugin")
    dry_run: bool = option(
        "Bind and preempt no pod. Logs for each pod that another scheduler binds which node Podium "
        "would have chosen.",
        default=False,
    )
    leader_elect: bool | None = option(
        "Schedule only while holding the leader election lease. [default: as the configuration "
        "says, or yes]",
        flags=("--leader-elect/--no-leader-elect",),
        shows_default=False,
    )
    leader_elect_lease_duration: str | None = option(
        "How long other candidates wait after the last renewal before they take the lease. "
        "[default: 15s]",
        metavar="DURATION",
    )
    leader_elect_renew_deadline: str | None = option(
        "How long the leader tries to renew the lease before it gives up. [default: 10s]",
        metavar="DURATION",
    )
    leader_elect_retry_period: str | None = option(
        "Time between two tries to acquire or renew the lease. [default: 2s]", metavar="DURATION"
    )
    leader_elect_resource_name: str | None = option(
        "Name of the leader election lease. The default is that of kube-scheduler, so that only "
        "one of them schedules. [default: kube-scheduler]",
        metavar="NAME",
    )
    leader_elect_resource_namespace: str | None = option(
        "Namespace of the leader election lease. [default: kube-system]", metavar="NAMESPACE"
    )
    kube_api_qps: float | None = option(
        "Average number of requests per second to the API server; -1 for no limit. [default: 50]",
        metavar="N",
    )
    kube_api_burst: int | None = option(
        "Largest number of requests to the API server at once. [default: 100]", metavar="N", min=1
    )
    watch_timeout: float = option(
        "Seconds without a message after which a watch is opened again.",
        metavar="SECONDS",
        min=1,
        default=150.0,
    )
    bind_address: str = option(
        "IP address on which metrics and probes are served.", metavar="ADDRESS", default=_LOOPBACK
    )
    metrics_port: int = option(
        "Port for metrics and probes; 0 picks any free port.",
        metavar="PORT",
        min=0,
        max=65535,
        default=_USUAL_PORT,
    )
    dashboard_port: int | None = option(
        "Port of this machine for the dashboard, to which a link is printed; 0 picks any free "
        "port. [default: no dashboard]",
        metavar="PORT",
        min=0,
        max=65535,
    )
    log_level: LogLevel = option("Lowest level of messages to log.", default=LogLevel.INFO)
    log_format: LogFormat = option("Format of log messages.", default=LogFormat.TEXT)
