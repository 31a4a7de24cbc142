"""The options of the commands that run until a signal."""

from podium.cluster.embedded.defaults import ALL_CONTROLLERS, USUAL_PORT, NodeShape
from podium.cluster.real.logs import LogFormat, LogLevel
from podium.ui.inputs.option import Texts, option, option_like, question
from podium.ui.inputs.request_options import Connection, Rules

DEFAULT_SHAPE = NodeShape()
# Where kube-scheduler served its metrics while it did so without TLS.
_USUAL_PORT = 10251


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


@question
class NodeCommandOptions(Connection):
    """Which node is run; most options are the kubelet's."""

    name: str | None = option("The node's name; the hostname, if not given.", metavar="NAME")
    root_dir: str | None = option(
        "Where volumes and logs of pods are; ~/.local/state/podium/nodes/NAME, if not given.",
        metavar="DIR",
    )
    config: str | None = option("A KubeletConfiguration; flags go before it.", metavar="FILE")
    eviction_hard: str | None = option("Such as `memory.available<500Mi`.", metavar="THRESHOLDS")
    eviction_soft: str | None = option("Such as `memory.available<1Gi`.", metavar="THRESHOLDS")
    eviction_soft_grace_period: str | None = option(
        "Such as `memory.available=1m30s`.", metavar="DURATIONS"
    )
    eviction_minimum_reclaim: str | None = option(
        "Such as `memory.available=200Mi`.", metavar="AMOUNTS"
    )
    eviction_max_pod_grace_period: int | None = option(
        "What a soft threshold leaves pods at most.", metavar="SECONDS"
    )
    eviction_pressure_transition_period: str | None = option(
        "How long a condition of pressure stays; 5m.", metavar="DURATION"
    )
    kube_reserved: str | None = option("Such as `cpu=100m,memory=200Mi`.", metavar="AMOUNTS")
    system_reserved: str | None = option("Such as `cpu=100m,memory=1Gi`.", metavar="AMOUNTS")
    node_labels: str | None = option("Of the node, such as `disk=ssd,zone=a`.", metavar="LABELS")
    port: int | None = option(
        "Where the API server asks for logs; 10250, if that is free.", metavar="PORT", min=0
    )
    client_ca_file: str | None = option(
        "Who vouches for those that ask for logs; the kubeconfig's authority, if not given.",
        metavar="FILE",
    )
    allow_root: bool = option("Run as root all the same, and all pods with it.", default=False)


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
