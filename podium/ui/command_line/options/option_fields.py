"""Commands that take the fields of a dataclass as their options."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, fields, replace
from functools import wraps
from inspect import Parameter, signature
from typing import Annotated, Any, get_type_hints

import typer
from typer.core import TyperCommand

from podium.ui.command_line.options import completion
from podium.ui.inputs.namespaces import usual_namespace
from podium.ui.inputs.option import KEY, Option
from podium.ui.inputs.request_options import ChangeOptions, RuleOptions, SourceOptions, filled

Command = Callable[..., None]
_ORDER = "podium.order"


class OrderedCommand(TyperCommand):
    """A command that knows in which order its options were given."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments, and note the order of the options."""
        _, _, order = self.make_parser(ctx).parse_args(args=list(args))
        ctx.meta[_ORDER] = tuple(one.name for one in order)
        return super().parse_args(ctx, args)


def option_order(ctx: Any) -> tuple[str, ...]:
    """The names of the options, each as often as it was given, in order."""
    found: tuple[str, ...] = ctx.meta.get(_ORDER, ())
    return found


def options_of(kind: type) -> list[Parameter]:
    """The options that the fields of a dataclass stand for, by their annotation or metadata."""
    return [
        Parameter(
            field.name,
            Parameter.KEYWORD_ONLY,
            default=Parameter.empty if field.default is MISSING else field.default,
            annotation=Annotated[field.type, typer_option(field.name, field.metadata[KEY])]
            if KEY in field.metadata
            else field.type,
        )
        for field in fields(kind)
    ]


def option_of(name: str) -> Any:
    """The option of a command that means the same as one of a question."""
    kinds = (SourceOptions, ChangeOptions, RuleOptions)
    (found,) = (one for kind in kinds for one in fields(kind) if one.name == name)
    return typer_option(name, found.metadata[KEY])


def typer_option(name: str, option: Option) -> Any:
    """An option as Typer has it."""
    completes = getattr(completion, option.completes) if option.completes else None
    return typer.Option(
        *(option.flags or [f"--{name.replace('_', '-')}"]),
        metavar=option.metavar,
        help=option.help,
        min=option.min,
        autocompletion=completes,
    )


def with_fields_of(kind: type) -> Callable[[Command], Command]:
    """Have a command take the fields of a dataclass in place of its parameter `asked`."""
    return taking(options_of(kind), asked=lambda _, given: kind(**given))


def taking(
    options: Iterable[Parameter], **arguments: Callable[[typer.Context, Mapping[str, Any]], Any]
) -> Callable[[Command], Command]:
    """Have a command take options in place of parameters; they stand where the first of these does.

    Args:
        arguments: the function that makes each parameter's argument of the values of the options.
    """
    taken = [*options]
    first = next(iter(arguments))

    def decorated(command: Command) -> Command:
        hints = get_type_hints(command, include_extras=True)
        parameters: list[Parameter] = []
        for name, own in signature(command).parameters.items():
            if name == first:
                parameters += taken
            elif name not in arguments:
                parameters.append(own.replace(annotation=hints[name]))

        @wraps(command)
        def run(ctx: typer.Context, **given: Any) -> None:
            values = {option.name: given.pop(option.name) for option in taken}
            command(**{name: made(ctx, values) for name, made in arguments.items()}, **given)

        parameters.append(Parameter("ctx", Parameter.KEYWORD_ONLY, annotation=typer.Context))
        ordered = [one.replace(kind=Parameter.KEYWORD_ONLY) for one in parameters]
        run.__signature__ = signature(command).replace(parameters=ordered)  # type: ignore[attr-defined]
        run.__annotations__ = {one.name: one.annotation for one in ordered}
        return run

    return decorated


def _source(_: typer.Context, given: Mapping[str, Any]) -> SourceOptions:
    source = filled(SourceOptions, given)
    place = source.namespace or usual_namespace(source.state, source.kubeconfig, source.context)
    return replace(source, namespace=place)


def _changes(ctx: typer.Context, given: Mapping[str, Any]) -> ChangeOptions:
    return filled(ChangeOptions, {**given, "order": option_order(ctx)})


def _rules(_: typer.Context, given: Mapping[str, Any]) -> RuleOptions:
    return filled(RuleOptions, given)


# The help lists where the state is and what changes it, then these in this order.
_LISTED_LAST = (
    *("validate", "allow_empty", "scheduler_config", "plugin", "namespace", "pressure"),
    *("kubelet_config", "until", "max_pods", "repair", "assume_healthy"),
)


def _listed(*kinds: type) -> list[Parameter]:
    options = [one for kind in kinds for one in options_of(kind) if one.name != "order"]
    places = {name: place for place, name in enumerate(_LISTED_LAST, 1)}
    return sorted(options, key=lambda one: places.get(one.name, 0))


with_request_options = taking(
    _listed(SourceOptions, ChangeOptions, RuleOptions),
    asked=_changes,
    source=_source,
    rules=_rules,
)
"""Has a command take each of a question in place of its parameters `asked`, `source`, `rules`."""

with_state_options = taking(_listed(SourceOptions, RuleOptions), source=_source, rules=_rules)
"""Has a command take those that change nothing in place of its parameters `source`, `rules`."""
