"""The options that several commands have, and the error of what they can't mean.

Nothing here takes long to import: help and completion need no more than this.
"""

from typing import Annotated

import typer

from podium.api.errors import PodiumError
from podium.ui.command_line.options import completion

KubeletConfigOption = Annotated[
    str | None,
    typer.Option(
        "--kubelet-config",
        metavar="FILE",
        help="A KubeletConfiguration (v1beta1), for the eviction thresholds of nodes.",
    ),
]
StateOption = Annotated[
    list[str] | None,
    typer.Option(
        "--filename",
        "-f",
        metavar="FILE|DIR|-",
        help="The state of the cluster, instead of a running one; may be given several times.",
    ),
]
ClusterOption = Annotated[
    str | None,
    typer.Option(
        "--kubeconfig",
        metavar="FILE",
        help="Where the running cluster is; the one that kubectl goes to unless given. Needs "
        "podium[client].",
    ),
]
KubeconfigOption = Annotated[
    str | None,
    typer.Option(
        "--kubeconfig",
        metavar="FILE",
        help="How to reach the cluster; as for kubectl, if not given.",
    ),
]
ContextOption = Annotated[
    str | None,
    typer.Option(
        "--context",
        metavar="NAME",
        help="Of the kubeconfig; its current one unless given.",
        autocompletion=completion.contexts,
    ),
]
ConfigOption = Annotated[
    str | None,
    typer.Option(
        "--scheduler-config",
        metavar="FILE",
        help="A KubeSchedulerConfiguration (v1); without it, the default profile decides.",
    ),
]
NamespaceOption = Annotated[
    str,
    typer.Option(
        "--namespace",
        "-n",
        metavar="NAMESPACE",
        help="Where objects are that don't say; that of the context, or default.",
        autocompletion=completion.namespaces,
    ),
]
ServeOption = Annotated[
    bool,
    typer.Option("--serve", help="Show the run in a browser as well: prints a link, until Ctrl-C."),
]
PluginOption = Annotated[
    list[str] | None,
    typer.Option(
        "--plugin",
        metavar="FILE:CLASS",
        help="A plugin to enable, from a Python file; may be given several times.",
    ),
]
AssumeHealthyOption = Annotated[
    bool,
    typer.Option(
        "--assume-healthy",
        help="Have pods of the state that aren't ready, crash loops included, and nodes that "
        "aren't Ready become so at the start; otherwise they stay as they are.",
    ),
]
MaxPodsOption = Annotated[
    int,
    typer.Option(
        "--max-pods",
        metavar="N",
        min=0,
        help="How many new pods workloads may ask for; more is taken for a mistake.",
    ),
]


class InputError(PodiumError):
    """The command line asks for something that can't be had."""
