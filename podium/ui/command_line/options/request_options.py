"""The options by which `podium plan` and `podium explain` are asked about the same things."""

from dataclasses import dataclass, replace
from typing import Annotated, Any

import typer

from podium.api.codec.field_validation import FieldValidation
from podium.api.pod_limit import MAX_PODS
from podium.ui.command_line.options import completion
from podium.ui.command_line.options.common_options import (
    AssumeHealthyOption,
    ClusterOption,
    ConfigOption,
    ContextOption,
    KubeletConfigOption,
    MaxPodsOption,
    NamespaceOption,
    PluginOption,
    StateOption,
)
from podium.ui.command_line.options.option_fields import option_order, options_of, taking
from podium.ui.inputs.namespaces import usual_namespace


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestOptions:
    """What a request is asked for; each field is an option, which says what it means.

    Attributes:
        order: the options as they stood, each as often as it was given.
    """

    state: StateOption = None
    kubeconfig: ClusterOption = None
    context: ContextOption = None
    apply: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FILE|DIR|-",
            help="Manifests to apply to the state. All changes are made in the order given.",
        ),
    ] = None
    kustomize: Annotated[
        list[str] | None,
        typer.Option(
            "--kustomize",
            "-k",
            metavar="DIR",
            help="A Kustomization to apply; takes kustomize or kubectl.",
        ),
    ] = None
    helm: Annotated[
        list[str] | None,
        typer.Option(
            metavar="[RELEASE=]CHART",
            help="A chart to apply, as a release of that name; takes helm.",
        ),
    ] = None
    values: Annotated[
        list[str] | None,
        typer.Option(metavar="FILE", help="Values for --helm."),
    ] = None
    set_values: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="A value for --helm, as helm takes it."),
    ] = None
    delete: Annotated[
        list[str] | None,
        typer.Option(
            metavar="[NAMESPACE/]KIND/NAME[:force]",
            help="An object to delete, with all that it controls. A pod has its grace period, but "
            "with :force.",
        ),
    ] = None
    add_node: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FILE|NODE[*COUNT]",
            help="Nodes to add: those of a file, or such as one that is there; web-1*3 are three.",
            autocompletion=completion.nodes,
        ),
    ] = None
    delete_node: Annotated[
        list[str] | None,
        typer.Option(metavar="NODE", help="A node to delete.", autocompletion=completion.nodes),
    ] = None
    cordon: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NODE", help="A node that takes no more pods.", autocompletion=completion.nodes
        ),
    ] = None
    uncordon: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NODE", help="A node that takes pods again.", autocompletion=completion.nodes
        ),
    ] = None
    drain: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NODE[:force]",
            help="A node to drain; what comes next waits for that. With :force also of pods that "
            "nobody recreates.",
            autocompletion=completion.nodes,
        ),
    ] = None
    scale: Annotated[
        list[str] | None,
        typer.Option(
            metavar="KIND/NAME=REPLICAS", help="A workload to scale, such as deploy/web=10."
        ),
    ] = None
    restart: Annotated[
        list[str] | None,
        typer.Option(metavar="KIND/NAME", help="A workload whose pods to replace."),
    ] = None
    validate: Annotated[
        FieldValidation,
        typer.Option(
            help="What becomes of unknown or repeated fields in what is applied; of a state's they "
            "are warnings."
        ),
    ] = FieldValidation.STRICT
    allow_empty: Annotated[
        bool, typer.Option("--allow-empty", help="What is applied may have nothing in it.")
    ] = False
    scheduler_config: ConfigOption = None
    plugin: PluginOption = None
    namespace: NamespaceOption = ""
    pressure: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NODE:SIGNAL=AMOUNT",
            help="What is left on a node, such as node-3:memory.available=50Mi.",
            autocompletion=completion.nodes,
        ),
    ] = None
    kubelet_config: KubeletConfigOption = None
    until: Annotated[
        str | None,
        typer.Option(
            metavar="DURATION",
            help="For how long to play what happens. [default: 10m, and to the end of the "
            "rollouts]",
        ),
    ] = None
    max_pods: MaxPodsOption = MAX_PODS
    repair: Annotated[
        bool,
        typer.Option("--repair", help="Have controllers make up for what the state lacks, too."),
    ] = False
    assume_healthy: AssumeHealthyOption = False
    order: tuple[str, ...] = ()


_OF_STATE = frozenset(
    {
        *("state", "kubeconfig", "context", "validate", "namespace", "max_pods"),
        *("scheduler_config", "plugin", "kubelet_config", "until", "repair"),
        "assume_healthy",
    }
)


def _asked(ctx: typer.Context, given: dict[str, Any]) -> RequestOptions:
    asked = RequestOptions(**given, order=option_order(ctx))
    place = asked.namespace or usual_namespace(asked.state, asked.kubeconfig, asked.context)
    return replace(asked, namespace=place)


_OPTIONS = [option for option in options_of(RequestOptions) if option.name != "order"]

with_request_options = taking(_OPTIONS, _asked)
"""Has a command take each of these options in place of its parameter `asked`."""

with_state_options = taking([one for one in _OPTIONS if one.name in _OF_STATE], _asked)
"""Has a command take those of these options that change nothing, in place of `asked`."""
