"""What a cluster withstands: every drain and every failure is played, and they are ranked."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations

import msgspec

from podium.api.documents.report import report_facts
from podium.whatif.plan.fail_on import Finding, Gate, findings
from podium.whatif.plan.plan_report import DrainBlocker, PodRow, WorkloadSummary
from podium.whatif.plan.planner import Planner
from podium.whatif.plan.request import PlanRequest
from podium.whatif.resilience.impact import (
    Disturbance,
    DisturbanceError,
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
"""Is told what is played, how many plays are done, and how many there are."""


class ResilienceRequest(msgspec.Struct, frozen=True):
    """Which disturbances to try, on which nodes (all, if none are named).

    Attributes:
        spare_room: whether room is looked for that would do for the pods that wait.
        worst: how many impacts are reported in full.
        gates: what counts as found.
    """

    request: PlanRequest
    nodes: tuple[str, ...] = ()
    drains: bool = True
    pairs: bool = False
    spare_room: bool = True
    worst: int = 10
    gates: Sequence[Gate] = ()


def resilience(
    asked: ResilienceRequest, workers: int = 1, progress: Progress | None = None
) -> tuple[Resilience, list[Finding]]:
    """What a cluster withstands, and what of it meets the gates, played by `workers` processes.

    Raises:
        DisturbanceError: a node isn't there, or there are too many pairs.
        LostProcessError: one of the processes was killed.
    """
    disturbances = disturbances_of(asked)
    request = replace(asked.request, alternatives_max=0)
    reader, player = ImpactReader(request), Planner(request, workers)
    impacts, found = list[Impact](), dict[tuple[str, ...], Finding]()
    told = _told(progress, "disturbances", len(disturbances))
    plans = player.outcomes([one.changes for one in disturbances], told)
    for one, plan in zip(disturbances, plans, strict=True):
        impacts.append(reader.impact(one, plan))
        for finding in findings(plan, asked.gates) if asked.gates else ():
            known = found.get(about := (finding.condition, finding.object, finding.workload))
            if known is None or finding.extent > known.extent:
                found[about] = msgspec.structs.replace(
                    finding, message=f"{finding.message} ({one.name})"
                )
    ranked = sorted(impacts, key=severity)
    harmed = [one for one in ranked if one.waiting]
    tried = Counter(str(one.disturbance.kind) for one in ranked)
    report = Resilience(
        tried=dict(sorted(tried.items())),
        harmless=sum(one.is_harmless for one in ranked),
        outages=tuple(_outages(ranked)),
        ranking=tuple(
            RankedDisturbance(
                name=one.name,
                disturbance=one.disturbance,
                unavailable=len(one.unavailable),
                unavailable_for_s=max(
                    (down.ready_least_for_s for down in one.unavailable), default=0.0
                ),
                unplaced=len(one.unplaced),
                highest_priority=_highest_priority(one),
                lost=len(one.disruptions),
                moved=one.moved,
                preempted=one.preempted,
                is_drained=all(drain.state == "Done" for drain in one.drains),
                settled_s=one.settled_s,
            )
            for one in ranked
        ),
        worst=tuple(ranked[: asked.worst]),
        exposed=tuple(_exposed(ranked)),
        blocking_budgets=tuple(_blocking(ranked)),
    )
    if asked.spare_room and harmed:
        shapes = zoned_shapes(request.state.objects)
        told = _told(progress, "spare room", 0)
        report = replace(
            report,
            spare_rooms=tuple(spare_rooms(player, reader, shapes[:SHAPES_MAX], harmed, told)),
            untried_shapes=tuple(one.words() for one in shapes[SHAPES_MAX:]),
        )
    return report, [*found.values()]


def disturbances_of(asked: ResilienceRequest) -> list[Disturbance]:
    """Everything that is tried, in order."""
    known = nodes_by_name(asked.request.state.objects)
    check_nodes(asked.nodes, known)
    names = asked.nodes or tuple(known)
    if asked.pairs and (count := len(names) * (len(names) - 1) // 2) > PAIRS_MAX:
        raise DisturbanceError(
            f"--pairs: {len(names)} nodes are {count} pairs, more than {PAIRS_MAX}; name some nodes"
        )
    found = [Disturbance(DisturbanceKind.NODE_FAILURE, (one,)) for one in names]
    zones = {} if asked.nodes else nodes_by_zone(known.values())
    for zone, nodes in zones.items() if len(zones) > 1 else ():
        found.append(Disturbance(DisturbanceKind.ZONE_FAILURE, tuple(nodes), zone))
    if asked.pairs:
        pairs = combinations(names, 2)
        found += [Disturbance(DisturbanceKind.NODE_FAILURE, pair) for pair in pairs]
    if asked.drains:
        found += [
            Disturbance(DisturbanceKind.DRAIN, (one,), drain={"force": True}) for one in names
        ]
    return found


def severity(impact: Impact) -> tuple[object, ...]:
    """A key by which the worst impact comes first.

    The highest priority of a workload without a ready pod, or of a pod without a place, decides;
    then how many such workloads there are, for how long they are so altogether, how many such pods
    there are, how many drains aren't done, how many pods are preempted in turn, how many lose
    their places, and then the name.
    """
    highest = _highest_priority(impact)
    return (
        highest is None,
        -(highest or 0),
        -len(impact.unavailable),
        -sum(one.ready_least_for_s for one in impact.unavailable),
        -len(impact.unplaced),
        -sum(one.state != "Done" for one in impact.drains),
        -impact.preempted,
        -len(impact.disruptions),
        impact.name,
    )


def _highest_priority(impact: Impact) -> int | None:
    priorities = [one.priority for one in impact.unavailable]
    priorities += [one.priority for one in impact.unplaced]
    return max(priorities, default=None)


def _told(progress: Progress | None, what: str, total: int) -> Callable[[int], None] | None:
    return None if progress is None else lambda done: progress(what, done, total)


def _outages(impacts: Iterable[Impact]) -> list[Outage]:
    found: dict[str, list[tuple[WorkloadSummary, str]]] = defaultdict(list)
    for impact in impacts:
        for summary in impact.unavailable:
            found[summary.workload].append((summary, impact.name))
    outages = []
    for summaries in found.values():
        summaries.sort(key=lambda one: (-one[0].ready_least_for_s, one[1]))
        (worst, _), *_ = summaries
        outages.append(
            Outage(
                workload=worst.workload,
                namespace=worst.namespace,
                priority=worst.priority,
                priority_class=worst.priority_class,
                ready_before=worst.ready_before,
                disturbances=tuple(name for _, name in summaries),
                longest_s=worst.ready_least_for_s,
                is_over=all(summary.ready_after > 0 for summary, _ in summaries),
            )
        )
    return sorted(outages, key=lambda one: (-one.priority, -one.longest_s, one.workload))


def _exposed(impacts: Sequence[Impact]) -> Iterator[Exposure]:
    """The pods that failures hit most often; drains don't count, as one can choose their time."""
    failures = [one for one in impacts if one.disturbance.kind is not DisturbanceKind.DRAIN]
    hits: Counter[str] = Counter()
    rows: dict[str, PodRow] = {}
    for impact in failures:
        for row in (*impact.disruptions, *impact.unplaced):
            rows.setdefault(row.pod, row)
        staying = {one.pod for one in impact.unplaced if one.node}
        hits.update(staying | {row.pod for row in impact.disruptions})
    ordered = sorted(hits.items(), key=lambda item: (-item[1], -rows[item[0]].priority, item[0]))
    for pod, times in ordered[:_EXPOSED_MAX]:
        if times > 1 or len(failures) == 1:
            yield Exposure(
                **report_facts(rows[pod], PodRow),
                hit=times,
                failures=len(failures),
                is_never_spared=times == len(failures),
            )


def _blocking(impacts: Iterable[Impact]) -> list[BlockingBudget]:
    blocked: dict[str, list[tuple[str, DrainBlocker]]] = defaultdict(list)
    for drain in (drain for impact in impacts for drain in impact.drains):
        for blocker in drain.blockers if drain.state != "Done" else ():
            blocked[blocker.budget].append((drain.node, blocker))
    budgets = [
        BlockingBudget(
            budget=budget,
            nodes=tuple(sorted({node for node, _ in found})),
            pods=tuple(sorted({pod for _, blocker in found for pod in blocker.pods})),
            reasons=tuple(dict.fromkeys(blocker.text for _, blocker in found)),
        )
        for budget, found in blocked.items()
    ]
    return sorted(budgets, key=lambda budget: (-len(budget.nodes), budget.budget))
