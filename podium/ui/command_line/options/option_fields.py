"""Commands that take the fields of a dataclass as their options."""

from collections.abc import Callable, Iterable
from dataclasses import MISSING, fields, replace
from functools import wraps
from inspect import Parameter, signature
from typing import Annotated, Any, get_type_hints

import typer
from typer.core import TyperCommand

from podium.ui.command_line.options import completion
from podium.ui.inputs.namespaces import usual_namespace
from podium.ui.inputs.option import KEY, Option
from podium.ui.inputs.request_options import RequestOptions

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
    """The option of a command that means the same as a field of `RequestOptions`."""
    (found,) = (one for one in fields(RequestOptions) if one.name == name)
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
    return taking(options_of(kind), lambda _, given: kind(**given))


def taking(
    options: Iterable[Parameter], asked: Callable[[typer.Context, dict[str, Any]], Any]
) -> Callable[[Command], Command]:
    """Have a command take options in place of its parameter `asked`.

    Args:
        asked: makes the argument of what was given for them.
    """
    taken = [*options]

    def decorated(command: Command) -> Command:
        hints = get_type_hints(command, include_extras=True)
        parameters: list[Parameter] = []
        for name, own in signature(command).parameters.items():
            parameters += taken if name == "asked" else [own.replace(annotation=hints[name])]

        @wraps(command)
        def run(ctx: typer.Context, **given: Any) -> None:
            for_asked = {option.name: given.pop(option.name) for option in taken}
            command(asked=asked(ctx, for_asked), **given)

        parameters.append(Parameter("ctx", Parameter.KEYWORD_ONLY, annotation=typer.Context))
        ordered = [one.replace(kind=Parameter.KEYWORD_ONLY) for one in parameters]
        run.__signature__ = signature(command).replace(parameters=ordered)  # type: ignore[attr-defined]
        run.__annotations__ = {one.name: one.annotation for one in ordered}
        return run

    return decorated


def _asked(ctx: typer.Context, given: dict[str, Any]) -> RequestOptions:
    asked = RequestOptions(**given, order=option_order(ctx))
    place = asked.namespace or usual_namespace(asked.state, asked.kubeconfig, asked.context)
    return replace(asked, namespace=place)


_CHANGES = frozenset(
    {
        *("apply", "kustomize", "helm", "values", "set_values", "delete", "add_node"),
        *("delete_node", "cordon", "uncordon", "drain", "scale", "restart", "allow_empty"),
        "pressure",
    }
)
_OPTIONS = [option for option in options_of(RequestOptions) if option.name != "order"]

with_request_options = taking(_OPTIONS, _asked)
"""Has a command take each of `RequestOptions` in place of its parameter `asked`."""

with_state_options = taking([one for one in _OPTIONS if one.name not in _CHANGES], _asked)
"""Has a command take those that change nothing in place of its parameter `asked`."""
