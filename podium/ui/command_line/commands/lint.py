"""`podium lint`: what of a cluster, or of manifests, doesn't do what its authors think."""

from enum import StrEnum
from typing import Annotated

import typer

from podium.ui.command_line.exits import FAILED_ON_EXIT_CODE
from podium.ui.command_line.options.common_options import (
    ClusterOption,
    ContextOption,
    KubeletConfigOption,
    NamespaceOption,
    StateOption,
)
from podium.ui.inputs.namespaces import usual_namespace
from podium.ui.writers.console import working


class LintOutput(StrEnum):
    """The output formats of `podium lint`."""

    TEXT = "text"
    WIDE = "wide"
    JSON = "json"
    SARIF = "sarif"
    JUNIT = "junit"
    MARKDOWN = "markdown"
    HTML = "html"


class FailOn(StrEnum):
    """From which severity on findings make the command fail."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"
    NEVER = "never"


LintConfigOption = Annotated[
    str | None,
    typer.Option(
        metavar="FILE",
        help="Which rules count, and how much; .podium-lint.yaml of this directory unless given, "
        "if that is there.",
    ),
]
FailOnOption = Annotated[
    FailOn, typer.Option(help="Exit with 2 if anything is found from that on.")
]
ExplainOption = Annotated[
    str | None,
    typer.Option(metavar="RULE", help="Print the page about a rule, and exit."),
]
ListOption = Annotated[bool, typer.Option("--list", help="List the rules, and exit.")]


def lint(
    state: StateOption = None,
    kubeconfig: ClusterOption = None,
    context: ContextOption = None,
    namespace: NamespaceOption = "",
    kubelet_config: KubeletConfigOption = None,
    config: LintConfigOption = None,
    fail_on: FailOnOption = FailOn.ERROR,
    output: Annotated[
        LintOutput, typer.Option("--output", "-o", help="How to print what is found.")
    ] = LintOutput.TEXT,
    explain: ExplainOption = None,
    list_rules: ListOption = False,
) -> None:
    """Find what is wrong with priorities, budgets, affinity, requests and quotas.

    Without -f, the running cluster is judged, or --kubelet-config alone. With nodes, more rules
    have something to say than with manifests alone. An annotation lint.podium.dev/RULE with a
    reason suppresses what a rule says of an object.
    """
    if list_rules or explain is not None:
        # Imported when it is called, so that help, completion and the library start at once.
        from podium.ui.command_line.output.lint_output import page_of, print_rules

        if explain is None:
            print_rules()
        else:
            print(page_of(explain), end="")
        return
    from podium.ui.inputs.lint_inputs import lint_of

    with working("linting"):
        place = namespace or usual_namespace(state, kubeconfig, context)
        report = lint_of(state, kubeconfig, context, place, kubelet_config, config)
    from podium.ui.command_line.output.lint_output import print_lint
    from podium.whatif.lint.lint_report import Severity

    print_lint(report, output)
    if fail_on is not FailOn.NEVER and report.at_least(Severity(fail_on)):
        raise typer.Exit(FAILED_ON_EXIT_CODE)
