"""`podium lint`: objects of a cluster or of manifests that don't do what they seem to do."""

from difflib import get_close_matches
from enum import StrEnum
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from podium.ui.commands.question import Asker, Question
from podium.ui.inputs.input_error import InputError
from podium.ui.inputs.option import Reach, local_option, option, option_like, text
from podium.ui.inputs.request_options import Rules, State

if TYPE_CHECKING:
    from podium.api.presentation import Presentation
    from podium.ui.answers.lint_answer import LintAnswer


class FailOn(StrEnum):
    """The lowest severity of findings with which the command fails."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"
    NEVER = "never"


class LintQuestion(State, Question["LintAnswer"]):
    """Find mistakes in priorities, disruption budgets, affinity, requests and quotas.

    Checks the running cluster, the manifests of -f, or a --kubelet-config alone. Some rules need
    the nodes of the cluster. The annotation lint.podium.dev/RULE on an object, with a reason as
    value, suppresses the findings of a rule about it.
    """

    formats = ("sarif", "junit")
    formats_formerly = MappingProxyType({"text": "table"})

    namespace: str = option_like(Rules, "namespace")
    kubelet_config: str | Path | None = option_like(Rules, "kubelet_config")
    config: str | Path | None = local_option("FILE").help("""
        LintConfiguration that enables rules and sets their severities. [default: .podium-lint.yaml
        in this directory, if there is one]""")
    fail_on: FailOn = option(default=FailOn.ERROR, reach=Reach.COMMAND).help("""
        Exit with code 2 if there is a finding of this or a higher severity.""")
    explain: str | None = option("RULE", reach=Reach.COMMAND).help("""
        Print the documentation of a rule, and exit.""")
    list_rules: bool = option(default=False, flags=("--list",), reach=Reach.COMMAND).help("""
        List the rules, and exit.""")

    def is_found_wanting(self, answer: Any) -> bool:
        # Imported when it is asked, so that help, completion and the library start at once.
        from podium.whatif.lint.lint_report import Severity

        return self.fail_on is not FailOn.NEVER and answer.at_least(Severity(self.fail_on))

    def aside(self) -> "Presentation | str | None":
        from podium.api.presentation import Presentation, Section, Table
        from podium.whatif.lint.linter import RULES

        if self.explain is not None:
            if self.explain not in RULES:
                near = get_close_matches(self.explain, RULES)
                hint = f"is {' or '.join(near)} meant?" if near else "podium lint --list lists them"
                raise InputError(f"--explain {self.explain}: there is no such rule; {hint}")
            return RULES[self.explain].text
        if self.list_rules:
            summaries = [rule.summary for rule in RULES.values()]
            rows = [(summary.id, str(summary.severity), summary.title) for summary in summaries]
            return Presentation("", "", [Section("", [Table(("Rule", "Severity", "Finds"), rows)])])
        return None

    def answer(self, ask: Asker) -> "LintAnswer":
        from podium.ui.answers.lint_answer import LintAnswer
        from podium.ui.inputs.lint_inputs import lint_of
        from podium.ui.inputs.request_options import usual_namespace

        ask.progress.show("linting")
        namespace = self.namespace or usual_namespace(self.state, self.kubeconfig, self.context)
        report = lint_of(self, namespace, text(self.kubelet_config), text(self.config))
        return LintAnswer.of(report)
