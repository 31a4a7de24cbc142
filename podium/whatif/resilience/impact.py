"""Drains and failures of nodes, and the impact of each on pods and budgets."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from enum import StrEnum
from typing import Annotated, Any, Literal

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


class DisturbanceKind(StrEnum):
    """A kind of drain or failure."""

    DRAIN = "Drain"
    NODE_FAILURE = "NodeFailure"
    ZONE_FAILURE = "ZoneFailure"


class Disturbance(Report):
    """Drains or failures of nodes."""

    kind: DisturbanceKind
    """Drain, failure of nodes, or failure of a zone."""
    nodes: tuple[str, ...]
    """The nodes that are drained one after the other, or that fail at once."""
    zone: Annotated[str, IF_ANY] = ""
    """The zone of the nodes; empty unless a zone fails."""
    drain: Annotated[Mapping[str, Any], HIDDEN] = field(default_factory=dict)
    """Fields of a `Drain` by name that differ from the defaults."""

    @property
    def name(self) -> str:
        """A short description, such as `drain of node a` or `failure of zone west`."""
        verb = "drain" if self.kind is DisturbanceKind.DRAIN else "failure"
        if self.zone:
            return f"{verb} of zone {self.zone}"
        return f"{verb} of node{'s' if len(self.nodes) > 1 else ''} {', '.join(self.nodes)}"

    @property
    def changes(self) -> list[Change]:
        """The changes of a plan that cause the drains or failures."""
        if self.kind is DisturbanceKind.DRAIN:
            settings = {"delete_empty_dir_data": True, **self.drain}
            return [Drain(node=node, **settings) for node in self.nodes]
        return [Fail(node) for node in self.nodes]


def drain_of(state: Iterable[Object], texts: Sequence[str], **drain: Any) -> Disturbance:
    """Return the drain of several nodes, one after the other; raises PodiumError.

    Nodes are given as `NAME` or `node/NAME`, and fields of `Drain` by name, such as `force`.
    """
    known = nodes_by_name(state)
    names = [text.removeprefix("node/").removeprefix("no/") for text in texts]
    check_nodes(names, known)
    return Disturbance(DisturbanceKind.DRAIN, tuple(dict.fromkeys(names)), drain=drain)


def check_nodes(names: Iterable[str], known: Collection[str]) -> None:
    """Check that nodes exist; raises PodiumError."""
    missing = [
        f"the state has no Node {node}{likely_meant(node, known)}"
        for node in names
        if node not in known
    ]
    if missing:
        raise PodiumError("\n".join(missing))


def failure_of(state: Iterable[Object], texts: Sequence[str]) -> Disturbance:
    """Return the failure of `NAME`, `node/NAME` or `zone/NAME`, all at once; raises PodiumError."""
    known = nodes_by_name(state)
    zones = nodes_by_zone(known.values())
    failing, missing = dict[str, None](), []
    for text in texts:
        kind, _, wanted = text.rpartition("/")
        if wanted in known and kind in ("", "node", "no"):
            failing[wanted] = None
        elif wanted in zones and kind in ("", "zone"):
            failing |= dict.fromkeys(zones[wanted])
        else:
            names = {"node": known, "no": known, "zone": zones}.get(kind, (*known, *zones))
            hint = likely_meant(wanted, names)
            missing.append(f"the state has no {kind or 'node or zone'} {wanted}{hint}")
    if missing:
        raise PodiumError("\n".join(missing))
    zone = texts[0].rpartition("/")[2] if len(texts) == 1 else ""
    if zone in zones and [*failing] == zones[zone]:
        return Disturbance(DisturbanceKind.ZONE_FAILURE, tuple(failing), zone)
    return Disturbance(DisturbanceKind.NODE_FAILURE, tuple(failing))


def nodes_by_name(state: Iterable[Object]) -> dict[str, Object]:
    """Return the nodes of a state by name, sorted."""
    nodes = {name(obj): obj for obj in state if obj.get("kind") == "Node"}
    return dict(sorted(nodes.items()))


def nodes_by_zone(nodes: Iterable[Object]) -> Mapping[str, list[str]]:
    """Return the names of the nodes of each zone, sorted by zone."""
    zones: dict[str, list[str]] = defaultdict(list)
    for node in nodes:
        if zone := labels(node).get(ZONE_LABEL):
            zones[str(zone)].append(name(node))
    return dict(sorted(zones.items()))


class UnplacedPod(PodRow, kw_only=True):
    """A pod without a node in the end, or on a node that doesn't respond."""

    node: Annotated[str, IF_ANY] = ""
    """The node of the lost pod; empty for a replacement of another pod."""
    reason: str
    """Why the pod has no node."""
    waits: bool = False
    """Whether the pod is pending, so that another node could help."""


class Impact(Report, kw_only=True):
    """The effects of a disturbance on pods and budgets; pods are named `namespace/name`."""

    api_version: str = API_VERSION
    kind: Literal["Impact"] = "Impact"
    disturbance: Disturbance
    """The drains or failures."""
    name: str
    """A short description of the disturbance."""
    moved: int
    """How many pods are disrupted and replaced by bound ones."""
    preempted: int
    """How many pods are preempted by the replacements."""
    disruptions: tuple[Disruption, ...] = ()
    """The disrupted pods, with time, cause, and the node of the replacement."""
    unplaced: tuple[UnplacedPod, ...] = ()
    """The pods without a node in the end, by descending priority."""
    budgets: tuple[BudgetChange, ...] = ()
    """The disruption budgets of the affected pods."""
    failed_jobs: tuple[FailedJob, ...] = ()
    """The Jobs that fail, whole or in some of their indexes."""
    drains: tuple[Drainage, ...] = ()
    """The state of each drain in the end, and the budgets that block it."""
    workloads: tuple[WorkloadSummary, ...] = ()
    """How many pods each workload loses, and the fewest that were ready."""
    settled_at: float = 0.0
    """When the last pod was lost or replaced, or the last drain was done, in seconds since the
    beginning."""
    until_seconds: float = 0.0
    """The simulated time, in seconds."""
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def unavailable(self) -> list[WorkloadSummary]:
        """The workloads that are without a ready pod for a while, by priority and duration."""
        return sorted(
            (workload for workload in self.workloads if workload.unavailable),
            key=lambda row: (-row.priority, -row.ready_least_for_seconds, row.workload),
        )

    @property
    def is_harmless(self) -> bool:
        """Whether workloads keep ready pods, every pod has a node, and every drain is done."""
        is_done = all(drain.state == "Done" for drain in self.drains)
        return is_done and not self.unplaced and not self.unavailable

    @property
    def waiting(self) -> list[UnplacedPod]:
        """The pods in `unplaced` that are pending."""
        return [pod for pod in self.unplaced if pod.waits]


class ImpactReader:
    """Derives impacts from plans for one state of a cluster."""

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
        """Derive an impact from its plan; pods that were pending before aren't unplaced by it."""
        unplaced = [
            *(
                _unplaced(pod, f"stays pending: {pod.message}", waits=True)
                for pod in plan.pending
                if pod.pod not in self._waited
            ),
            *_lost(plan),
        ]
        gone = {row.pod for row in (*plan.disruptions, *plan.removed)}
        is_drain = disturbance.kind is DisturbanceKind.DRAIN
        for silent in () if is_drain else plan.silent_nodes:
            for pod in self._on.get(silent.node, ()):
                owner = controller_of(pod)
                if key(pod) in gone or (owner and owner["kind"] in ("DaemonSet", "Node")):
                    continue
                why = f"stays on its silent node: {silent.why_pod_stays(pod, plan.until_seconds)}"
                row = UnplacedPod(**self._owners.row_of(pod), node=silent.node, reason=why)
                unplaced.append(row)
        unplaced.sort(key=lambda row: (-row.priority, row.pod))
        settled = [row.replaced_at or row.at for row in plan.disruptions]
        settled += [drain.at or 0.0 for drain in plan.drains]
        return Impact(
            disturbance=disturbance,
            name=disturbance.name,
            moved=sum(row.replaced_at is not None for row in plan.disruptions),
            preempted=sum(row.cause.group == PREEMPTED for row in plan.disruptions),
            disruptions=plan.disruptions,
            unplaced=tuple(unplaced),
            budgets=tuple(budget for budget in plan.budgets if budget.is_touched),
            failed_jobs=plan.failed_jobs,
            drains=plan.drains,
            workloads=plan.workloads,
            settled_at=max(settled, default=0.0),
            until_seconds=plan.until_seconds,
            warnings=plan.warnings,
            notes=plan.notes,
        )


def _lost(plan: Plan) -> Iterator[UnplacedPod]:
    for lost in plan.disruptions:
        if lost.replacement or lost.comes_again is Return.SURPLUS:
            continue
        owner_kind = lost.owner.partition(" ")[0]
        match lost.comes_again:
            case Return.NEVER:
                why = why_never(lost)
            case Return.UNKNOWN:
                why = f"whether a {owner_kind} recreates its pods isn't known"
            case Return.AFTER_NODE:
                why = f"its {owner_kind} waits until it is gone, which its node doesn't report"
            case _:
                why = "its controller hasn't recreated it"
        yield _unplaced(lost, why, node=lost.node)
    failed = {job.job for job in plan.failed_jobs if not job.indexes}
    for removed in plan.removed:
        if removed.is_evicted and removed.owner in failed:
            yield _unplaced(removed, f"{why_never(removed)}: its Job fails", node=removed.node)


def _unplaced(row: PodRow, reason: str, node: str = "", *, waits: bool = False) -> UnplacedPod:
    return UnplacedPod(**report_facts(row, PodRow), node=node, reason=reason, waits=waits)
