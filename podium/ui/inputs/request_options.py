"""The options that several questions have: which state, which changes, and by which rules."""

from collections.abc import Sequence
from pathlib import Path

from podium.api.codec.field_validation import FieldValidation
from podium.api.objects import DEFAULT_NAMESPACE
from podium.api.pod_limit import MAX_PODS
from podium.ui.inputs.option import Reach, Sources, Texts, local_option, option, place, question


@question
class Connection:
    """Which running cluster is read."""

    kubeconfig: str | Path | None = local_option(
        "Where the running cluster is; the one that kubectl goes to unless given. Needs "
        "podium[client].",
        metavar="FILE",
    )
    context: str | None = local_option(
        "Of the kubeconfig; its current one unless given.", metavar="NAME", completes="contexts"
    )


@question
class State(Connection):
    """Where the state of a question is."""

    state: Sources = place(
        "The state of the cluster, instead of a running one; may be given several times.",
        flags=("--filename", "-f"),
        metavar="FILE|DIR|-",
        reach=Reach.LIBRARY,
        is_argument=False,
        default=(),
        kw_only=False,
    )


def usual_namespace(
    state: Sequence[object] | None, kubeconfig: str | None, context: str | None
) -> str:
    """The namespace that the context has, where a running cluster is read, or else `default`.

    Args:
        state: files that are read instead.
    """
    if state:
        return DEFAULT_NAMESPACE
    # Imported when it is called, so that help, completion and the library start at once.
    from podium.cluster.client.kubeconfig_contexts import namespace_of

    return namespace_of(kubeconfig, context) or DEFAULT_NAMESPACE


@question
class Rules:
    """By which rules a question is played, and its objects are read, whatever it changes."""

    validate: FieldValidation | str = option(
        "What becomes of unknown or repeated fields in what is applied; of a state's they "
        "are warnings.",
        default=FieldValidation.STRICT,
    )
    scheduler_config: str | Path | None = local_option(
        "A KubeSchedulerConfiguration (v1); without it, the default profile decides.",
        metavar="FILE",
    )
    plugin: Texts = local_option(
        "A plugin to enable, from a Python file; may be given several times.", metavar="FILE:CLASS"
    )
    namespace: str = option(
        "Where objects are that don't say; that of the context, or default.",
        flags=("--namespace", "-n"),
        metavar="NAMESPACE",
        completes="namespaces",
        default="",
    )
    kubelet_config: str | Path | None = local_option(
        "A KubeletConfiguration (v1beta1), for the eviction thresholds of nodes.", metavar="FILE"
    )
    until: str | None = option(
        "For how long to play what happens. [default: 10m, and to the end of the rollouts]",
        metavar="DURATION",
    )
    max_pods: int = local_option(
        "How many new pods workloads may ask for; more is taken for a mistake.",
        metavar="N",
        min=0,
        default=MAX_PODS,
    )
    repair: bool = option("Have controllers make up for what the state lacks, too.", default=False)
    assume_healthy: bool = option(
        "Have pods of the state that aren't ready, crash loops included, and nodes that "
        "aren't Ready become so at the start; otherwise they stay as they are.",
        default=False,
    )


@question
class Changes(Rules):
    """What a question changes.

    Attributes:
        order: the options as they stood, each as often as it was given; as they are listed here
            if empty.
    """

    apply: Sources = local_option(
        "Manifests to apply to the state. All changes are made in the order given.",
        metavar="FILE|DIR|-",
    )
    kustomize: Texts = local_option(
        "A Kustomization to apply; takes kustomize or kubectl.",
        flags=("--kustomize", "-k"),
        metavar="DIR",
    )
    helm: Texts = local_option(
        "A chart to apply, as a release of that name; takes helm.", metavar="[RELEASE=]CHART"
    )
    values: Texts = local_option("Values for --helm.", metavar="FILE")
    set_values: Texts = local_option(
        "A value for --helm, as helm takes it.", flags=("--set",), metavar="KEY=VALUE"
    )
    delete: Texts = option(
        "An object to delete, with all that it controls. A pod has its grace period, but "
        "with :force.",
        metavar="[NAMESPACE/]KIND/NAME[:force]",
    )
    add_node: Texts = local_option(
        "Nodes to add: those of a file, or such as one that is there; web-1*3 are three.",
        metavar="FILE|NODE[*COUNT]",
        completes="nodes",
    )
    delete_node: Texts = option("A node to delete.", metavar="NODE", completes="nodes")
    cordon: Texts = option("A node that takes no more pods.", metavar="NODE", completes="nodes")
    uncordon: Texts = option("A node that takes pods again.", metavar="NODE", completes="nodes")
    drain: Texts = option(
        "A node to drain; what comes next waits for that. With :force also of pods that "
        "nobody recreates.",
        metavar="NODE[:force]",
        completes="nodes",
    )
    scale: Texts = option(
        "A workload to scale, such as deploy/web=10.", metavar="KIND/NAME=REPLICAS"
    )
    restart: Texts = option("A workload whose pods to replace.", metavar="KIND/NAME")
    pressure: Texts = option(
        "What is left on a node, such as node-3:memory.available=50Mi.",
        metavar="NODE:SIGNAL=AMOUNT",
        completes="nodes",
    )
    allow_empty: bool = option("What is applied may have nothing in it.", default=False)
    order: tuple[str, ...] = ()
