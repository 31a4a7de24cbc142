"""How a DaemonSet stands on one node: what is to be created and deleted there, and what counts.

The rules are those of v1.36's podsShouldBeOnNode, rollingUpdate and updateDaemonSetStatus, each of
which goes over all nodes; here each node is judged when something about it has changed.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from podium.api.objects import Object, annotations, is_terminating, labels
from podium.api.pods import is_ready, node_name_of, phase_of
from podium.controllers.daemon_set.eligibility import Eligibility, seniority
from podium.controllers.kit.pods import available_from_s
from podium.controllers.revisions import REVISION_LABEL

TEMPLATE_GENERATION = "deprecated.daemonset.template.generation"
GENERATION_LABEL = "pod-template-generation"


@dataclass(frozen=True, slots=True)
class Orders:
    """What a DaemonSet wants on every node.

    Attributes:
        eligibility: which nodes get a pod.
        revision: the hash of its template.
        generation: of its template, as pods are labelled with it; empty if that isn't said.
        min_ready_s: for how long a pod must have been ready to be available.
        surges: whether new pods come before the old ones go.
    """

    eligibility: Eligibility
    revision: str
    generation: str
    min_ready_s: int
    surges: bool

    def is_updated(self, pod: Object) -> bool:
        """Whether a pod is of the template as it is."""
        carried = labels(pod)
        if self.generation and carried.get(GENERATION_LABEL) == self.generation:
            return True
        return bool(self.revision) and carried.get(REVISION_LABEL) == self.revision


@dataclass(slots=True)
class Station:
    """A DaemonSet on one node.

    Attributes:
        lacks: whether a pod is to be created.
        doomed: pods to be deleted.
        failed: of these, the ones that have failed.
        counts: what the node adds to the status.
        holds: whether it takes up one of the nodes that a rollout may have changing at a time.
        outdated: the pod that a rollout has yet to replace.
        is_free: whether that may be done at once, as nothing is lost by it.
        later_s: when to judge again at the latest; None if only events matter.
    """

    lacks: bool = False
    doomed: list[Object] = field(default_factory=list)
    failed: list[Object] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)
    holds: bool = False
    outdated: Object | None = None
    is_free: bool = False
    later_s: float | None = None


def judge(orders: Orders, node: Object | None, pods: Sequence[Object], now_s: float) -> Station:
    """How things stand on a node.

    Args:
        orders: what is wanted.
        node: None if there is none of the name that the pods are for.
        pods: the DaemonSet's, on the node or made for it, whatever has become of them.
        now_s: the time.
    """
    station = Station()
    if node is None:
        # Pods that have been there are garbage, which somebody else collects.
        unscheduled = [pod for pod in pods if not node_name_of(pod)]
        station.doomed += [pod for pod in unscheduled if not is_terminating(pod)]
        return station
    wanted, stays = orders.eligibility.may_start(node), orders.eligibility.may_stay(node)
    if not stays:
        station.doomed += [pod for pod in pods if not is_terminating(pod)]
    elif wanted and not pods:
        station.lacks = True
    else:
        _manage(station, orders, pods, now_s, wanted=wanted)
    station.counts = _counts(orders, pods, now_s, wanted=wanted)
    if wanted or pods:
        _put_rollout(station, orders, pods, now_s)
    station.later_s = _next_available_s(orders, pods, now_s)
    return station


def _manage(
    station: Station, orders: Orders, pods: Sequence[Object], now_s: float, *, wanted: bool
) -> None:
    """Finished pods go, and what is too much."""
    alive = [pod for pod in pods if not is_terminating(pod)]
    phases = [phase_of(pod) for pod in alive]
    finished = [pod for pod, phase in zip(alive, phases, strict=True) if phase == "Succeeded"]
    station.failed = [pod for pod, phase in zip(alive, phases, strict=True) if phase == "Failed"]
    running = sorted(
        (pod for pod in alive if pod not in finished and pod not in station.failed), key=seniority
    )
    station.doomed += finished
    if not orders.surges:
        station.doomed += running[1:]
    elif running:
        station.doomed += _surplus_of_surge(orders, running, now_s)
    else:
        # When surging there always has to be one that isn't on its way out.
        station.lacks = wanted


def _surplus_of_surge(orders: Orders, running: list[Object], now_s: float) -> list[Object]:
    """All but the oldest old pod, while it is ready, and the oldest new one, until it serves."""
    new = [pod for pod in running if orders.is_updated(pod)]
    old = [pod for pod in running if not orders.is_updated(pod)]
    surplus = new[1:] + old[1:]
    if new and old and (not is_ready(old[0]) or _is_available(orders, new[0], now_s)):
        surplus.append(old[0])
    return surplus


def _counts(
    orders: Orders, pods: Sequence[Object], now_s: float, *, wanted: bool
) -> dict[str, int]:
    if not wanted:
        return {"numberMisscheduled": int(bool(pods))}
    counts = {"desiredNumberScheduled": 1}
    if pods:
        oldest = min(pods, key=seniority)
        counts["currentNumberScheduled"] = 1
        counts["numberReady"] = int(is_ready(oldest))
        counts["numberAvailable"] = int(_is_available(orders, oldest, now_s))
        counts["updatedNumberScheduled"] = int(orders.is_updated(oldest))
    return counts


def _put_rollout(station: Station, orders: Orders, pods: Sequence[Object], now_s: float) -> None:
    """What a rolling update is to know of the node."""
    alive = [pod for pod in pods if not is_terminating(pod)]
    new = [pod for pod in alive if orders.is_updated(pod)]
    old = [pod for pod in alive if not orders.is_updated(pod)]
    if len(new) > 1 or len(old) > 1:
        station.holds = True
        return
    serves = [_is_available(orders, pod, now_s) for pod in (new or old)]
    if old and not new:
        station.outdated = old[0]
        station.is_free = not serves[0]
        station.holds = station.is_free and not orders.surges
    elif orders.surges:
        station.holds = bool(old) and not serves[0]
    else:
        station.holds = bool(old) or not new or not serves[0]


def _is_available(orders: Orders, pod: Object, now_s: float) -> bool:
    from_s = available_from_s(pod, orders.min_ready_s)
    return from_s is not None and from_s <= now_s


def _next_available_s(orders: Orders, pods: Sequence[Object], now_s: float) -> float | None:
    moments = (available_from_s(pod, orders.min_ready_s) for pod in pods)
    return min((at_s for at_s in moments if at_s is not None and at_s > now_s), default=None)


def generation_of(daemon_set: Object) -> str:
    """The generation of a DaemonSet's template, which the API server counts."""
    return annotations(daemon_set).get(TEMPLATE_GENERATION, "")
