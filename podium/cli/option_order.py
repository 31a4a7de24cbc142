"""In which order the options of a command stood, those of one name among the others."""

from typing import Any

from typer.core import TyperCommand

_KEY = "podium.order"


class OrderedCommand(TyperCommand):
    """A command that knows in which order its options were given."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments, and note the order of the options."""
        _, _, order = self.make_parser(ctx).parse_args(args=list(args))
        ctx.meta[_KEY] = tuple(one.name for one in order)
        return super().parse_args(ctx, args)


def option_order(ctx: Any) -> tuple[str, ...]:
    """The names of the options, each as often as it was given, in order."""
    found: tuple[str, ...] = ctx.meta.get(_KEY, ())
    return found
