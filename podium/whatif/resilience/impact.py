"""Drains and failures of nodes, and the impact of each on pods and budgets."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Annotated, Any, Literal

from pydantic import Field

from podium.api.documents.report import API_VERSION, HIDDEN, IF_ANY, Report, report_facts
from podium.api.errors import PodiumError
from podium.api.objects import Object, controller_of, key, labels, name
from podium.api.pods import is_finished, node_name_of
from podium.api.policy.disruption_target import PREEMPTED
from podium.api.values.message_words import likely_meant
from podium.api.well_known import ZONE_LABEL
from podium.simulation.scenario.drain_step import Drain
from podium.whatif.plan.changes import Change, Fail
from podium.whatif.plan.plan_report import (
    BudgetChange,
    Disruption,
    Drainage,
    FailedJob,
    Plan,
    PodRow,
    Return,
    WorkloadSummary,
    why_never,
)
from podium.whatif.plan.request import PlanRequest
from podium.whatif.plan.workload_owners import WorkloadOwners


class DisturbanceError(PodiumError):
    """What is to be drained, or to fail, isn't there."""


class DisturbanceKind(StrEnum):
    """What can happen to nodes."""

    DRAIN = "Drain"
    NODE_FAILURE = "NodeFailure"
    ZONE_FAILURE = "ZoneFailure"


@dataclass(frozen=True, slots=True)
class Disturbance(Report):
    """The drains and failures of nodes that a play goes through.

    Attributes:
        kind: what.
        nodes: to which; drained one after the other, or failing at once.
        zone: whose nodes they are; empty unless a zone fails.
        drain: how nodes are drained: fields of a `Drain` by name, as far as they are given.
    """

    kind: DisturbanceKind
    nodes: tuple[str, ...]
    zone: Annotated[str, IF_ANY] = ""
    drain: Annotated[Mapping[str, Any], HIDDEN] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """Such as `drain of node a`, `failure of zone west`."""
        verb = "drain" if self.kind is DisturbanceKind.DRAIN else "failure"
        if self.zone:
            return f"{verb} of zone {self.zone}"
        return f"{verb} of node{'s' if len(self.nodes) > 1 else ''} {', '.join(self.nodes)}"

    @property
    def changes(self) -> list[Change]:
        """The changes that make it."""
        if self.kind is DisturbanceKind.DRAIN:
            settings = {"delete_empty_dir_data": True, **self.drain}
            return [Drain(node=node, **settings) for node in self.nodes]
        return [Fail(node) for node in self.nodes]


def drain_of(state: Iterable[Object], texts: Sequence[str], **drain: Any) -> Disturbance:
    """Make the drain of several nodes, one after the other; raises DisturbanceError.

    Args:
        texts: each a node as `NAME` or `node/NAME`.
        drain: fields of `Drain`, such as `force`.
    """
    known = nodes_by_name(state)
    names = [text.removeprefix("node/").removeprefix("no/") for text in texts]
    check_nodes(names, known)
    return Disturbance(DisturbanceKind.DRAIN, tuple(dict.fromkeys(names)), drain=drain)


def check_nodes(names: Iterable[str], known: Collection[str]) -> None:
    """Raise DisturbanceError for nodes that aren't there, with the names that were likely meant."""
    missing = [
        f"{one}: the state has no Node {one}{likely_meant(one, known)}"
        for one in names
        if one not in known
    ]
    if missing:
        raise DisturbanceError("\n".join(missing))


def failure_of(state: Iterable[Object], texts: Sequence[str]) -> Disturbance:
    """The failure of nodes and zones, all at once; raises DisturbanceError.

    Args:
        texts: each the name of a node or a zone; `node/NAME` and `zone/NAME` say which.
    """
    known = nodes_by_name(state)
    zones = nodes_by_zone(known.values())
    found, missing = dict[str, None](), []
    for text in texts:
        kind, _, called = text.rpartition("/")
        if called in known and kind in ("", "node", "no"):
            found[called] = None
        elif called in zones and kind in ("", "zone"):
            found |= dict.fromkeys(zones[called])
        else:
            there = {"node": known, "no": known, "zone": zones}.get(kind, (*known, *zones))
            hint = likely_meant(called, there)
            missing.append(f"{text}: the state has no {kind or 'node or zone'} {called}{hint}")
    if missing:
        raise DisturbanceError("\n".join(missing))
    zone = texts[0].rpartition("/")[2] if len(texts) == 1 else ""
    if zone in zones and [*found] == zones[zone]:
        return Disturbance(DisturbanceKind.ZONE_FAILURE, tuple(found), zone)
    return Disturbance(DisturbanceKind.NODE_FAILURE, tuple(found))


def nodes_by_name(state: Iterable[Object]) -> dict[str, Object]:
    """The nodes of a state, in the order of their names."""
    nodes = {name(obj): obj for obj in state if obj.get("kind") == "Node"}
    return dict(sorted(nodes.items()))


def nodes_by_zone(nodes: Iterable[Object]) -> Mapping[str, list[str]]:
    """The names of the nodes in each zone, by the name of the zone."""
    found: dict[str, list[str]] = defaultdict(list)
    for node in nodes:
        zone = labels(node).get(ZONE_LABEL)
        if zone:
            found[str(zone)].append(name(node))
    return dict(sorted(found.items()))


@dataclass(frozen=True, slots=True, kw_only=True)
class UnplacedPod(PodRow):
    """A pod that is without a place in the end, or on a node that nothing is heard of.

    Attributes:
        node: where it was; empty for one that comes in place of another.
        reason: why, in words.
        waits: whether it is there and waits for room, so that another node could help.
    """

    node: Annotated[str, IF_ANY] = ""
    reason: str
    waits: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Impact(Report):
    """The effects of a disturbance on pods and budgets; pods are named `namespace/name`.

    Attributes:
        disturbance: what happens.
        name: the same in words.
        moved: how many pods lose their places and have another one in the end.
        preempted: how many pods are preempted in turn.
        disruptions: each pod that loses its place, when, why, and where its replacement is.
        unplaced: the pods that are without a place in the end, the most important first.
        budgets: the budgets that it touches.
        failed_jobs: the Jobs that fail, whole or in some of their indexes.
        drains: what became of each node that is drained, and which budget is in the way.
        workloads: how many pods each workload loses, and how few are ready for how long.
        settled_s: when the last pod lost or got a place, or the last drain was done, in seconds
            since the beginning.
        until_s: for how long it was played, in seconds.
    """

    api_version: str = API_VERSION
    kind: Literal["Impact"] = "Impact"
    disturbance: Disturbance
    name: str
    moved: int
    preempted: int
    disruptions: tuple[Disruption, ...] = ()
    unplaced: tuple[UnplacedPod, ...] = ()
    budgets: tuple[BudgetChange, ...] = ()
    failed_jobs: tuple[FailedJob, ...] = ()
    drains: tuple[Drainage, ...] = ()
    workloads: tuple[WorkloadSummary, ...] = ()
    settled_s: Annotated[float, Field(serialization_alias="settledAt")] = 0.0
    until_s: Annotated[float, Field(serialization_alias="untilSeconds")] = 0.0
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def unavailable(self) -> list[WorkloadSummary]:
        """The workloads without a ready pod for a while, the most important, the longest first."""
        found = [one for one in self.workloads if one.is_unavailable]
        return sorted(found, key=lambda one: (-one.priority, -one.ready_least_for_s, one.workload))

    @property
    def is_harmless(self) -> bool:
        """Whether workloads keep ready pods, every pod has a place, and every drain is done."""
        is_done = all(one.state == "Done" for one in self.drains)
        return is_done and not self.unplaced and not self.unavailable

    @property
    def waiting(self) -> list[UnplacedPod]:
        """The pods that wait for room."""
        return [one for one in self.unplaced if one.waits]


class ImpactReader:
    """Reads impacts off plans of the same state."""

    def __init__(self, request: PlanRequest) -> None:
        cluster, _ = request.state.load(settled=not request.repairs, heals=request.heals)
        store = cluster.store
        self._owners = WorkloadOwners((*store.list("ReplicaSet").items, *store.list("Job").items))
        self._on: dict[str, list[Object]] = defaultdict(list)
        self._waited = set()
        for pod in store.list("Pod").items:
            if node_name_of(pod) and not is_finished(pod):
                self._on[node_name_of(pod)].append(pod)
            elif not node_name_of(pod):
                self._waited.add(key(pod))

    def impact(self, disturbance: Disturbance, plan: Plan) -> Impact:
        """What a disturbance came to in a plan that made it.

        Pods that waited before count as little as they did then.
        """
        unplaced = [
            *(
                _unplaced(one, f"stays pending: {one.message}", waits=True)
                for one in plan.pending
                if one.pod not in self._waited
            ),
            *_lost(plan),
        ]
        gone = {one.pod for one in plan.disruptions} | {one.pod for one in plan.removed}
        is_drain = disturbance.kind is DisturbanceKind.DRAIN
        for silent in () if is_drain else plan.silent_nodes:
            for pod in self._on.get(silent.node, ()):
                owner = controller_of(pod)
                if key(pod) in gone or (owner and owner["kind"] in ("DaemonSet", "Node")):
                    continue
                why = f"stays on its silent node: {silent.why_pod_stays(pod, plan.until_s)}"
                row = UnplacedPod(**self._owners.row_of(pod), node=silent.node, reason=why)
                unplaced.append(row)
        unplaced.sort(key=lambda one: (-one.priority, one.pod))
        settled = [one.replaced_at_s or one.at_s for one in plan.disruptions]
        settled += [one.at_s or 0.0 for one in plan.drains]
        return Impact(
            disturbance=disturbance,
            name=disturbance.name,
            moved=sum(one.replaced_at_s is not None for one in plan.disruptions),
            preempted=sum(one.cause.group == PREEMPTED for one in plan.disruptions),
            disruptions=plan.disruptions,
            unplaced=tuple(unplaced),
            budgets=tuple(one for one in plan.budgets if one.is_touched),
            failed_jobs=plan.failed_jobs,
            drains=plan.drains,
            workloads=plan.workloads,
            settled_s=max(settled, default=0.0),
            until_s=plan.until_s,
            warnings=plan.warnings,
            notes=plan.notes,
        )


def _lost(plan: Plan) -> Iterator[UnplacedPod]:
    for one in plan.disruptions:
        if one.replacement or one.comes_again is Return.SURPLUS:
            continue
        match one.comes_again:
            case Return.NEVER:
                why = why_never(one)
            case Return.UNKNOWN:
                why = f"whether it comes again isn't known of a {one.owner.partition(' ')[0]}"
            case Return.AFTER_NODE:
                kind = one.owner.partition(" ")[0]
                why = f"its {kind} waits until it is gone, which its node doesn't tell"
            case _:
                why = "its controller hasn't recreated it"
        yield _unplaced(one, why, node=one.node)
    failed = {job.job for job in plan.failed_jobs if not job.indexes}
    for removed in plan.removed:
        if removed.is_evicted and removed.owner in failed:
            yield _unplaced(removed, f"{why_never(removed)}: its Job fails", node=removed.node)


def _unplaced(row: PodRow, reason: str, node: str = "", *, waits: bool = False) -> UnplacedPod:
    return UnplacedPod(**report_facts(row, PodRow), node=node, reason=reason, waits=waits)
