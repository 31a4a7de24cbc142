"""The options by which `podium plan` and `podium explain` are asked about the same things."""

from collections.abc import Callable
from dataclasses import MISSING, dataclass, fields
from functools import wraps
from inspect import Parameter, signature
from typing import Annotated, Any, get_type_hints

import typer

from podium.api.field_validation import FieldValidation
from podium.api.objects import DEFAULT_NAMESPACE
from podium.api.pod_limit import MAX_PODS
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

ValidateOption = Annotated[
    FieldValidation,
    typer.Option(
        "--validate",
        help="What becomes of unknown or repeated fields in what is applied; of a state's they "
        "are warnings.",
    ),
]
AllowEmptyOption = Annotated[
    bool, typer.Option("--allow-empty", help="What is applied may have nothing in it.")
]


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestOptions:
    """What the command line says about a request.

    Attributes:
        state: where the state is.
        kubeconfig: of a running cluster that is the state instead.
        context: of the kubeconfig.
        apply: where the manifests are.
        delete: what to delete first.
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
    """

    state: StateOption = None
    kubeconfig: ClusterOption = None
    context: ContextOption = None
    apply: ApplyOption = None
    delete: DeleteOption = None
    validate: ValidateOption = FieldValidation.STRICT
    allow_empty: AllowEmptyOption = False
    scheduler_config: ConfigOption = None
    plugin: PluginOption = None
    namespace: NamespaceOption = DEFAULT_NAMESPACE
    pressure: PressureOption = None
    kubelet_config: KubeletConfigOption = None
    until: UntilOption = None
    max_pods: MaxPodsOption = MAX_PODS
    repair: RepairOption = False


def with_request_options(command: Callable[..., None]) -> Callable[..., None]:
    """Have a command take each of these options in place of its parameter `asked`."""
    own = signature(command).parameters
    hints = get_type_hints(command, include_extras=True)
    parameters: list[Parameter] = []
    for name, parameter in own.items():
        parameters += _OPTIONS if name == "asked" else [parameter.replace(annotation=hints[name])]
    names = [option.name for option in _OPTIONS]

    @wraps(command)
    def run(**given: Any) -> None:
        asked = RequestOptions(**{name: given.pop(name) for name in names})
        command(asked=asked, **given)

    ordered = [one.replace(kind=Parameter.KEYWORD_ONLY) for one in parameters]
    run.__signature__ = signature(command).replace(parameters=ordered)  # type: ignore[attr-defined]
    run.__annotations__ = {one.name: one.annotation for one in ordered}
    return run


_OPTIONS = [
    Parameter(
        field.name,
        Parameter.KEYWORD_ONLY,
        default=Parameter.empty if field.default is MISSING else field.default,
        annotation=field.type,
    )
    for field in fields(RequestOptions)
]
