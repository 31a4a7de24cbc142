"""Resilience of a cluster: plans for every drain and failure, ranked by their impact."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations

import msgspec

from podium.api.documents.report import report_facts
from podium.api.errors import PodiumError
from podium.whatif.plan.fail_on import Finding, Gate, findings
from podium.whatif.plan.plan_report import DrainBlocker, PodRow, WorkloadSummary
from podium.whatif.plan.planner import Planner
from podium.whatif.plan.request import PlanRequest
from podium.whatif.resilience.impact import (
    Disturbance,
    DisturbanceKind,
    Impact,
    ImpactReader,
    check_nodes,
    nodes_by_name,
    nodes_by_zone,
)
from podium.whatif.resilience.resilience_report import (
    BlockingBudget,
    Exposure,
    Outage,
    RankedDisturbance,
    Resilience,
)
from podium.whatif.resilience.spare_room import SHAPES_MAX, spare_rooms, zoned_shapes

PAIRS_MAX = 50_000
_EXPOSED_MAX = 20

Progress = Callable[[str, int, int], None]
"""Called with what is simulated, the number of plans that are done, and the number of all."""


class ResilienceRequest(msgspec.Struct, frozen=True):
    """The disturbances (drains and failures) to simulate, on all nodes unless some are named."""

    request: PlanRequest
    nodes: tuple[str, ...] = ()
    drains: bool = True
    pairs: bool = False
    spare_room: bool = True
    worst: int = 10
    gates: Sequence[Gate] = ()


def resilience(
    wanted: ResilienceRequest, workers: int = 1, progress: Progress | None = None
) -> tuple[Resilience, list[Finding]]:
    """Rank the impacts of disturbances, and return findings that meet gates."""
    disturbances = disturbances_of(wanted)
    request = replace(wanted.request, alternatives_max=0)
    reader, planner = ImpactReader(request), Planner(request, workers)
    impacts, findings_by_object = list[Impact](), dict[tuple[str, ...], Finding]()
    report_progress = _progress_of(progress, "disturbances", len(disturbances))
    plans = planner.outcomes([disturbance.changes for disturbance in disturbances], report_progress)
    for one, plan in zip(disturbances, plans, strict=True):
        impacts.append(reader.impact(one, plan))
        for finding in findings(plan, wanted.gates) if wanted.gates else ():
            about = finding.condition, finding.object, finding.workload
            known = findings_by_object.get(about)
            if known is None or finding.extent > known.extent:
                findings_by_object[about] = msgspec.structs.replace(
                    finding, message=f"{finding.message} ({one.name})"
                )
    ranked = sorted(impacts, key=severity)
    harmed = [impact for impact in ranked if impact.waiting]
    tried = Counter(str(impact.disturbance.kind) for impact in ranked)
    report = Resilience(
        tried=dict(sorted(tried.items())),
        harmless=sum(impact.is_harmless for impact in ranked),
        outages=tuple(_outages(ranked)),
        ranking=tuple(
            RankedDisturbance(
                name=impact.name,
                disturbance=impact.disturbance,
                unavailable=len(impact.unavailable),
                unavailable_seconds=max(
                    (down.ready_least_for_seconds for down in impact.unavailable), default=0.0
                ),
                unplaced=len(impact.unplaced),
                highest_priority=_highest_priority(impact),
                lost=len(impact.disruptions),
                moved=impact.moved,
                preempted=impact.preempted,
                drained=all(drain.state == "Done" for drain in impact.drains),
                settled_at=impact.settled_at,
            )
            for impact in ranked
        ),
        worst=tuple(ranked[: wanted.worst]),
        exposed=tuple(_exposed(ranked)),
        blocking_budgets=tuple(_blocking(ranked)),
    )
    if wanted.spare_room and harmed:
        shapes = zoned_shapes(request.state.objects)
        report_progress = _progress_of(progress, "spare room", 0)
        report = replace(
            report,
            spare_rooms=tuple(
                spare_rooms(planner, reader, shapes[:SHAPES_MAX], harmed, report_progress)
            ),
            untried_shapes=tuple(shape.words() for shape in shapes[SHAPES_MAX:]),
        )
    return report, [*findings_by_object.values()]


def disturbances_of(wanted: ResilienceRequest) -> list[Disturbance]:
    """List the disturbances of a request in the order of simulation; raises PodiumError."""
    known = nodes_by_name(wanted.request.state.objects)
    check_nodes(wanted.nodes, known)
    names = wanted.nodes or tuple(known)
    if wanted.pairs and (count := len(names) * (len(names) - 1) // 2) > PAIRS_MAX:
        raise PodiumError(
            f"--pairs: {len(names)} nodes are {count} pairs, more than {PAIRS_MAX}; name some nodes"
        )
    disturbances = [Disturbance(DisturbanceKind.NODE_FAILURE, (name,)) for name in names]
    zones = {} if wanted.nodes else nodes_by_zone(known.values())
    for zone, nodes in zones.items() if len(zones) > 1 else ():
        disturbances.append(Disturbance(DisturbanceKind.ZONE_FAILURE, tuple(nodes), zone))
    if wanted.pairs:
        pairs = combinations(names, 2)
        disturbances += [Disturbance(DisturbanceKind.NODE_FAILURE, pair) for pair in pairs]
    if wanted.drains:
        disturbances += [
            Disturbance(DisturbanceKind.DRAIN, (name,), drain={"force": True}) for name in names
        ]
    return disturbances


def severity(impact: Impact) -> tuple[object, ...]:
    """Return a key that sorts the worst impact first.

    The key compares the highest priority of workloads without a ready pod and of pods without a
    node; then the number of these workloads, their outages in seconds, and the numbers of these
    pods, of drains that aren't done, of preempted pods and of disrupted pods; then the name.
    """
    highest = _highest_priority(impact)
    return (
        highest is None,
        -(highest or 0),
        -len(impact.unavailable),
        -sum(workload.ready_least_for_seconds for workload in impact.unavailable),
        -len(impact.unplaced),
        -sum(drain.state != "Done" for drain in impact.drains),
        -impact.preempted,
        -len(impact.disruptions),
        impact.name,
    )


def _highest_priority(impact: Impact) -> int | None:
    priorities = [workload.priority for workload in impact.unavailable]
    priorities += [pod.priority for pod in impact.unplaced]
    return max(priorities, default=None)


def _progress_of(progress: Progress | None, what: str, total: int) -> Callable[[int], None] | None:
    return None if progress is None else lambda done: progress(what, done, total)


def _outages(impacts: Iterable[Impact]) -> list[Outage]:
    by_workload: dict[str, list[tuple[WorkloadSummary, str]]] = defaultdict(list)
    for impact in impacts:
        for summary in impact.unavailable:
            by_workload[summary.workload].append((summary, impact.name))
    outages = []
    for summaries in by_workload.values():
        summaries.sort(key=lambda one: (-one[0].ready_least_for_seconds, one[1]))
        (worst, _), *_ = summaries
        outages.append(
            Outage(
                **report_facts(worst, Outage),
                disturbances=tuple(name for _, name in summaries),
                longest_seconds=worst.ready_least_for_seconds,
                over=all(summary.ready_after > 0 for summary, _ in summaries),
            )
        )
    return sorted(outages, key=lambda one: (-one.priority, -one.longest_seconds, one.workload))


def _exposed(impacts: Sequence[Impact]) -> Iterator[Exposure]:
    # Drains don't count, as one can choose their time.
    failures = [
        impact for impact in impacts if impact.disturbance.kind is not DisturbanceKind.DRAIN
    ]
    hits: Counter[str] = Counter()
    rows: dict[str, PodRow] = {}
    for impact in failures:
        for row in (*impact.disruptions, *impact.unplaced):
            rows.setdefault(row.pod, row)
        staying = {row.pod for row in impact.unplaced if row.node}
        hits.update(staying | {row.pod for row in impact.disruptions})
    ordered = sorted(hits.items(), key=lambda item: (-item[1], -rows[item[0]].priority, item[0]))
    for pod, times in ordered[:_EXPOSED_MAX]:
        if times > 1 or len(failures) == 1:
            yield Exposure(
                **report_facts(rows[pod], PodRow),
                hit=times,
                failures=len(failures),
                never_spared=times == len(failures),
            )


def _blocking(impacts: Iterable[Impact]) -> list[BlockingBudget]:
    blocked: dict[str, list[tuple[str, DrainBlocker]]] = defaultdict(list)
    for drain in (drain for impact in impacts for drain in impact.drains):
        for blocker in drain.blockers if drain.state != "Done" else ():
            blocked[blocker.budget].append((drain.node, blocker))
    budgets = [
        BlockingBudget(
            budget=budget,
            nodes=tuple(sorted({node for node, _ in blockers})),
            pods=tuple(sorted({pod for _, blocker in blockers for pod in blocker.pods})),
            reasons=tuple(dict.fromkeys(blocker.text for _, blocker in blockers)),
        )
        for budget, blockers in blocked.items()
    ]
    return sorted(budgets, key=lambda budget: (-len(budget.nodes), budget.budget))
