"""The library's functions, which have the names and options of commands.

The option `--add-node` is the parameter `add_node`. The `Question` type of a command defines its
options; type checkers and `help` see the fields of this type as parameters.
"""

from collections.abc import Callable, Mapping
from dataclasses import MISSING
from enum import Enum
from inspect import Parameter, Signature
from typing import Any, ParamSpec, Protocol, TypeVar, overload

from podium.ui.answers.simulation_answers import ReplayAnswer
from podium.ui.commands.arguments import (
    arguments_of,
    errors_name_arguments,
    question_from,
    type_text,
    value_text,
)
from podium.ui.commands.bench import BenchQuestion
from podium.ui.commands.decide import DecideQuestion
from podium.ui.commands.experiments import CompareQuestion, SweepQuestion
from podium.ui.commands.import_trace import ImportQuestion
from podium.ui.commands.lint import LintQuestion
from podium.ui.commands.question import Question
from podium.ui.commands.simulate import ReplayQuestion, SimulateQuestion
from podium.ui.commands.snapshot import SnapshotQuestion
from podium.ui.inputs.input_error import InputError
from podium.ui.inputs.option import Source, several
from podium.ui.writers.terminal import Progress

P = ParamSpec("P")
Q = ParamSpec("Q")
A = TypeVar("A")
B = TypeVar("B")
A_co = TypeVar("A_co", covariant=True)
B_co = TypeVar("B_co", covariant=True)
Ask = Callable[[Any], Any]


class Asks(Protocol[P, A_co]):
    """A function that makes a `Question` of its arguments and returns the answer."""

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> A_co:
        """Make a question of the arguments, and return its answer."""


class AsksOfSeveral(Protocol[P, A_co]):
    """A function that asks a question, and accepts several values for the first parameter."""

    @overload
    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> A_co: ...
    @overload
    def __call__(self, source: Source, other: Source, /, *more: Source, **kwargs: Any) -> A_co: ...


class AsksEither(Protocol[P, A_co, Q, B_co]):
    """A function that asks one of two questions; the second one has additional parameters."""

    @overload
    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> A_co: ...
    @overload
    def __call__(self, *args: Q.args, **kwargs: Q.kwargs) -> B_co: ...


def asks(kind: Callable[P, Question[A]], summary: str, ask: Ask | None = None) -> Asks[P, A]:
    """Make a function from a question type or, without `ask`, a method of LoadedCluster."""
    return _function(kind, summary, ask)  # type: ignore[no-any-return]


def asks_of_several(
    kind: Callable[P, Question[A]], summary: str, ask: Ask | None = None
) -> AsksOfSeveral[P, A]:
    """Like `asks`, for a question whose first field accepts several positional arguments."""
    return _function(kind, summary, ask, is_of_several=True)  # type: ignore[no-any-return]


def asks_either(
    _: Callable[P, Question[A]],
    kind: Callable[Q, Question[Any]],
    __: type[B],
    summary: str,
    ask: Ask | None = None,
) -> AsksEither[P, A, Q, B]:
    """Like `asks`, for a question of type `kind`, which extends the type of another question."""
    return _function(kind, summary, ask)  # type: ignore[no-any-return]


def _function(kind: Any, summary: str, ask: Ask | None, *, is_of_several: bool = False) -> Any:
    arguments = arguments_of(kind)
    positional = [name for name, (field, _) in arguments.items() if not field.kw_only]
    parameters = [] if ask else [Parameter("self", Parameter.POSITIONAL_ONLY)]
    for name in sorted(arguments, key=lambda name: name not in positional):
        field = arguments[name][0]
        parameter = Parameter(name, Parameter.KEYWORD_ONLY)
        if field.default is not MISSING:
            shown = str(field.default) if isinstance(field.default, Enum) else field.default
            parameter = parameter.replace(default=shown)
        if is_of_several and name == positional[0]:
            parameter = Parameter(name, Parameter.VAR_POSITIONAL)
        elif name in positional and not is_of_several:
            parameter = parameter.replace(kind=Parameter.POSITIONAL_OR_KEYWORD)
        parameters.append(parameter)

    def call(*args: Any, **kwargs: Any) -> Any:
        cluster, *given = (None, *args) if ask else args
        if is_of_several and given:
            given = [[one for value in given for one in several(value)]]
        if len(given) > len(positional):
            names, extra = ", ".join(positional) or "none", value_text(given[len(positional)])
            raise InputError(f"{extra}: needs a keyword; positional arguments are {names}")
        kwargs = {**dict(zip(positional, given, strict=False)), **kwargs}
        with errors_name_arguments(kind):
            return ask(question_from(kind, kwargs)) if ask else cluster.ask(kind, kwargs)

    helps = (
        f"    {name} ({type_text(field)}): {option.help}"
        for name, (field, option) in arguments.items()
    )
    call.__doc__ = "\n".join([summary, "", "Args:", *helps])
    call.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    return call


def name_functions(namespace: Mapping[str, Any]) -> None:
    """Give the functions that `asks` and its like have made the names that they are assigned to."""
    for name, value in namespace.items():
        if getattr(value, "__name__", "") == "call":
            value.__name__ = value.__qualname__ = name


class Alone:
    """The context in which questions without a loaded cluster are answered; shows no progress."""

    prepare: Callable[..., None] | None = None

    def __init__(self, *, draws: bool) -> None:
        self.draws = draws
        self.progress = Progress(None)


def _ask(question: Question[Any]) -> Any:
    # Pictures of comparisons need one more package, and the runs are played once more for them.
    return question.answer(Alone(draws=not isinstance(question, CompareQuestion)))


simulate = asks_either(
    SimulateQuestion,
    ReplayQuestion,
    ReplayAnswer,
    "Simulate a scenario, or replay a recording, as `podium simulate` does.",
    _ask,
)
compare = asks(
    CompareQuestion,
    "Compare two sides over the same scenarios and seeds, as `podium compare` does.",
    _ask,
)
sweep = asks(
    SweepQuestion, "Simulate a grid of settings, or search for the best, as `podium sweep`.", _ask
)
lint = asks_of_several(
    LintQuestion,
    "Find mistakes in manifests, or in a running cluster, as `podium lint` does.",
    _ask,
)
decisions = asks_of_several(
    DecideQuestion, "Schedule scenarios one after another, as `podium decide` does.", _ask
)
snapshot = asks(
    SnapshotQuestion,
    "Read the state of a running cluster, as `podium snapshot` does; the cluster isn't changed.",
    _ask,
)
import_trace = asks(
    ImportQuestion, "Convert the trace of a cluster to a scenario, as `podium import` does.", _ask
)
benchmark = asks_of_several(
    BenchQuestion,
    "Measure workloads, each in a process of its own, as `podium bench` does.\n\n"
    'A script has to call it below `if __name__ == "__main__":`, as these processes import it.',
    _ask,
)
name_functions(globals())
