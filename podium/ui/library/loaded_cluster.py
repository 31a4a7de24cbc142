"""A cluster's state that is read and loaded once, and asked about as often as one likes."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

from podium.api.objects import Object
from podium.api.presentation import Bullets, Presentation, Section
from podium.api.process.concurrency import core_count
from podium.cluster.manifests import Manifests
from podium.ui.answers.capacity_answers import NodesAnswer
from podium.ui.answers.lint_answer import LintAnswer
from podium.ui.answers.snapshot_answers import objects_by_kind
from podium.ui.commands.capacity import CapacityQuestion, NodesQuestion
from podium.ui.commands.disturbances import DrainQuestion, FailQuestion
from podium.ui.commands.explain import EvictionQuestion, ExplainQuestion
from podium.ui.commands.lint import LintQuestion
from podium.ui.commands.plan import PlanQuestion
from podium.ui.commands.question import Question
from podium.ui.commands.resilience import ResilienceQuestion
from podium.ui.commands.rollout import RolloutQuestion
from podium.ui.commands.words import made, words_of
from podium.ui.inputs.inputs import Asked, request_on
from podium.ui.inputs.option import question
from podium.ui.inputs.request_options import Rules, State, usual_namespace
from podium.ui.inputs.state_inputs import read_state
from podium.ui.library.functions import Alone
from podium.ui.library.words import asks, asks_either, asks_of_several
from podium.ui.writers.html import to_html_fragment
from podium.whatif.plan.plan_report import Plan
from podium.whatif.plan.planner import Planner, plan
from podium.whatif.plan.request import LoadedState, PlanRequest
from podium.whatif.plan.request import Progress as PlanProgress


class LoadedCluster:
    """A state to ask about. No question changes it.

    What is asked is what the command of the same name is asked, in the same words: `--add-node`
    is `add_node`, and what may be given several times takes a list. Changes are made in the order
    in which they stand.

    Args:
        state: where it was read.
        rules: hold for all questions, unless one says otherwise.
    """

    def __init__(self, manifests: Manifests, state: State, rules: Mapping[str, Any]) -> None:
        self.warnings = tuple(manifests.warnings)
        self.notes = tuple(manifests.notes)
        self._manifests = manifests
        self._from = state
        self._rules = rules
        self._planner: Planner | None = None

    plan = asks(PlanQuestion, "What changes would do, as `podium plan` tells it.")
    explain = asks(
        ExplainQuestion, "Why a pod is where it is, or isn't, as `podium explain` tells it."
    )
    explain_eviction = asks(
        EvictionQuestion,
        "In which order a node under pressure evicts its pods, as `podium explain --eviction`.",
    )
    drain = asks_of_several(
        DrainQuestion, "What draining nodes one after the other does, as `podium drain` tells it."
    )
    fail = asks_of_several(
        FailQuestion, "What the failure of nodes and zones at once does, as `podium fail` tells it."
    )
    resilience = asks_of_several(
        ResilienceQuestion,
        "Which drains and failures the cluster withstands, as `podium resilience` tells it.",
    )
    capacity = asks_either(
        CapacityQuestion,
        NodesQuestion,
        NodesAnswer,
        "How many more pods fit, or which nodes to add, as `podium capacity` tells it.",
    )
    rollout = asks(
        RolloutQuestion,
        "An order in which to introduce priority classes, as `podium rollout` finds it.",
    )

    def lint(self, *, config: str | Path | None = None) -> LintAnswer:
        """What is wrong with it, as `podium lint` tells it; what it was read from is read again."""
        known = {**self._rules, **{name: getattr(self._from, name) for name in words_of(State)}}
        words = {name: value for name, value in known.items() if name in words_of(LintQuestion)}
        return made(LintQuestion, {**words, "config": config}).answer(Alone(draws=True))

    @property
    def objects(self) -> Sequence[Object]:
        """The objects of the state; they mustn't be changed."""
        return self._state.objects

    @cached_property
    def _state(self) -> LoadedState:
        return LoadedState([one.obj for one in self._manifests.objects], self._manifests.read_s)

    def ask(self, kind: Callable[..., Question[Any]], words: Mapping[str, Any]) -> Any:
        """Ask a question in these words and by the rules; raises PodiumError."""
        return made(kind, {**self._rules, **words}).answer(_Loaded(self))

    def _repr_html_(self) -> str:
        sections = [
            Section("", [objects_by_kind(self.objects)]),
            Section("Warnings", [Bullets(self.warnings)]),
        ]
        return to_html_fragment(Presentation("Cluster", repr(self)[1:-1], sections))

    def __repr__(self) -> str:
        kinds = Counter(str(one["kind"]) for one in self.objects)
        return f"<Cluster of {kinds['Node']} nodes and {kinds['Pod']} pods>"

    def read(self, asked: Rules) -> Asked:
        """What is asked about the state; raises PodiumError."""
        found = request_on(asked, lambda: self._manifests)
        return replace(found, request=replace(found.request, state=self._state))

    def play(self, request: PlanRequest, workers: int | None) -> Plan:
        """A plan, which begins where the one before did if its rules are the same."""
        if request.seeds > 1:
            return plan(request, workers=workers or core_count())
        if self._planner is None or not self._planner.accepts(request):
            self._planner = Planner(request)
        return self._planner.plan_request(request)


class _Loaded(Alone):
    """The asker of questions about a loaded state."""

    def __init__(self, cluster: LoadedCluster) -> None:
        super().__init__(draws=True)
        self.read = cluster.read
        self._cluster = cluster

    def play(self, request: PlanRequest, _: PlanProgress, workers: int | None = None) -> Plan:
        return self._cluster.play(request, workers)


@question
class LoadQuestion(Rules, State, Question[LoadedCluster]):
    """Read the state of a cluster: files, directories or objects; without any, a running cluster.

    The rules hold for all questions, unless one says otherwise.
    """


def _load(asked: LoadQuestion) -> LoadedCluster:
    where = asked.state, asked.kubeconfig, asked.context
    namespace = asked.namespace or usual_namespace(*where)
    rules = {name: getattr(asked, name) for name in words_of(Rules)}
    return LoadedCluster(read_state(asked, namespace), asked, {**rules, "namespace": namespace})


load = asks_of_several(LoadQuestion, LoadQuestion.__doc__ or "", _load)
