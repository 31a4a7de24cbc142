"""How many more pods of given templates fit into a cluster, where, and what stops the next one."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace

import msgspec

from podium.api.documents.report import report_facts
from podium.api.pods import node_name_of, priority_class_of
from podium.api.policy.disruption_target import BY_SCHEDULER
from podium.api.priority import pod_priority
from podium.scheduler.scheduler import without_preemption
from podium.whatif.capacity.capacity_report import (
    Capacity,
    Fill,
    NodeRow,
    Stop,
    TemplateRow,
    VictimRow,
)
from podium.whatif.capacity.capacity_templates import PodTemplate, needed
from podium.whatif.capacity.cluster_filler import Filling
from podium.whatif.capacity.cluster_filler import Progress as Filled
from podium.whatif.plan.changes import Apply
from podium.whatif.plan.outcome.outcome_reader import OutcomeReader
from podium.whatif.plan.plan_report import PodRow
from podium.whatif.plan.play import Play
from podium.whatif.plan.request import PlanRequest


class CapacityRequest(msgspec.Struct, frozen=True):
    """Which pods to add, and to which cluster, with which changes.

    Attributes:
        templates: whose pods are created in turn, round by round.
        preempts: whether to count as well what gets a place if others give way.
    """

    request: PlanRequest
    templates: Sequence[PodTemplate]
    limit: int
    preempts: bool = False
    at_least: int | None = None


def capacity(asked: CapacityRequest, filled: Filled | None = None) -> Capacity:
    """Count how many more pods fit into a cluster that has come to rest.

    Raises:
        KeyboardInterrupt: by Ctrl-C before the cluster has come to rest.
        PodiumError: the pods can't be counted, or a change can't be made.
    """
    needs = tuple(needed(asked.templates, asked.request.state.by_identity))
    changes = (*asked.request.changes, *((Apply(needs),) if needs else ()))
    request = replace(asked.request, changes=changes)
    play = Play(request)
    warnings = request.missing()
    model = play.limits_of_the_model(template.pod for template in asked.templates)
    if not play.run(request.until_s):
        raise KeyboardInterrupt
    if not asked.preempts and play.cluster.kubelets is not None:
        # Nobody will go: it makes no difference that the new pods are never started.
        play.cluster.driver.crash(play.cluster.kubelets)
    filling = Filling(play, asked.templates, asked.limit)
    with without_preemption(play.scheduler):
        stop = filling.run(filled)
    without = _fill(asked.templates, filling, stop)
    rows = tuple(_template_rows(asked.templates, filling))
    found = Capacity(
        templates=rows,
        without_preemption=without,
        at_least=asked.at_least,
        interrupted=stop.by == "Interrupt",
        warnings=(*play.notes, *warnings, *model.warnings),
        notes=tuple(model.notes),
    )
    if not asked.preempts or found.interrupted:
        return found
    with_preemption = _preempting(asked, play, filling, filled)
    return replace(
        found,
        templates=tuple(_template_rows(asked.templates, filling)),
        with_preemption=with_preemption,
        interrupted=with_preemption.stop.by == "Interrupt",
    )


def _preempting(
    asked: CapacityRequest, play: Play, filling: Filling, filled: Filled | None
) -> Fill:
    first, since_s = len(play.preemptions.outcomes), play.passed_s
    play.scheduler.watch = play.preemptions.record
    stop = filling.run(filled)
    play.scheduler.watch = None
    breaks: dict[str, list[str]] = defaultdict(list)
    for outcome in play.preemptions.outcomes[first:]:
        for victim in outcome.taken:
            breaks[victim.pod] += victim.broken
    disruptions = OutcomeReader(play).disruptions()
    victims = [one for one in disruptions if one.cause is BY_SCHEDULER and one.at_s >= since_s]
    rows = (
        VictimRow(
            **report_facts(one, PodRow),
            node=one.node,
            by=one.by,
            breaks=tuple(breaks[one.pod]),
            depth=one.depth,
            comes_again=one.comes_again,
            replaced_on=one.replaced_on,
        )
        for one in victims
    )
    fill = _fill(asked.templates, filling, stop)
    return replace(fill, victims=tuple(rows))


def _fill(templates: Sequence[PodTemplate], filling: Filling, stop: Stop) -> Fill:
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


def _template_rows(templates: Sequence[PodTemplate], filling: Filling) -> Iterator[TemplateRow]:
    pods = dict(filling.placed())
    for number, template in enumerate(templates):
        pod = pods.get(number)
        priority = None if pod is None else pod_priority(pod)
        yield TemplateRow(
            template.source, template.share, priority, priority_class_of(template.pod)
        )
