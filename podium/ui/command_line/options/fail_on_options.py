"""The options by which answers are a gate, and the formats of a plan."""

from enum import StrEnum
from typing import Annotated

import typer

from podium.ui.command_line.options import completion
from podium.ui.command_line.options.common_options import WideOutput
from podium.whatif.plan.fail_on import CONDITIONS

FailOnOption = Annotated[
    list[str] | None,
    typer.Option(
        "--fail-on",
        metavar="CONDITION[,CONDITION]...",
        help=f"Exit with 2 if any of these happens: {', '.join(CONDITIONS)}. A condition may be "
        "restricted, as in preemption:priority>=1000, pending:namespace=shop, "
        "eviction:workload=Deployment*, pending:class=batch; what ends in =allow may happen, as in "
        "preemption:workload=batch/*=allow.",
        autocompletion=completion.conditions,
    ),
]
GatesOption = Annotated[
    str | None,
    typer.Option("--gates", metavar="FILE", help="More of --fail-on, line by line; # comments."),
]
BaselineOption = Annotated[
    bool,
    typer.Option("--baseline", help="Fail only on what the changes cause, not on what is so now."),
]
WideOutputOption = Annotated[
    WideOutput, typer.Option("--output", "-o", help="How to print the answer.")
]


class PlanOutput(StrEnum):
    """How a plan is printed."""

    TABLE = "table"
    WIDE = "wide"
    JSON = "json"
    YAML = "yaml"
    JUNIT = "junit"
    SARIF = "sarif"
    MARKDOWN = "markdown"
    HTML = "html"
