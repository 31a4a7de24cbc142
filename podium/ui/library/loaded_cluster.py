"""A cluster state that is read once, for any number of plans, explanations and other reports."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

from podium.api.objects import Object
from podium.api.presentation import Bullets, Presentation, Section
from podium.api.process.concurrency import core_count
from podium.api.values.message_words import count
from podium.cluster.manifests.manifest_sources import Manifests
from podium.ui.answers.lint_answer import LintAnswer
from podium.ui.answers.snapshot_answers import objects_by_kind
from podium.ui.answers.whatif_answers import NodesAnswer
from podium.ui.commands.arguments import arguments_of, question_from
from podium.ui.commands.capacity import CapacityQuestion, NodesQuestion
from podium.ui.commands.disturbances import DrainQuestion, FailQuestion
from podium.ui.commands.explain import ExplainQuestion, RankingQuestion
from podium.ui.commands.lint import LintQuestion
from podium.ui.commands.plan import PlanQuestion
from podium.ui.commands.question import Question
from podium.ui.commands.resilience import ResilienceQuestion
from podium.ui.commands.rollout import RolloutQuestion
from podium.ui.inputs.inputs import Asked, request_on
from podium.ui.inputs.request_options import Rules, State, usual_namespace
from podium.ui.inputs.state_inputs import read_state
from podium.ui.library.functions import Alone, asks, asks_either, asks_of_several, name_functions
from podium.ui.writers.html import to_html_fragment
from podium.whatif.plan.plan_report import Plan
from podium.whatif.plan.planner import Planner, plan
from podium.whatif.plan.request import LoadedState, PlanRequest
from podium.whatif.plan.request import Progress as PlanProgress


class LoadedCluster:
    """A loaded state of a cluster, which no method changes.

    Each method does what the command of the same name does, with the options as parameters: the
    option `--add-node` is `add_node`, and a repeatable option takes a list. Changes are made in the
    order of the arguments.

    Args:
        state: options that say where the state was read.
        rules: default arguments of all methods, such as `config` and `namespace`.
    """

    def __init__(self, manifests: Manifests, state: State, rules: Mapping[str, Any]) -> None:
        self.warnings = tuple(manifests.warnings)
        self.notes = tuple(manifests.notes)
        self._manifests = manifests
        self._from = state
        self._rules = rules
        self._planner: Planner | None = None

    plan = asks(PlanQuestion, "Plan changes, as `podium plan` does.")
    explain = asks(ExplainQuestion, "Explain the decision about a pod, as `podium explain` does.")
    explain_eviction = asks(
        RankingQuestion,
        "Rank the pods of a node under pressure, as `podium explain --eviction` does.",
    )
    drain = asks_of_several(
        DrainQuestion, "Drain nodes one after the other, as `podium drain` does."
    )
    fail = asks_of_several(FailQuestion, "Let nodes and zones fail at once, as `podium fail` does.")
    resilience = asks_of_several(
        ResilienceQuestion,
        "Try drains and failures, and rank their effects, as `podium resilience` does.",
    )
    capacity = asks_either(
        CapacityQuestion,
        NodesQuestion,
        NodesAnswer,
        "Count the pods that fit, or find nodes to add, as `podium capacity` does.",
    )
    rollout = asks(
        RolloutQuestion,
        "Find an order in which to introduce priority classes, as `podium rollout` does.",
    )

    def lint(self, *, config: str | Path | None = None) -> LintAnswer:
        """Find mistakes, as `podium lint` does; this reads the files or the cluster again."""
        known = {**self._rules, **{name: getattr(self._from, name) for name in arguments_of(State)}}
        of_lint = {name: known[name] for name in arguments_of(LintQuestion) if name in known}
        return question_from(LintQuestion, {**of_lint, "config": config}).answer(Alone(draws=True))

    @property
    def objects(self) -> Sequence[Object]:
        """The objects of the state, which must not be changed."""
        return self._state.objects

    @cached_property
    def _state(self) -> LoadedState:
        return LoadedState([obj.obj for obj in self._manifests.objects], self._manifests.read_s)

    def ask(self, kind: Callable[..., Question[Any]], arguments: Mapping[str, Any]) -> Any:
        """Answer a question with these arguments and the default ones; raises PodiumError."""
        return question_from(kind, {**self._rules, **arguments}).answer(_Loaded(self))

    def _repr_html_(self) -> str:
        sections = [
            Section("", [objects_by_kind(self.objects)]),
            Section("Warnings", [Bullets(self.warnings)]),
        ]
        return to_html_fragment(Presentation("Cluster", repr(self)[1:-1], sections))

    def __repr__(self) -> str:
        kinds = Counter(str(obj["kind"]) for obj in self.objects)
        return f"<Cluster of {count(kinds['Node'], 'node')} and {count(kinds['Pod'], 'pod')}>"

    def read(self, asked: Rules) -> Asked:
        """Return a request about the loaded state, with a question's rules; raises PodiumError."""
        request = request_on(asked, lambda: self._manifests)
        return replace(request, request=replace(request.request, state=self._state))

    def play(self, request: PlanRequest, workers: int | None) -> Plan:
        """Make a plan. Plans with equal rules start from the same loaded cluster, to save time."""
        if request.seeds > 1:
            return plan(request, workers=workers or core_count())
        if self._planner is None or not self._planner.accepts(request):
            self._planner = Planner(request)
        return self._planner.plan_request(request)


class _Loaded(Alone):
    """The context in which questions about a loaded cluster are answered."""

    def __init__(self, cluster: LoadedCluster) -> None:
        super().__init__(draws=True)
        self.read = cluster.read
        self._cluster = cluster

    def play(self, request: PlanRequest, _: PlanProgress, workers: int | None = None) -> Plan:
        return self._cluster.play(request, workers)


class LoadQuestion(Rules, State, Question[LoadedCluster]):
    """Read the state of a cluster from files, directories, objects, or else a running cluster.

    The methods of the result use the given rules, unless they are called with others.
    """


def _load(asked: LoadQuestion) -> LoadedCluster:
    where = asked.state, asked.kubeconfig, asked.context
    namespace = asked.namespace or usual_namespace(*where)
    rules = {name: getattr(asked, name) for name in arguments_of(Rules)}
    return LoadedCluster(read_state(asked, namespace), asked, {**rules, "namespace": namespace})


load = asks_of_several(LoadQuestion, LoadQuestion.__doc__ or "", _load)
name_functions({**vars(LoadedCluster), "load": load})
