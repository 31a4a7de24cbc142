"""The number of pods of given templates that fit into a cluster, and what stops the next one."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, count, cycle, repeat

import msgspec

from podium.api.documents.report import report_facts
from podium.api.errors import PodiumError, RefusedError
from podium.api.kinds.builtin_kinds import KINDS
from podium.api.objects import (
    Object,
    condition_message,
    condition_status,
    controller_of,
    is_terminating,
    key,
    name,
    namespace,
    status_of,
)
from podium.api.pods import node_name_of, priority_class_of, scheduler_name_of
from podium.api.policy.disruption_target import BY_SCHEDULER
from podium.api.priority import pod_priority
from podium.apiserver.attributes import Attributes
from podium.apiserver.server import DeleteOptions
from podium.cluster.virtual.kubectl_apply import apply_manifest
from podium.scheduler.framework.cycle.diagnosis import reasons_of
from podium.scheduler.scheduler import without_preemption
from podium.scheduler.snapshot.pod_info import pending_pod
from podium.whatif.capacity.capacity_inputs import PodTemplate, with_needs
from podium.whatif.capacity.capacity_report import (
    Capacity,
    Fill,
    NodeRow,
    ReasonRow,
    Stop,
    TemplateRow,
    VictimRow,
)
from podium.whatif.plan.outcome.outcome_reader import OutcomeReader
from podium.whatif.plan.play import Play
from podium.whatif.plan.request import UNTIL_S, PlanRequest

Progress = Callable[[int], None]
"""Called with the number of pods that have got a place."""

_NAME_LENGTH_MAX = 240
# All that happens at once, which is the decision mostly, is over by then.
_STEP_S = 0.001


class CapacityRequest(msgspec.Struct, frozen=True):
    """The pods to add, and the cluster with its changes."""

    request: PlanRequest
    templates: Sequence[PodTemplate]
    limit: int
    preempts: bool = False
    at_least: int | None = None


def capacity(wanted: CapacityRequest, progress: Progress | None = None) -> Capacity:
    """Count how many more pods fit into a cluster once its pending work has settled."""
    request = with_needs(wanted.request, wanted.templates)
    play = Play(request)
    notes = play.notes_on_the_model(template.pod for template in wanted.templates)
    play.settle(request.until_s)
    if not wanted.preempts and play.cluster.kubelets is not None:
        # No pod will leave: it makes no difference that the new pods are never started.
        play.cluster.driver.crash(play.cluster.kubelets)
    filling = Filling(play, wanted.templates, wanted.limit)
    with without_preemption(play.scheduler):
        stop = filling.run(progress)
    without = _fill(wanted.templates, filling, stop)
    report = Capacity(
        templates=tuple(_template_rows(wanted.templates, filling)),
        without_preemption=without,
        at_least=wanted.at_least,
        interrupted=stop.by == "Interrupt",
        warnings=(*play.notes, *request.missing()),
        notes=tuple(notes),
    )
    if not wanted.preempts or report.interrupted:
        return report
    first, since_s = len(play.preemptions.outcomes), play.passed_s
    play.scheduler.watch = play.preemptions.record
    stop = filling.run(progress)
    play.scheduler.watch = None
    breaks: dict[str, list[str]] = defaultdict(list)
    for outcome in play.preemptions.outcomes[first:]:
        for victim in outcome.taken:
            breaks[victim.pod] += victim.broken
    victims = tuple(
        VictimRow(**report_facts(lost, VictimRow), breaks=tuple(breaks[lost.pod]))
        for lost in OutcomeReader(play).disruptions()
        if lost.cause is BY_SCHEDULER and lost.at >= since_s
    )
    return replace(
        report,
        templates=tuple(_template_rows(wanted.templates, filling)),
        with_preemption=replace(_fill(wanted.templates, filling, stop), victims=victims),
        interrupted=stop.by == "Interrupt",
    )


def _fill(templates: Sequence[PodTemplate], filling: "Filling", stop: Stop) -> Fill:
    counts: Counter[int] = Counter()
    by_node: dict[str, Counter[int]] = defaultdict(Counter)
    for number, pod in filling.placed():
        counts[number] += 1
        by_node[node_name_of(pod)][number] += 1
    numbers = range(len(templates))
    return Fill(
        pods=counts.total(),
        rounds=min(counts[number] // templates[number].share for number in numbers),
        by_template=tuple(counts[number] for number in numbers),
        nodes=tuple(
            NodeRow(node, of_node.total(), tuple(of_node[number] for number in numbers))
            for node, of_node in sorted(by_node.items())
        ),
        stop=stop,
    )


def _template_rows(templates: Sequence[PodTemplate], filling: "Filling") -> Iterator[TemplateRow]:
    pods = dict(filling.placed())
    for number, template in enumerate(templates):
        pod = pods.get(number)
        priority = None if pod is None else pod_priority(pod)
        yield TemplateRow(
            template.source, template.share, priority, priority_class_of(template.pod)
        )


class Filling:
    """Creates pods of templates in a settled cluster, one by one, up to a limit.

    In each round, as many pods of each template are created as its share says.
    """

    def __init__(self, play: Play, templates: Sequence[PodTemplate], limit: int) -> None:
        # The number of the template, the namespace and the name of each pod that has got a place.
        self._created: list[tuple[int, str, str]] = []
        # The last number in a pod's name, by namespace and base of the name.
        self._numbers: Counter[tuple[str, str]] = Counter()
        self._play = play
        self._templates = templates
        self._limit = limit
        self._turns = cycle(
            chain.from_iterable(repeat(number, one.share) for number, one in enumerate(templates))
        )
        self._turn: int | None = None

    def run(self, progress: Progress | None = None) -> Stop:
        """Create pods until one can't be placed, and delete that pod; raises PodiumError."""
        try:
            while (stop := self._next()) is None:
                if progress is not None:
                    progress(len(self._created))
        except KeyboardInterrupt:
            return Stop("Interrupt", "", "interrupted: there may be room for more")
        return stop

    def placed(self) -> Iterator[tuple[int, Object]]:
        """Yield the created pods that are still on a node, each with the index of its template."""
        for template, *place in self._created:
            pod = self._play.cluster.store.get("Pod", *place)
            if pod is not None and node_name_of(pod) and not is_terminating(pod):
                yield template, pod

    def _next(self) -> Stop | None:
        # A template keeps its turn until one of its pods has got a place.
        self._turn = number = next(self._turns) if self._turn is None else self._turn
        template, cluster = self._templates[number], self._play.cluster
        if len(self._created) >= self._limit:
            text = f"{self._limit} have a place: no more were asked for"
            return Stop("Limit", template.source, text)
        place, base = namespace(template.pod), name(template.pod)[:_NAME_LENGTH_MAX]
        numbers = count(self._numbers[place, base] + 1)
        names = ((n, f"{base}-more-{n}") for n in numbers)
        suffix, pod_name = next(
            (n, free) for n, free in names if cluster.store.get("Pod", place, free) is None
        )
        metadata = {**template.pod["metadata"], "name": pod_name}
        try:
            pod = apply_manifest(cluster, {**template.pod, "metadata": metadata}).obj
        except RefusedError as refused:
            return Stop("API", template.source, refused.message)
        self._play.observer.look()
        scheduler, profile = self._play.scheduler, scheduler_name_of(pod)
        if profile not in scheduler.pipelines:
            raise PodiumError(
                f"--pod {template.source}: asks for the scheduler {profile}; "
                f"the profiles are {', '.join(scheduler.pipelines)}"
            )
        if gates := pod["spec"].get("schedulingGates"):
            gate_names = ", ".join(gate["name"] for gate in gates)
            raise PodiumError(
                f"--pod {template.source}: its gates ({gate_names}) keep it from any node"
            )
        decided = self._decided(pod)
        if decided is not None and node_name_of(decided):
            self._created.append((number, place, pod_name))
            self._numbers[place, base] = suffix
            self._turn = None
            return None
        waiting = decided or pod
        message = condition_message(waiting, "PodScheduled") or "it is deleted"
        # How many nodes refuse it for which reasons; none if it is refused as a whole.
        watch, scheduler.watch = scheduler.watch, None
        info = pending_pod(waiting, scheduler.snapshot.classes)
        refusals = reasons_of(scheduler.decide(info, scheduler_name_of(waiting)))
        scheduler.watch = watch
        if cluster.store.get("Pod", place, pod_name) is not None:
            what = Attributes(KINDS["Pod"], place, pod_name, cluster.driver.now_s)
            cluster.server.delete(what, DeleteOptions(grace_period_s=0))
            cluster.driver.run_until(cluster.driver.now_s + _STEP_S)
        by_count = sorted(refusals.items(), key=lambda entry: (-entry[1], entry[0]))
        reasons = tuple(ReasonRow(reason, nodes) for reason, nodes in by_count)
        return Stop("Scheduler", template.source, str(message), reasons)

    def _decided(self, pod: Object) -> Object | None:
        """Run until a pod is bound or unschedulable; return it, or None if it was deleted."""
        driver, store = self._play.cluster.driver, self._play.cluster.store
        end_s = driver.now_s + UNTIL_S
        until_s = driver.now_s + _STEP_S
        while driver.step_now():
            # A controller that takes the pod over may delete it before the scheduler decides.
            _check_unowned(store.get("Pod", namespace(pod), name(pod)))
        while True:
            driver.run_until(until_s)
            live = store.get("Pod", namespace(pod), name(pod))
            if live is None or is_terminating(live) or node_name_of(live):
                _check_unowned(live)
                return live
            nominated = status_of(live).get("nominatedNodeName")
            is_refused = condition_status(live, "PodScheduled") == "False"
            if (is_refused and not nominated) or driver.now_s >= end_s:
                return live
            until_s = min(end_s, max(driver.next_s() or end_s, driver.now_s + _STEP_S))


def _check_unowned(pod: Object | None) -> None:
    if pod is not None and (owner := controller_of(pod)) is not None:
        controller = f"{owner['kind']} {owner['name']}"
        raise PodiumError(f"{key(pod)} has the labels of {controller}, which takes it over")
