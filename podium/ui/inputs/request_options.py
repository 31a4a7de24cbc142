"""Options that several questions have: the state, the changes, and the rules."""

from pathlib import Path

from podium.api.codec.field_validation import FieldValidation
from podium.api.objects import DEFAULT_NAMESPACE
from podium.api.pod_limit import MAX_PODS
from podium.ui.inputs.option import (
    Reach,
    Sources,
    Texts,
    local_option,
    option,
    place,
    question,
    text,
)


@question
class ConnectionOptions:
    """The API server to connect to."""

    kubeconfig: str | Path | None = local_option(
        "Path of the kubeconfig of the cluster. Needs podium[client]. [default: as kubectl, "
        "$KUBECONFIG, or ~/.kube/config]",
        metavar="FILE",
    )
    context: str | None = local_option(
        "Name of the kubeconfig context to use. [default: its current context]",
        metavar="NAME",
        completes="contexts",
    )


@question
class ClusterOptions(ConnectionOptions):
    """How a running cluster is read, with the names of kubectl."""

    all_namespaces: bool = local_option(
        "Read the objects of all namespaces. Podium always does, as pods of all namespaces "
        "compete for the same nodes.",
        flags=("--all-namespaces", "-A"),
        default=False,
    )
    as_user: str | None = local_option(
        "Username to impersonate for the requests to the API server, such as "
        "system:serviceaccount:shop:deployer. [default: none]",
        flags=("--as",),
        metavar="USER",
    )
    request_timeout: str | None = local_option(
        "How long to wait before giving up on a single request to the API server, such as 1s, "
        "2m or 3h; 0 means without limit. [default: 34s]",
        metavar="DURATION",
    )


@question
class State(ClusterOptions):
    """The state that a question is about."""

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


@question
class Rules:
    """How the inputs of a question are read, and how it is played."""

    validate: FieldValidation | str = option(
        "How to treat unknown and duplicate fields of applied manifests: strict refuses them, warn "
        "prints warnings, ignore drops them silently. In the state of the cluster they are "
        "warnings.",
        default=FieldValidation.STRICT,
    )
    scheduler_config: str | Path | None = local_option(
        "KubeSchedulerConfiguration (v1) to schedule by. [default: kube-scheduler's default "
        "profile]",
        metavar="FILE",
    )
    plugin: Texts = local_option(
        "Python file and class of a scheduler plugin to enable in every profile. May be repeated.",
        metavar="FILE:CLASS",
    )
    namespace: str = option(
        "Namespace of objects and names that don't specify one. It doesn't limit what is read. "
        "[default: that of the kubeconfig context, or default]",
        flags=("--namespace", "-n"),
        metavar="NAMESPACE",
        completes="namespaces",
        default="",
    )
    kubelet_config: str | Path | None = local_option(
        "KubeletConfiguration (v1beta1) with the eviction thresholds of the nodes. [default: "
        "the kubelet's defaults]",
        metavar="FILE",
    )
    until: str | None = option(
        "How much simulated time to play, such as 90s or 1h. [default: 10m, longer while a rollout "
        "or drain makes progress]",
        metavar="DURATION",
    )
    max_pods: int = local_option(
        "Largest number of new pods that workloads may create. A larger number is taken for a "
        "typing error and refused.",
        metavar="N",
        min=0,
        default=MAX_PODS,
    )
    repair: bool = option(
        "Let controllers also create pods that workloads lack in the loaded state, before any "
        "change.",
        default=False,
    )
    assume_healthy: bool = option(
        "Let pods of the state that aren't ready, also those in a crash loop, and nodes that "
        "aren't Ready become ready at the start. Without it they stay as they are.",
        default=False,
    )


@question
class Changes(Rules):
    """The changes of a question.

    Attributes:
        order: names of the options in the order in which they were given, once for each value; that
            of the fields if empty.
    """

    apply: Sources = local_option(
        "Manifests to apply to the state, as kubectl apply does. May be repeated; all changes are "
        "made in the order in which the options stand.",
        metavar="FILE|DIR|-",
    )
    kustomize: Texts = local_option(
        "Directory of a kustomization to apply. Needs kustomize or kubectl. May be repeated.",
        flags=("--kustomize", "-k"),
        metavar="DIR",
    )
    helm: Texts = local_option(
        "Helm chart to render and apply, with the name of the release. Needs helm. May be "
        "repeated. [default RELEASE: release]",
        metavar="[RELEASE=]CHART",
    )
    values: Texts = local_option("Values file for --helm. May be repeated.", metavar="FILE")
    set_values: Texts = local_option(
        "Single value for --helm, written as for helm. May be repeated.",
        flags=("--set",),
        metavar="KEY=VALUE",
    )
    selector: str = local_option(
        "Apply only the manifests whose labels match this selector, as kubectl apply -l does, such "
        "as app=web,tier!=cache. [default: all]",
        flags=("--selector", "-l"),
        metavar="SELECTOR",
        default="",
    )
    delete: Texts = option(
        "Object to delete, with all that it controls. Pods get their grace period; with :force "
        "they are deleted at once. May be repeated.",
        metavar="[NAMESPACE/]KIND/NAME[:force]",
    )
    add_node: Texts = local_option(
        "Nodes to add: those of a file, or copies of a node of the state; web-1*3 adds three "
        "copies. May be repeated.",
        metavar="FILE|NODE[*COUNT]",
        completes="nodes",
    )
    delete_node: Texts = option(
        "Node to delete. May be repeated.", metavar="NODE", completes="nodes"
    )
    cordon: Texts = option(
        "Node to mark as unschedulable. May be repeated.", metavar="NODE", completes="nodes"
    )
    uncordon: Texts = option(
        "Node to mark as schedulable. May be repeated.", metavar="NODE", completes="nodes"
    )
    drain: Texts = option(
        "Node to drain, as podium drain does; the changes after it wait until it is drained. With "
        ":force, pods that no controller recreates are evicted, too. May be repeated.",
        metavar="NODE[:force]",
        completes="nodes",
    )
    scale: Texts = option(
        "Workload to scale and its new number of replicas, such as deploy/web=10. May be repeated.",
        metavar="KIND/NAME=REPLICAS",
    )
    restart: Texts = option(
        "Workload to restart, as kubectl rollout restart does. May be repeated.",
        metavar="KIND/NAME",
    )
    pressure: Texts = option(
        "Amount of a resource that is left on a node, to see which pods the node evicts, such as "
        "node-3:memory.available=50Mi. May be repeated.",
        metavar="NODE:SIGNAL=AMOUNT",
        completes="nodes",
    )
    allow_empty: bool = option(
        "Accept manifests without any object. Without it they are an error.", default=False
    )
    order: tuple[str, ...] = ()


@question
class NodeSelection(Rules):
    """The nodes that a question is about."""

    selector: str = option(
        "Select the nodes whose labels match this selector, instead of naming nodes, such as "
        "pool=spot,zone in (a,b).",
        flags=("--selector", "-l"),
        metavar="SELECTOR",
        default="",
    )
