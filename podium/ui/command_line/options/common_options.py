"""The options that several commands have, and their output formats."""

from enum import StrEnum
from typing import Annotated

import typer

from podium.ui.command_line.options.option_fields import option_of

KubeletConfigOption = Annotated[str | None, option_of("kubelet_config")]
StateOption = Annotated[list[str] | None, option_of("state")]
ClusterOption = Annotated[str | None, option_of("kubeconfig")]
KubeconfigOption = Annotated[
    str | None,
    typer.Option(
        "--kubeconfig",
        metavar="FILE",
        help="How to reach the cluster; as for kubectl, if not given.",
    ),
]
ContextOption = Annotated[str | None, option_of("context")]
ConfigOption = Annotated[str | None, option_of("scheduler_config")]
NamespaceOption = Annotated[str, option_of("namespace")]
ServeOption = Annotated[
    bool,
    typer.Option("--serve", help="Show the run in a browser as well: prints a link, until Ctrl-C."),
]
PluginOption = Annotated[list[str] | None, option_of("plugin")]
AssumeHealthyOption = Annotated[bool, option_of("assume_healthy")]
MaxPodsOption = Annotated[int, option_of("max_pods")]


class AdviceOutput(StrEnum):
    """The output formats of commands that give advice."""

    TABLE = "table"
    JSON = "json"
    YAML = "yaml"
    MARKDOWN = "markdown"
    HTML = "html"


class WideOutput(StrEnum):
    """The output formats of commands whose table leaves something out."""

    TABLE = "table"
    WIDE = "wide"
    JSON = "json"
    YAML = "yaml"
    MARKDOWN = "markdown"
    HTML = "html"
