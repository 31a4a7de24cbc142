"""Typer commands, made from dataclasses of options."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, fields
from enum import EnumType
from functools import partial
from inspect import Parameter, Signature, get_annotations
from typing import Annotated, Any, Literal, get_args

import typer
from typer.core import TyperCommand

from podium.ui.command_line.options import completion
from podium.ui.commands.question import Question
from podium.ui.inputs.option import REPEATABLE, Option, option_of
from podium.ui.inputs.request_options import (
    Changes,
    ClusterOptions,
    ConnectionOptions,
    Rules,
    State,
    usual_namespace,
)
from podium.ui.writers.formats import FORMATS

Command = Callable[..., None]
_ORDER = "podium.order"
_FORMERLY = "formerly_"
_METAVARS: Mapping[Any, str] = {int: "N", int | None: "N", float: "NUMBER", float | None: "NUMBER"}
# The help lists where the state is and what changes it, then the rules, then what is left.
_LISTED_FIRST = (State, ConnectionOptions, ClusterOptions, Changes, Rules)


class OrderedCommand(TyperCommand):
    """A command that records in which order its options were given."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments, and record the order of the options."""
        _, _, order = self.make_parser(ctx).parse_args(args=list(args))
        ctx.meta[_ORDER] = tuple(parameter.name for parameter in order)
        return super().parse_args(ctx, args)

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters; help shows `at least 1` instead of `x>=1`, and no `<str>`."""
        params: list[Any] = [*super().get_params(ctx)]
        for param in params:
            least = getattr(param, "min", None)
            bound = f"at least {least:g}" if least else ""
            vars(param)["_get_number_range_help_str"] = partial(str, bound)
            if param.param_type_name == "argument":
                usage = param.display_name_raw if param.required else f"[{param.display_name_raw}]"
                usage += "..." if param.nargs != 1 else ""
                vars(param)["_usage_display_name"] = partial(str, usage)
                vars(param)["display_type_rich"] = lambda ctx: ""
        return params


def command_of(target: Any) -> Command:
    """Make a Typer command from a question, or from a class of options with a method `run`."""
    if hasattr(target, "run"):
        return _function(target.run, [target], {})

    def run(*asked: Any, output: str, output_file: str | None) -> None:
        # What prints answers isn't needed to print help.
        from podium.ui.command_line.ask import ask

        ask(*asked, output=output, output_file=output_file)

    kinds = [target, State] if issubclass(target, Rules) else [target]
    return _function(run, kinds, _output_options(target))


def _output_options(kind: type[Question[Any]]) -> dict[str, tuple[Any, Any, Option]]:
    formats = (*FORMATS, *kind.formats)
    # Of some it was the name of a file, and may be so still.
    choice = str if kind.took_files else Literal[(*formats, *kind.formats_formerly)]
    output = Option(
        f"Output format: {', '.join(formats)}.", flags=("--output", "-o"), metavar="FORMAT"
    )
    file = Option("File to write the output to. [default: standard output]", metavar="FILE")
    return {"output": (choice, kind.usual_format, output), "output_file": (str | None, None, file)}


def _function(
    run: Command, kinds: list[type], more: Mapping[str, tuple[Any, Any, Option]]
) -> Command:
    every = {field.name: field for kind in kinds for field in fields(kind)}
    ranks = {
        name: rank
        for rank, kind in reversed([*enumerate(_LISTED_FIRST)])
        for name in get_annotations(kind)
    }
    options: dict[str, tuple[Any, Any, Option]] = {}
    for name in sorted(every, key=lambda name: ranks.get(name, len(ranks))):
        if (found := option_of(every[name])) is not None:
            options[name] = every[name].type, every[name].default, found
    parameters = [
        parameter
        for name, (kind, default, option) in {**options, **more}.items()
        for parameter in _parameters(name, kind, default, option)
    ]

    def command(ctx: typer.Context, **given: Any) -> None:
        for name in [name for name in given if name.startswith(_FORMERLY)]:
            if (value := given.pop(name)) is not None:
                given[name.removeprefix(_FORMERLY)] = value
        if any(issubclass(kind, Rules) for kind in kinds):
            where = given["state"], given["kubeconfig"], given["context"]
            given["namespace"] = given["namespace"] or usual_namespace(*where)
        given["order"] = ctx.meta.get(_ORDER, ())
        asked = []
        for kind in kinds:
            names = (field.name for field in fields(kind))
            # What isn't given has the default of its field.
            values = {name: given[name] for name in names if given.get(name) is not None}
            asked.append(kind(**values))
        further = {name: given[name] for name in more}
        if "ctx" in get_annotations(run):
            further["ctx"] = ctx
        run(*asked, **further)

    parameters.append(Parameter("ctx", Parameter.KEYWORD_ONLY, annotation=typer.Context))
    command.__doc__ = kinds[0].__doc__
    command.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return command


def _parameters(name: str, kind: Any, default: Any, option: Option) -> Iterator[Parameter]:
    if kind in REPEATABLE:
        kind = list[str] if default is MISSING else list[str] | None
        default = MISSING if default is MISSING else None
    elif enums := [enum_meta for enum_meta in get_args(kind) if isinstance(enum_meta, EnumType)]:
        kind = enums[0]
    elif str in get_args(kind):
        # A path or a number is a text here.
        kind = str | None if default is None else str
    enum = kind if isinstance(kind, EnumType) else None
    usual = "|".join(map(str, enum)) if enum else _METAVARS.get(kind)
    shown: dict[str, Any] = {
        "metavar": option.metavar or usual,
        "help": option.help,
        "min": option.min,
        "max": option.max,
        "autocompletion": getattr(completion, option.completes) if option.completes else None,
    }
    flags = option.flags or (f"--{name.replace('_', '-')}",)
    said = typer.Argument(**shown) if option.is_argument else typer.Option(*flags, **shown)
    shape = Parameter(name, Parameter.KEYWORD_ONLY, annotation=Annotated[kind, said])
    yield shape if default is MISSING else shape.replace(default=default)
    if option.formerly:
        old = Annotated[str | None, typer.Option(*option.formerly, hidden=True)]
        yield Parameter(f"{_FORMERLY}{name}", Parameter.KEYWORD_ONLY, annotation=old, default=None)
