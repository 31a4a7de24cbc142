"""The options by which `podium plan` and `podium explain` are asked about the same things."""

from dataclasses import dataclass, replace
from typing import Any

import typer

from podium.api.field_validation import FieldValidation
from podium.api.pod_limit import MAX_PODS
from podium.cli.change_options import (
    AddNodeOption,
    AllowEmptyOption,
    CordonOption,
    DeleteNodeOption,
    DrainOption,
    HelmOption,
    KustomizeOption,
    RestartOption,
    ScaleOption,
    SetOption,
    UncordonOption,
    ValidateOption,
    ValuesOption,
)
from podium.cli.namespaces import usual_namespace
from podium.cli.option_fields import options_of, taking
from podium.cli.option_order import option_order
from podium.cli.options import (
    ApplyOption,
    ClusterOption,
    ConfigOption,
    ContextOption,
    DeleteOption,
    KubeletConfigOption,
    MaxPodsOption,
    NamespaceOption,
    PluginOption,
    PressureOption,
    RepairOption,
    StateOption,
    UntilOption,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestOptions:
    """What the command line says about a request.

    Attributes:
        state: where the state is.
        kubeconfig: of a running cluster that is the state instead.
        context: of the kubeconfig.
        apply: where the manifests are.
        kustomize: directories of Kustomizations to apply.
        helm: charts to apply.
        values: files of values for them.
        set_values: single values for them.
        delete: what to delete.
        add_node: nodes to add.
        delete_node: nodes to delete.
        cordon: nodes to cordon.
        uncordon: nodes to uncordon.
        drain: nodes to drain.
        scale: workloads to scale.
        restart: workloads to restart.
        validate: what becomes of unknown fields and of those that stand twice.
        allow_empty: whether what is applied may be nothing.
        scheduler_config: the file of the scheduler's configuration.
        plugin: `FILE:CLASS` of plugins to enable.
        kubelet_config: the file of the kubelets' configuration.
        namespace: where objects are that don't say.
        pressure: what nodes are put under.
        until: for how long to play; None to the end of the rollouts.
        max_pods: how many new pods workloads may ask for.
        repair: whether controllers make up for what the state lacks.
        order: the options as they stood, each as often as it was given.
    """

    state: StateOption = None
    kubeconfig: ClusterOption = None
    context: ContextOption = None
    apply: ApplyOption = None
    kustomize: KustomizeOption = None
    helm: HelmOption = None
    values: ValuesOption = None
    set_values: SetOption = None
    delete: DeleteOption = None
    add_node: AddNodeOption = None
    delete_node: DeleteNodeOption = None
    cordon: CordonOption = None
    uncordon: UncordonOption = None
    drain: DrainOption = None
    scale: ScaleOption = None
    restart: RestartOption = None
    validate: ValidateOption = FieldValidation.STRICT
    allow_empty: AllowEmptyOption = False
    scheduler_config: ConfigOption = None
    plugin: PluginOption = None
    namespace: NamespaceOption = ""
    pressure: PressureOption = None
    kubelet_config: KubeletConfigOption = None
    until: UntilOption = None
    max_pods: MaxPodsOption = MAX_PODS
    repair: RepairOption = False
    order: tuple[str, ...] = ()


_OF_STATE = frozenset(
    {
        *("state", "kubeconfig", "context", "validate", "namespace", "max_pods"),
        *("scheduler_config", "plugin", "kubelet_config", "until", "repair"),
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
