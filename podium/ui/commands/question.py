"""What all questions are: fields with help, an answer, and whether the answer is good.

A question is a frozen dataclass. Its fields are made by `option` and `place`; of them come the
options of its command, the keywords of the library, the dashboard's form and its JSON Schema. Its
docstring is the help of the command. What it takes to answer is imported when it is asked, so that
help, completion and the library start at once.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol, TypeVar

from podium.ui.inputs.option import Texts, local_option, question, text, texts
from podium.ui.inputs.request_options import Rules
from podium.whatif.plan.fail_on import CONDITIONS

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
    """How a question is asked.

    Attributes:
        progress: hears how far it is.
        draws: whether pictures are made of what happens.
        prepare: is handed the cluster in which it happens, and its observer, before it does.
    """

    progress: "Progress"
    draws: bool
    prepare: Callable[..., None] | None


class ClusterAsker(Asker, Protocol):
    """How a question about a cluster is asked: of which one, and how it is played."""

    def read(self, asked: Rules) -> "Asked":
        """Read what is asked about the state; raises PodiumError."""

    def play(
        self, request: "PlanRequest", tell: "PlanProgress", workers: int | None = None
    ) -> "Plan":
        """Play a plan."""


class Question(Generic[A_co]):
    """The base of all questions.

    Attributes:
        formats: in which its answer can be printed besides those of all answers.
        formats_formerly: other names of formats, which the help doesn't list.
        took_files: whether `--output` once named a file, which `--output-file` does now.
        usual_format: in which it is printed unless another one is asked for.
        needs: the packages of the extra `experiments` that it takes to print a format.
    """

    formats: ClassVar[tuple[str, ...]] = ()
    formats_formerly: ClassVar[Mapping[str, str]] = MappingProxyType({})
    took_files: ClassVar[bool] = False
    usual_format: ClassVar[str] = "table"
    needs: ClassVar[Mapping[str, str]] = MappingProxyType({})

    def answer(self, ask: Any) -> A_co:
        """Read what is asked, play it, and report; raises PodiumError.

        Args:
            ask: an `Asker`, or a `ClusterAsker` where a cluster is asked about.
        """
        raise NotImplementedError

    def check_output(self, output: str) -> None:
        """Find out before anything is played whether its answer can be printed in a format."""
        if output in self.needs:
            from podium.ui.inputs.extras import check_extra

            check_extra(f"-o {output}", "experiments", self.needs[output])

    def aside(self) -> "Presentation | str | None":
        """What is printed instead where nothing is asked, such as a list; None to ask."""
        return None

    def exit_code(self, answer: Any) -> int:
        """How its command ends: with 0, or why the answer isn't good."""
        if getattr(answer, "interrupted", False):
            return INTERRUPTED_EXIT_CODE
        return FOUND_EXIT_CODE if self.is_found_wanting(answer) else 0

    def is_found_wanting(self, answer: Any) -> bool:
        """Whether the answer is what the question says mustn't be."""
        return bool(getattr(answer, "failed_on", ()))


@question
class Gated:
    """What a question fails on."""

    fail_on: Texts = local_option(
        f"Exit with code 2 if one of these conditions is met: {', '.join(CONDITIONS)}. A condition "
        "can be restricted, as in preemption:priority>=1000, pending:namespace=shop, "
        "eviction:workload=Deployment* or pending:class=batch. A condition that ends in =allow "
        "lists exceptions, as in preemption:workload=batch/*=allow. [default: none]",
        metavar="CONDITION[,CONDITION]...",
        completes="conditions",
    )
    gates: str | Path | None = local_option(
        "File with further conditions for --fail-on, one per line; # begins a comment.",
        metavar="FILE",
    )

    def conditions(self) -> "list[Gate]":
        """Read the conditions; raises PodiumError."""
        from podium.ui.inputs.inputs import read_gates

        return read_gates(texts(self.fail_on), text(self.gates))
