"""Execution of a command's question, and printing of its answer."""

import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack, redirect_stdout
from typing import TYPE_CHECKING, Any

import typer

from podium.api.values.message_words import and_more
from podium.ui.commands.question import INTERRUPTED_EXIT_CODE, Question
from podium.ui.inputs.input_error import InputError
from podium.ui.inputs.request_options import Rules, State
from podium.ui.writers.ci_reports import junit, sarif
from podium.ui.writers.formats import FORMATS, TERMINAL
from podium.ui.writers.html import to_html
from podium.ui.writers.markdown import to_markdown
from podium.ui.writers.terminal import (
    Progress,
    console,
    print_presentation,
    print_values,
    print_warnings,
    working,
)

if TYPE_CHECKING:
    from podium.ui.answers.answer import Answer
    from podium.ui.command_line.processes.recorded_runs import Recording
    from podium.ui.inputs.inputs import Asked
    from podium.whatif.plan.fail_on import Finding
    from podium.whatif.plan.plan_report import Plan
    from podium.whatif.plan.request import PlanRequest
    from podium.whatif.plan.request import Progress as PlanProgress

_SHOWN_MAX = 10
# Are drawn or written of more than a report has.
_DRAWN = ("html", "png", "csv", "parquet")


class CommandAsker:
    """The context of a question asked by a command: reads the state that its options name."""

    def __init__(self, progress: Progress, state: State | None, *, draws: bool) -> None:
        self.progress = progress
        self.draws = draws
        self.prepare: Callable[..., None] | None = None
        self.recording: Recording | None = None
        self._state = state

    def read(self, asked: Rules) -> "Asked":
        """Read the state, the changes and the rules of a question; raises PodiumError."""
        # Imported when it is called, so that help, completion and the library start at once.
        from podium.ui.inputs.inputs import read_request

        assert self._state is not None
        found = read_request(asked, self._state)
        if self.recording is not None:
            self.recording.asked = found
        return found

    def play(
        self, request: "PlanRequest", tell: "PlanProgress", workers: int | None = None
    ) -> "Plan":
        """Make a plan; the first plan of several is recorded for `--serve`."""
        from podium.api.process.concurrency import core_count
        from podium.whatif.plan.planner import plan

        prepare, self.prepare = self.prepare, None
        return plan(request, tell, workers=workers or core_count(), prepare=prepare)


def is_terminal() -> bool:
    """Return whether standard output is a terminal."""
    return sys.stdout.isatty()


def ask(
    question: Question[Any], state: State | None = None, *, output: str, output_file: str | None
) -> None:
    """Answer a question, print or write the answer, and exit with the question's exit code."""
    output = question.formats_formerly.get(output, output)
    if output not in (*FORMATS, *question.formats):
        output, output_file = question.usual_format, output
    with ExitStack() as stack:
        if output_file not in (None, "-"):
            try:
                file = stack.enter_context(open(str(output_file), "w", encoding="utf-8"))
            except OSError as error:
                raise InputError(f"{output_file}: can't be written: {error.strerror}") from None
            stack.enter_context(redirect_stdout(file))
        aside = question.aside()
        if aside is not None:
            if isinstance(aside, str):
                sys.stdout.write(aside)
            else:
                print_presentation(console(), aside)
            return
        question.check_output(output)
        if output in ("png", "parquet") and is_terminal():
            raise InputError(
                f"-o {output} isn't for a terminal: write it to a file, > run.{output}"
            )
        with working("reading") as progress:
            asker = CommandAsker(progress, state, draws=output in _DRAWN)
            if getattr(question, "serve", False):
                # Few runs are served.
                from podium.ui.command_line.processes.recorded_runs import Recording

                asker.recording = Recording()
                asker.prepare = asker.recording.begin
            answer = question.answer(asker)
        print_answer(answer, output)
    if asker.recording is not None:
        asker.recording.serve(answer, getattr(question, "port", 0))
    code = question.exit_code(answer)
    if code != INTERRUPTED_EXIT_CODE:
        print_findings(answer)
    if code:
        raise typer.Exit(code)


def print_answer(answer: "Answer", output: str) -> None:
    """Print an answer; warnings that the format leaves out are printed to standard error."""
    if output in answer.warns:
        print_warnings(getattr(answer, "warnings", ()))
    own = answer.written(output)
    if isinstance(own, bytes):
        sys.stdout.flush()
        sys.stdout.buffer.write(own)
        sys.stdout.buffer.flush()
    elif own is not None:
        sys.stdout.write(own)
    elif output in TERMINAL:
        is_wide = output == "wide"
        print_presentation(console(), answer.printed(wide=is_wide), wide=is_wide)
    elif output in ("json", "yaml"):
        print_values(answer.values(), output)
    elif output == "sarif":
        print_values(sarif(answer.ci_report()), "json")
    elif output == "junit":
        print(junit(answer.ci_report()))
    else:
        print((to_html if output == "html" else to_markdown)(answer.presentation()), end="")


def print_findings(answer: Any) -> None:
    """Print the findings by condition, and the number of findings that exceptions allow."""
    err = console(stderr=True)
    if gates := getattr(answer, "gates", ()):
        # Most answers have none.
        from podium.whatif.plan.fail_on import let_through

        by_gate: dict[str, list[Finding]] = {}
        for finding, gate in let_through(answer, gates):
            by_gate.setdefault(gate.text, []).append(finding)
        for text, through in by_gate.items():
            times = sum(one.count for one in through)
            places = ", ".join(sorted({one.namespace or one.object for one in through}))
            err.print(f"let through by {text}: {times}, in {places}")
    findings: Sequence[Finding] = getattr(answer, "failed_on", ())
    for condition in dict.fromkeys(one.condition for one in findings):
        alike: dict[tuple[str, str], list[Finding]] = {}
        for one in findings:
            if one.condition == condition:
                alike.setdefault((one.workload, one.message), []).append(one)
        times = sum(one.count for group in alike.values() for one in group)
        err.print(f"failed on {condition}: {times} of them", style="red")
        for first, *others in [*alike.values()][:_SHOWN_MAX]:
            err.print(f"  {first.object} {first.message}")
            if others:
                err.print(f"    and {len(others)} more of {first.workload}")
        for more in and_more(len(alike) - _SHOWN_MAX):
            err.print(f"  {more}")
