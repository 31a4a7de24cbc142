"""The base of questions: commands as dataclasses of options, with an answer and an exit code.

A question is a frozen dataclass, whose fields are made by `option` and `place`. The command's
options, the library's parameters, the dashboard's form and the JSON Schema are derived from these
fields; the docstring is the command's help. What an answer needs is imported by `Question.answer`,
so that help, completion and the library start at once.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol, TypeVar

from podium.ui.inputs.input_error import check_extra
from podium.ui.inputs.option import Options, Reach, Texts, local_option, option, text, texts
from podium.ui.inputs.request_options import Rules
from podium.whatif.plan.fail_on import MEANINGS

if TYPE_CHECKING:
    from podium.api.presentation import Presentation
    from podium.ui.inputs.inputs import Asked
    from podium.ui.writers.terminal import Progress
    from podium.whatif.plan.fail_on import Gate
    from podium.whatif.plan.plan_report import Plan
    from podium.whatif.plan.request import PlanRequest
    from podium.whatif.plan.request import Progress as PlanProgress

A_co = TypeVar("A_co", covariant=True)

FAILED_EXIT_CODE = 1
FOUND_EXIT_CODE = 2
# As shells have it of a command that Ctrl-C has ended.
INTERRUPTED_EXIT_CODE = 130


class Asker(Protocol):
    """The context in which a question is answered: a command, the library, or the dashboard."""

    progress: "Progress"
    draws: bool
    """Whether the answer needs pictures."""
    prepare: Callable[..., None] | None
    """Called with the cluster, and its observer if any, before the simulation."""


class ClusterAsker(Asker, Protocol):
    """The context in which a question about a cluster is answered: reads the state, makes plans."""

    def read(self, asked: Rules) -> "Asked":
        """Read the state, the changes and the rules of a question; raises PodiumError."""

    def play(
        self, request: "PlanRequest", tell: "PlanProgress", workers: int | None = None
    ) -> "Plan":
        """Make a plan."""


class Question(Options, Generic[A_co]):
    """The base of all questions: the options of a command, which make an answer."""

    formats: ClassVar[tuple[str, ...]] = ()
    """Output formats besides those that all questions have."""
    formats_formerly: ClassVar[Mapping[str, str]] = MappingProxyType({})
    """Former names of formats, which the help doesn't list."""
    took_files: ClassVar[bool] = False
    """Whether `--output` once named a file, as `--output-file` does now."""
    usual_format: ClassVar[str] = "table"
    needs: ClassVar[Mapping[str, str]] = MappingProxyType({})
    """Packages of the extra `experiments` that formats need, by format."""

    def answer(self, ask: Any) -> A_co:
        """Answer the question; raises PodiumError."""
        raise NotImplementedError

    def check_output(self, output: str) -> None:
        """Raise InputError if a package that an output format needs isn't installed."""
        if output in self.needs:
            check_extra(f"-o {output}", "experiments", self.needs[output])

    def aside(self) -> "Presentation | str | None":
        """Return what the command prints instead of an answer, such as a list; None to answer."""
        return None

    def exit_code(self, answer: Any) -> int:
        """Return the exit code of the command after an answer."""
        if getattr(answer, "interrupted", False):
            return INTERRUPTED_EXIT_CODE
        return FOUND_EXIT_CODE if self.is_found_wanting(answer) else 0

    def is_found_wanting(self, answer: Any) -> bool:
        """Return whether the answer meets a condition on which the command exits with code 2."""
        return bool(getattr(answer, "failed_on", ()))


class Gated(Options):
    """Options with the conditions on which a command fails."""

    fail_on: Texts = local_option("CONDITION[,CONDITION]...", completes="conditions").help(f"""
        Exit with code 2 if one of these conditions is met: {
        ", ".join(f"{name} ({meaning})" for name, meaning in MEANINGS.items())
    }. A condition can be restricted by priority, namespace, class and workload ("KIND
        NAMESPACE/NAME", or without KIND; * stands for any text), as in preemption:priority>=1000,
        pending:namespace=shop or eviction:workload=Deployment*. With =allow at the end it exempts
        what it matches, as in preemption:workload=batch/*=allow. [default: none]""")
    gates: str | Path | None = local_option("FILE").help("""
        File with further conditions for --fail-on, one per line; # begins a comment.""")

    def conditions(self) -> "list[Gate]":
        """Read the conditions to fail on; raises PodiumError."""
        from podium.ui.inputs.inputs import read_gates

        return read_gates(texts(self.fail_on), text(self.gates))


class Served(Options):
    """Options to serve the run of a question as a web page."""

    serve: bool = option(default=False, reach=Reach.COMMAND).help("""
        Serve the run as a page for the browser, print the link to it, and wait for Ctrl-C.""")
    port: int = option("PORT", default=0, min=0, max=65535, reach=Reach.COMMAND).help("""
        Port of this machine for --serve; 0 picks any free port.""")
