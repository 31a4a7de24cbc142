"""A cluster's state that is read and loaded once, and asked about as often as one likes."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Unpack, overload

import msgspec

from podium.api.objects import Object
from podium.api.presentation import Bullets, Presentation, Section
from podium.api.process.concurrency import core_count
from podium.cluster.manifests import File, Manifests
from podium.ui.inputs.extras import check_extra
from podium.ui.inputs.inputs import Asked, request_on
from podium.ui.inputs.namespaces import usual_namespace
from podium.ui.inputs.request_options import ChangeOptions, RuleOptions, SourceOptions
from podium.ui.inputs.state_inputs import read_state
from podium.ui.library.cluster_answers import (
    CapacityAnswer,
    ExplanationAnswer,
    ImpactAnswer,
    LintAnswer,
    NodesAnswer,
    PlanAnswer,
    RankingAnswer,
    ResilienceAnswer,
    RolloutAnswer,
)
from podium.ui.library.snapshot_answers import objects_by_kind
from podium.ui.library.words import (
    Changes,
    Rules,
    Source,
    Texts,
    files_of,
    request_options,
    several,
)
from podium.ui.writers.html import to_html_fragment
from podium.whatif.plan.loaded_state import LoadedState
from podium.whatif.plan.plan_report import Plan
from podium.whatif.plan.plans import Plans
from podium.whatif.plan.request import NEXT_PODS_MAX, PlanRequest

if TYPE_CHECKING:
    from podium.whatif.resilience.disturbance import Disturbance


def load(
    *state: Source,
    kubeconfig: str | Path | None = None,
    context: str | None = None,
    **rules: Unpack[Rules],
) -> "LoadedCluster":
    """Read the state of a cluster: files, directories or objects; without any, a running cluster.

    Args:
        state: what `kubectl get -o yaml` prints, or objects.
        kubeconfig: of a running cluster; the one that kubectl goes to if None.
        rules: hold for all questions, unless one says otherwise.
    """
    where = StateSource(files_of(state), None if kubeconfig is None else str(kubeconfig), context)
    namespace = rules.get("namespace") or usual_namespace(
        where.sources, where.kubeconfig, where.context
    )
    rules["namespace"] = namespace
    read = read_state(where.sources, where.kubeconfig, where.context, namespace)
    return LoadedCluster(read, where, rules)


class StateSource(msgspec.Struct, frozen=True):
    """Where a state is: in files, or in a running cluster if there are none."""

    sources: Sequence[str | File]
    kubeconfig: str | None
    context: str | None


class LoadedCluster:
    """A state to ask about. No question changes it.

    What is asked is what the command of the same name is asked, in the same words: `--add-node`
    is `add_node`, and what may be given several times takes a list. Changes are made in the order
    in which they stand.

    Args:
        rules: hold for all questions, unless one says otherwise.
    """

    def __init__(self, manifests: Manifests, place: StateSource, rules: Rules) -> None:
        self.warnings = tuple(manifests.warnings)
        self.notes = tuple(manifests.notes)
        self._manifests = manifests
        self._place = place
        self._rules = rules
        self._plans: Plans | None = None

    @property
    def objects(self) -> Sequence[Object]:
        """The objects of the state; they mustn't be changed."""
        return self._state.objects

    @cached_property
    def _state(self) -> LoadedState:
        return LoadedState([one.obj for one in self._manifests.objects], self._manifests.read_s)

    def plan(
        self,
        *,
        seeds: int = 1,
        workers: int | None = None,
        alternatives: int = 100,
        optimal: bool = False,
        optimal_seconds: float = 60.0,
        **changes: Unpack[Changes],
    ) -> PlanAnswer:
        """What changes would do, as `podium plan` tells it.

        Args:
            seeds: how often to play it, to see what depends on chance.
            workers: how many processes play the seeds; one a core if None.
            alternatives: how many other candidates each preemption tells of.
            optimal: whether to compare it with the least disruption; needs `podium[optimal]`.
            optimal_seconds: for how long to look for that.
            changes: what is changed, and by which rules.
        """
        asked = self._asked(changes)
        request = replace(asked.request, seeds=seeds, alternatives_max=alternatives, draws=True)
        request = replace(request, next_pods_max=NEXT_PODS_MAX)
        found = self._played(request, workers)
        if optimal:
            check_extra("optimal=True", "optimal")
            # Imported when it is called, so that help, completion and the library start at once.
            from podium.whatif.plan.optimum_comparison import with_optimum

            found = with_optimum(found, request, optimal_seconds)
        return PlanAnswer.of(asked.told_in(found))

    def explain(self, pod: str, **changes: Unpack[Changes]) -> ExplanationAnswer:
        """Why a pod is where it is, or isn't, as `podium explain` tells it.

        Args:
            pod: `[NAMESPACE/]POD`, or a workload such as `deploy/web`.
            changes: what is changed first, and by which rules.

        Raises:
            PodiumError: there is no such pod, or anything can't be read.
        """
        from podium.whatif.explain.pod_explanations import explain_named

        asked = self._asked(changes)
        _, source, _ = self._options(changes)
        found = explain_named(asked.request, pod, source.namespace)
        return ExplanationAnswer.of(asked.told_in(found))

    def explain_eviction(
        self, node: str, signal: str = "memory.available", **changes: Unpack[Changes]
    ) -> RankingAnswer:
        """In which order a node under pressure evicts its pods, as `podium explain --eviction`."""
        from podium.kubelet.eviction.signals import Signal
        from podium.whatif.explain.eviction_rankings import rank_evictions

        request = self._asked(changes).request
        found = rank_evictions(request, node.removeprefix("node/"), Signal(signal))
        return RankingAnswer.of(found)

    def drain(self, *nodes: str, force: bool = False, **rules: Unpack[Rules]) -> ImpactAnswer:
        """What draining nodes one after the other does, as `podium drain` tells it."""
        from podium.whatif.resilience.disturbance import drain_of

        return self._impact(drain_of(self.objects, nodes, force=force), rules)

    def fail(self, *places: str, **rules: Unpack[Rules]) -> ImpactAnswer:
        """What the failure of nodes and zones at once does, as `podium fail` tells it."""
        from podium.whatif.resilience.disturbance import failure_of

        return self._impact(failure_of(self.objects, places), rules)

    def resilience(
        self,
        *nodes: str,
        pairs: bool = False,
        drains: bool = True,
        spare_room: bool = True,
        worst: int = 10,
        workers: int | None = None,
        **rules: Unpack[Rules],
    ) -> ResilienceAnswer:
        """Which drains and failures the cluster withstands, as `podium resilience` tells it."""
        from podium.whatif.resilience.resilience import ResilienceRequest, resilience

        asked = self._asked(rules)
        tried = ResilienceRequest(asked.request, nodes, drains, pairs, spare_room, worst)
        found, _ = resilience(tried, workers or core_count())
        return ResilienceAnswer.of(replace(found, warnings=asked.warnings, notes=asked.notes))

    @overload
    def capacity(
        self, pod: Texts = (), *, node_shape: Texts, tries: int = 200, **changes: Unpack[Changes]
    ) -> NodesAnswer: ...
    @overload
    def capacity(
        self, pod: Texts, *, preempt: bool = False, limit: int = 10_000, **changes: Unpack[Changes]
    ) -> CapacityAnswer: ...
    def capacity(
        self,
        pod: Texts = (),
        *,
        preempt: bool = False,
        limit: int = 10_000,
        node_shape: Texts = (),
        tries: int = 200,
        **changes: Unpack[Changes],
    ) -> CapacityAnswer | NodesAnswer:
        """How many more pods fit, or which nodes to add, as `podium capacity` tells it.

        Args:
            pod: templates, each `FILE` or `KIND/NAME`, with `*COUNT` for that many in a round.
            preempt: whether to find out how many get a place if others give way.
            limit: how many pods to create at most.
            node_shape: nodes to choose from at least cost instead, each `NAME=SHAPE:COST`.
            tries: how many choices of them to play at most.
            changes: what is changed first, and by which rules.
        """
        from podium.ui.inputs.capacity_inputs import nodes_request, read_templates
        from podium.whatif.capacity.capacity import CapacityRequest, capacity
        from podium.whatif.capacity.cheapest_nodes import cheapest_nodes

        asked = self._asked(changes)
        _, source, _ = self._options(changes)
        templates = read_templates(asked, [*map(str, several(pod))], source.namespace)
        if shapes := [*map(str, several(node_shape))]:
            found = cheapest_nodes(nodes_request(asked, templates, shapes, tries))
            return NodesAnswer.of(asked.told_in(found))
        request = CapacityRequest(asked.request, templates, limit, preempt, None)
        return CapacityAnswer.of(asked.told_in(capacity(request)))

    def rollout(
        self,
        *,
        classes: Texts = (),
        assign: Texts = (),
        important: str | int | None = None,
        tries: int = 1000,
        more_nodes: int = 3,
        **changes: Unpack[Changes],
    ) -> RolloutAnswer:
        """An order in which to introduce priority classes, as `podium rollout` finds it."""
        from podium.ui.inputs.rollout_inputs import important_priority, read_introduction
        from podium.whatif.rollout_order.rollout import RolloutRequest, rollout

        asked = self._asked(changes)
        _, source, _ = self._options(changes)
        files, assigned = ([*map(str, several(one))] for one in (classes, assign))
        introduced = read_introduction(source, asked, files, assigned)
        named = None if important is None else str(important)
        least = important_priority(named, introduced.priorities)
        request = RolloutRequest(asked.request, introduced, least, tries, more_nodes)
        return RolloutAnswer.of(asked.told_in(rollout(request)))

    def lint(self, *, config: str | Path | None = None) -> LintAnswer:
        """What is wrong with it, as `podium lint` tells it; what it was read from is read again."""
        from podium.ui.inputs.lint_inputs import lint_of

        place = self._place
        _, source, rules = request_options(self._rules)
        where = place.sources, place.kubeconfig, place.context, source.namespace
        named = None if config is None else str(config)
        return LintAnswer.of(lint_of(*where, rules.kubelet_config, named))

    def _repr_html_(self) -> str:
        sections = [
            Section("", [objects_by_kind(self.objects)]),
            Section("Warnings", [Bullets(self.warnings)]),
        ]
        return to_html_fragment(Presentation("Cluster", repr(self)[1:-1], sections))

    def __repr__(self) -> str:
        kinds = Counter(str(one["kind"]) for one in self.objects)
        return f"<Cluster of {kinds['Node']} nodes and {kinds['Pod']} pods>"

    def _impact(self, disturbance: "Disturbance", rules: Rules) -> ImpactAnswer:
        from podium.whatif.resilience.impact import ImpactReader

        asked = self._asked(rules)
        request = replace(asked.request, alternatives_max=0)
        outcome = self._played(replace(request, changes=disturbance.changes), None)
        outcome = asked.told_in(outcome)
        return ImpactAnswer.of(ImpactReader(request).impact(disturbance, outcome))

    def _played(self, request: PlanRequest, workers: int | None) -> Plan:
        if request.seeds > 1:
            from podium.whatif.plan.planning import plan

            return plan(request, workers=workers or core_count())
        if self._plans is None or not self._plans.begins(request):
            self._plans = Plans(request)
        return self._plans.answer(request)

    def _options(self, words: Rules | Changes) -> tuple[ChangeOptions, SourceOptions, RuleOptions]:
        return request_options({**self._rules, **words})

    def _asked(self, words: Rules | Changes) -> Asked:
        asked = request_on(*self._options(words), lambda: self._manifests)
        return replace(asked, request=replace(asked.request, state=self._state))
