"""The options that say what is changed in a cluster."""

from typing import Annotated

import typer

from podium.api.field_validation import FieldValidation
from podium.cli import completing

KustomizeOption = Annotated[
    list[str] | None,
    typer.Option(
        "--kustomize",
        "-k",
        metavar="DIR",
        help="A Kustomization to apply; takes kustomize or kubectl.",
    ),
]
HelmOption = Annotated[
    list[str] | None,
    typer.Option(
        "--helm",
        metavar="[RELEASE=]CHART",
        help="A chart to apply, as a release of that name; takes helm.",
    ),
]
ValuesOption = Annotated[
    list[str] | None,
    typer.Option("--values", metavar="FILE", help="Values for --helm."),
]
SetOption = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="A value for --helm, as helm takes it."),
]
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
DeleteNodeOption = Annotated[
    list[str] | None,
    typer.Option(
        "--delete-node",
        metavar="NODE",
        help="A node to delete.",
        autocompletion=completing.nodes,
    ),
]
AddNodeOption = Annotated[
    list[str] | None,
    typer.Option(
        "--add-node",
        metavar="FILE|NODE[*COUNT]",
        help="Nodes to add: those of a file, or such as one that is there; web-1*3 are three.",
        autocompletion=completing.nodes,
    ),
]
CordonOption = Annotated[
    list[str] | None,
    typer.Option(
        "--cordon",
        metavar="NODE",
        help="A node that takes no more pods.",
        autocompletion=completing.nodes,
    ),
]
UncordonOption = Annotated[
    list[str] | None,
    typer.Option(
        "--uncordon",
        metavar="NODE",
        help="A node that takes pods again.",
        autocompletion=completing.nodes,
    ),
]
DrainOption = Annotated[
    list[str] | None,
    typer.Option(
        "--drain",
        metavar="NODE[:force]",
        help="A node to drain; what comes next waits for that. With :force also of pods that "
        "nobody recreates.",
        autocompletion=completing.nodes,
    ),
]
ScaleOption = Annotated[
    list[str] | None,
    typer.Option(
        "--scale",
        metavar="KIND/NAME=REPLICAS",
        help="A workload to scale, such as deploy/web=10.",
    ),
]
RestartOption = Annotated[
    list[str] | None,
    typer.Option("--restart", metavar="KIND/NAME", help="A workload whose pods to replace."),
]
