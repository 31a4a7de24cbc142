"""`podium lint`: what of a cluster, or of manifests, doesn't do what its authors think."""

from difflib import get_close_matches
from enum import StrEnum
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from podium.ui.commands.question import Asker, Question
from podium.ui.inputs.input_error import InputError
from podium.ui.inputs.option import Reach, local_option, option, option_like, question, text
from podium.ui.inputs.request_options import Rules, State

if TYPE_CHECKING:
    from podium.api.presentation import Presentation
    from podium.ui.answers.lint_answer import LintAnswer


class FailOn(StrEnum):
    """From which severity on findings make the command fail."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"
    NEVER = "never"


@question
class LintQuestion(State, Question["LintAnswer"]):
    """Find what is wrong with priorities, budgets, affinity, requests and quotas.

    Without -f, the running cluster is judged, or --kubelet-config alone. With nodes, more rules
    have something to say than with manifests alone. An annotation lint.podium.dev/RULE with a
    reason suppresses what a rule says of an object.
    """

    formats = ("sarif", "junit")
    formats_formerly = MappingProxyType({"text": "table"})

    namespace: str = option_like(Rules, "namespace")
    kubelet_config: str | Path | None = option_like(Rules, "kubelet_config")
    config: str | Path | None = local_option(
        "Which rules count, and how much; .podium-lint.yaml of this directory unless given, "
        "if that is there.",
        metavar="FILE",
    )
    fail_on: FailOn = option(
        "Exit with 2 if anything is found from that on.", default=FailOn.ERROR, reach=Reach.COMMAND
    )
    explain: str | None = option(
        "Print the page about a rule, and exit.", metavar="RULE", reach=Reach.COMMAND
    )
    list_rules: bool = option(
        "List the rules, and exit.", flags=("--list",), default=False, reach=Reach.COMMAND
    )

    def is_found_wanting(self, answer: Any) -> bool:
        """Whether anything is found of the severity that is named, or of a higher one."""
        # Imported when it is asked, so that help, completion and the library start at once.
        from podium.whatif.lint.lint_report import Severity

        return self.fail_on is not FailOn.NEVER and answer.at_least(Severity(self.fail_on))

    def aside(self) -> "Presentation | str | None":
        """The page about a rule, or the list of the rules."""
        from podium.api.presentation import Presentation, Section, Table
        from podium.whatif.lint.catalogue import RULES

        if self.explain is not None:
            if self.explain not in RULES:
                near = get_close_matches(self.explain, RULES)
                hint = f"is {' or '.join(near)} meant?" if near else "podium lint --list lists them"
                raise InputError(f"--explain {self.explain}: there is no such rule; {hint}")
            return RULES[self.explain].text
        if self.list_rules:
            summaries = [rule.summary for rule in RULES.values()]
            rows = [(one.id, str(one.severity), one.title) for one in summaries]
            return Presentation("", "", [Section("", [Table(("Rule", "Severity", "Finds"), rows)])])
        return None

    def answer(self, ask: Asker) -> "LintAnswer":
        """Read what is to be judged, and judge it; raises PodiumError."""
        from podium.ui.answers.lint_answer import LintAnswer
        from podium.ui.inputs.lint_inputs import lint_of
        from podium.ui.inputs.request_options import usual_namespace
        from podium.ui.inputs.state_inputs import files_of

        files, cluster = files_of(self.state), text(self.kubeconfig)
        ask.progress.show("linting")
        place = self.namespace or usual_namespace(files, cluster, self.context)
        kubelet, config = text(self.kubelet_config), text(self.config)
        return LintAnswer.of(lint_of(files, cluster, self.context, place, kubelet, config))
