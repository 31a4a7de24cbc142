"""Options that several questions share: the state, the changes, and the rules of simulation."""

from pathlib import Path

from podium.api.codec.field_validation import FieldValidation
from podium.api.objects import DEFAULT_NAMESPACE
from podium.api.pod_limit import MAX_PODS
from podium.ui.inputs.option import (
    Configuration,
    Duration,
    Options,
    Plugins,
    Reach,
    Sources,
    Texts,
    local_option,
    option,
    place,
    text,
)


class ConnectionOptions(Options):
    """Options for the connection to an API server."""

    kubeconfig: str | Path | None = local_option("FILE").help("""
        Path of the kubeconfig of the cluster. Needs podium[client]. [default: as kubectl,
        $KUBECONFIG, or ~/.kube/config]""")
    context: str | None = local_option("NAME", completes="contexts").help("""
        Name of the kubeconfig context to use. [default: its current context]""")


class ClusterOptions(ConnectionOptions):
    """Options for reading a running cluster, named as in kubectl."""

    all_namespaces: bool = local_option(default=False, flags=("--all-namespaces", "-A")).help("""
        Accepted for compatibility with kubectl, without an effect: the objects of all namespaces
        are always read, as their pods compete for the same nodes.""")
    as_user: str | None = local_option("USER", flags=("--as",)).help("""
        Username to impersonate for the requests to the API server, such as
        system:serviceaccount:shop:deployer. [default: none]""")
    request_timeout: Duration | None = local_option("DURATION").help("""
        How long to wait before giving up on a single request to the API server, such as 1s, 2m or
        3h; 0 means without limit. [default: 34s]""")


class State(ClusterOptions):
    """Options for the cluster state that a question is about."""

    state: Sources = place(
        "File, directory or - (standard input) with the state of the cluster, instead of a running "
        "cluster. May be repeated.",
        flags=("--filename", "-f"),
        metavar="FILE|DIR|-",
        reach=Reach.LIBRARY,
        is_argument=False,
        default=(),
        kw_only=False,
    )


def usual_namespace(
    state: object, kubeconfig: str | Path | None = None, context: str | None = None
) -> str:
    """Return the namespace of the kubeconfig context, or `default` for a state in files."""
    if state:
        return DEFAULT_NAMESPACE
    # Imported when it is called, so that help, completion and the library start at once.
    from podium.cluster.client.kubeconfig_contexts import namespace_of

    return namespace_of(text(kubeconfig), context) or DEFAULT_NAMESPACE


class Rules(Options):
    """Options for how inputs are read and how the cluster is simulated."""

    validate: FieldValidation | str = option(default=FieldValidation.STRICT).help("""
        How to treat unknown and duplicate fields of manifests to apply: strict refuses them, warn
        prints warnings, ignore drops them silently. In the files of -f they are warnings, or
        dropped with ignore.""")
    scheduler_config: Configuration | None = local_option("FILE").help("""
        KubeSchedulerConfiguration (v1) to schedule by. [default: kube-scheduler's default
        profile]""")
    plugin: Plugins = local_option("FILE:CLASS").help("""
        Python file and class of a scheduler plugin to enable in every profile. May be repeated.""")
    namespace: str = option(
        "NAMESPACE", default="", flags=("--namespace", "-n"), completes="namespaces"
    ).help("""
        Namespace of manifests and names that don't specify one. It limits neither what is read nor
        what is printed. [default: that of the kubeconfig context, or default]""")
    kubelet_config: Configuration | None = local_option("FILE").help("""
        KubeletConfiguration (v1beta1) with the eviction thresholds of the nodes. [default: the
        kubelet's defaults]""")
    until: Duration | None = option("DURATION").help("""
        Simulated time to run, such as 90s or 1h. [default: 10m, extended up to a day while a
        rollout or drain makes progress]""")
    max_pods: int = local_option("N", default=MAX_PODS, min=0).help("""
        Refuse a run in which workloads would create more than N new pods in total, as a guard
        against typing errors.""")
    repair: bool = option(default=False).help("""
        Before any change, let controllers create the pods that workloads of the loaded state lack.
        Without it, they stay missing.""")
    assume_healthy: bool = option(default=False).help("""
        Treat unready pods, those in CrashLoopBackOff included, and NotReady nodes as becoming ready
        at the start. Without it, they stay as they are.""")


class Changes(Rules):
    """Options for the changes to a cluster that a question is about."""

    apply: Sources = local_option("FILE|DIR|-").help("""
        Manifests to apply to the state, as kubectl apply does. May be repeated. The changes of all
        options, from --apply to --pressure, are made in the order of the command line.""")
    kustomize: Texts = local_option("DIR", flags=("--kustomize", "-k")).help("""
        Directory of a kustomization to apply. Needs kustomize or kubectl. May be repeated.""")
    helm: Texts = local_option("[RELEASE=]CHART").help("""
        Helm chart to render and apply, with the name of the release. Needs helm. May be repeated.
        [default RELEASE: release]""")
    values: Texts = local_option("FILE").help("""
        Values file for all charts of --helm. May be repeated.""")
    set_values: Texts = local_option("KEY=VALUE", flags=("--set",)).help("""
        Single value for all charts of --helm, written as for helm. May be repeated.""")
    selector: str = local_option("SELECTOR", default="", flags=("--selector", "-l")).help("""
        Apply only the manifests whose labels match this selector, as kubectl apply -l does, such as
        app=web,tier!=cache. [default: all]""")
    delete: Texts = option("[NAMESPACE/]KIND/NAME[:force]").help("""
        Object to delete, with all that it controls. Pods get their grace period; with :force they
        are deleted at once. May be repeated.""")
    add_node: Texts = local_option("FILE|NODE[*COUNT]", completes="nodes").help("""
        Nodes to add: those of a file, or copies of a node of the state; 'node-1*3' adds three
        copies. May be repeated.""")
    delete_node: Texts = option("NODE", completes="nodes").help("Node to delete. May be repeated.")
    cordon: Texts = option("NODE", completes="nodes").help("""
        Node to mark as unschedulable. May be repeated.""")
    uncordon: Texts = option("NODE", completes="nodes").help("""
        Node to mark as schedulable. May be repeated.""")
    drain: Texts = option("NODE[:force]", completes="nodes").help("""
        Node to drain, as podium drain does; the changes after it wait until it is drained. With
        :force, pods that no controller recreates are evicted, too; grace periods stay. May be
        repeated.""")
    scale: Texts = option("KIND/NAME=REPLICAS").help("""
        Workload to scale and its new number of replicas, such as deploy/web=10. May be
        repeated.""")
    restart: Texts = option("KIND/NAME").help("""
        Workload to restart, as kubectl rollout restart does. May be repeated.""")
    pressure: Texts = option("NODE:SIGNAL=AMOUNT", completes="nodes").help("""
        Set an eviction signal of a node, to see which pods its kubelet evicts, such as
        node-3:memory.available=50Mi. May be repeated.""")
    allow_empty: bool = option(default=False).help("""
        Accept manifests without any object. Without it they are an error.""")
    order: tuple[str, ...] = ()
    """Names of the options in the order in which they were given, once for each value; if empty,
    the order of the fields."""


class NodeSelection(Rules):
    """Options that select the nodes that a question is about."""

    selector: str = option("SELECTOR", default="", flags=("--selector", "-l")).help("""
        Select nodes by their labels instead of naming them, such as pool=spot,zone in (a,b).""")
