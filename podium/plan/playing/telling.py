"""What a play comes to: from what happened to pods to the lists of a plan."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from podium.api.disruption import BY_POD_GC, BY_SCHEDULER, Cause, cause_of
from podium.api.meta import controller_of, is_terminating, key, namespace, uid
from podium.api.priority import pod_priority
from podium.controllers.kit.pods import condition_of
from podium.node.preemption import REASON as STOPPED_BY_NODE
from podium.node.pressure.evictions import REASON as EVICTED
from podium.plan.outcome import (
    Disruption,
    GatedPod,
    Happening,
    IgnoredPod,
    Moment,
    NodeRefusal,
    PendingPod,
    Placement,
    RejectedObject,
    Return,
)
from podium.plan.playing.play import Play
from podium.plan.playing.replacing import RECREATING
from podium.plan.queue import scheduler_name
from podium.plan.state import node_name

Object = Mapping[str, Any]

_NODE_STOPS = frozenset({STOPPED_BY_NODE, EVICTED})
_REJECTED = "Pod was rejected: "
_NOT_TRIED = "no scheduler has come to it yet"


class Told:
    """The outcome of a play.

    Args:
        play: one that is over.
        waiting: pods that waited when it began.
        coming: those and all new pods, in order of arrival.
        lost: pods that the changes took off their nodes.
    """

    def __init__(
        self,
        play: Play,
        waiting: Iterable[Object],
        coming: Iterable[Object],
        lost: Iterable[Object],
    ) -> None:
        self._play = play
        self._pods = play.chronicle.pods
        self._replaced = play.replacements.replaced
        self._lost = {uid(pod): pod for pod in lost}
        self._waited = {uid(pod) for pod in waiting}
        self._concerned = [uid(pod) for pod in coming] + list(self._replaced)
        self._bound_at_s = {
            moment.uid: moment.at_s
            for moment in play.chronicle.moments
            if moment.happening is Happening.BOUND
        }
        self._depths: dict[str, int] = {}

    def placements(self, named: Iterable[Object], nodes: Iterable[str]) -> tuple[Placement, ...]:
        """Pods that have a place in the end, in the order in which they got it.

        Args:
            named: new pods that name their node themselves.
            nodes: the names of all nodes.
        """
        by_node_name, known = {uid(pod) for pod in named}, set(nodes)
        placed = [
            Placement(
                key(pod),
                node_name(pod),
                pod_priority(pod),
                by_node_name=uid(pod) in by_node_name,
                at_s=self._bound_at_s.get(uid(pod), 0.0),
                replaces=self._replaced_key(uid(pod)),
            )
            for pod in self._present()
            if node_name(pod) in known and not is_terminating(pod) and not _failed(pod)
        ]
        return tuple(sorted(placed, key=lambda placement: placement.at_s))

    def refusals(self) -> tuple[NodeRefusal, ...]:
        """Pods that their nodes refused."""
        return tuple(
            NodeRefusal(
                key(pod),
                node_name(pod),
                pod["status"]["reason"],
                str(pod["status"].get("message") or "").removeprefix(_REJECTED),
            )
            for pod in self._present()
            if _failed(pod) and pod["status"].get("reason") and not _was_stopped(pod)
        )

    def pending(self) -> tuple[PendingPod, ...]:
        """Pods that wait in the end, the most important first."""
        profiles = self._play.scheduler.pipelines
        waiting = [
            pod
            for pod in self._unbound()
            if scheduler_name(pod) in profiles and not pod["spec"].get("schedulingGates")
        ]
        waiting.sort(key=pod_priority, reverse=True)
        return tuple(
            PendingPod(
                key(pod),
                (condition_of(pod, "PodScheduled") or {}).get("message") or _NOT_TRIED,
                (pod.get("status") or {}).get("nominatedNodeName") or "",
                self._replaced_key(uid(pod)),
            )
            for pod in waiting
        )

    def gated(self) -> tuple[GatedPod, ...]:
        """Pods that may not be tried."""
        return tuple(self._gated())

    def ignored(self) -> tuple[IgnoredPod, ...]:
        """Pods that are for other schedulers."""
        profiles = self._play.scheduler.pipelines
        return tuple(
            IgnoredPod(key(pod), scheduler_name(pod))
            for pod in self._unbound()
            if scheduler_name(pod) not in profiles
        )

    def broken(self) -> dict[str, list[str]]:
        """By budget, the victims whose disruption broke it."""
        found: dict[str, list[str]] = defaultdict(list)
        for outcome in self._play.preempted.outcomes:
            for victim in outcome.taken:
                for budget in victim.broken:
                    found[budget].append(victim.pod)
        return found

    def rejected(self) -> tuple[RejectedObject, ...]:
        """Pods that were to come in place of others and that the API didn't let in."""
        found = []
        for lost, message in self._play.replacements.refused.items():
            pod = self._pods.get(lost) or self._lost[lost]
            found.append(RejectedObject(f"Pod {key(pod)}", message, _owner(pod)))
        return tuple(found)

    def disruptions(self) -> tuple[Disruption, ...]:
        """Pods that lost their places, with what became of each."""
        successors = {lost: new for new, lost in self._replaced.items()}
        gone = [self._disruption(pod, BY_POD_GC, 0.0, successors) for pod in self._lost.values()]
        others = [
            self._disruption(self._pods[lost], cause, at_s, successors)
            for lost, (_, at_s) in self._play.chronicle.lost.items()
            if (cause := cause_of(self._pods[lost])) is not None
        ]
        return (*gone, *others)

    def timeline(self) -> tuple[Moment, ...]:
        """What happened, in order, and who is behind it."""
        return tuple(
            replace(moment, by=self._behind(moment))
            for moment in self._play.chronicle.moments
            if not (moment.happening is Happening.CREATED and moment.uid in self._waited)
        )

    def _disruption(
        self, pod: Object, cause: Cause, at_s: float, successors: Mapping[str, str]
    ) -> Disruption:
        owner = controller_of(pod)
        new = self._pods.get(successors.get(uid(pod), ""))
        preemptor = self._pods.get(self._play.preempted.preemptors.get(uid(pod), ""))
        is_preempted = cause is BY_SCHEDULER and preemptor is not None
        return Disruption(
            pod=key(pod),
            node=node_name(pod),
            priority=pod_priority(pod),
            at_s=at_s,
            cause=cause,
            by=key(preemptor) if is_preempted and preemptor is not None else "",
            depth=self._depth(uid(pod)),
            owner=_owner(pod),
            comes_again=_return(owner, cause),
            replacement="" if new is None else key(new),
            replaced_on="" if new is None else node_name(new),
            replaced_at_s=None if new is None else self._bound_at_s.get(uid(new)),
        )

    def _depth(self, lost: str) -> int:
        """How far a disruption is from the changes; each step is a replacement that preempts."""
        chain = [lost]
        while chain[-1] not in self._depths:
            preemptor = self._play.preempted.preemptors.get(chain[-1], "")
            before = self._replaced.get(preemptor)
            if before is None or before in chain:
                self._depths[chain[-1]] = 1
            else:
                chain.append(before)
        for one, before in zip(reversed(chain[:-1]), reversed(chain[1:]), strict=True):
            self._depths[one] = self._depths[before] + 1
        return self._depths[lost]

    def _behind(self, moment: Moment) -> str:
        if moment.happening is Happening.CREATED:
            return self._replaced_key(moment.uid)
        if moment.happening is Happening.TERMINATING and moment.detail == BY_SCHEDULER.reason:
            preemptor = self._pods.get(self._play.preempted.preemptors.get(moment.uid, ""))
            return "" if preemptor is None else key(preemptor)
        return ""

    def _replaced_key(self, new: str) -> str:
        lost = self._replaced.get(new, "")
        pod = self._pods.get(lost) or self._lost.get(lost)
        return "" if pod is None else key(pod)

    def _present(self) -> Iterator[Object]:
        present = self._play.chronicle.present
        return (self._pods[one] for one in self._concerned if one in present)

    def _unbound(self) -> Iterator[Object]:
        return (pod for pod in self._present() if not node_name(pod) and not is_terminating(pod))

    def _gated(self) -> Iterator[GatedPod]:
        scheduler = self._play.scheduler
        for pod in self._unbound():
            if not pod["spec"].get("schedulingGates") or (
                scheduler_name(pod) not in scheduler.pipelines
            ):
                continue
            gate = scheduler.decide(scheduler.pending(pod), scheduler_name(pod)).gate
            if gate is not None:
                yield GatedPod(key(pod), gate.plugin, gate.message)


def _owner(pod: Object) -> str:
    owner = controller_of(pod)
    return "" if owner is None else f"{owner['kind']} {namespace(pod)}/{owner['name']}"


def _failed(pod: Object) -> bool:
    return (pod.get("status") or {}).get("phase") == "Failed"


def _was_stopped(pod: Object) -> bool:
    """Whether a failed pod had been taken by its node."""
    status = pod["status"]
    is_refused = str(status.get("message") or "").startswith(_REJECTED)
    return status.get("reason") in _NODE_STOPS and not is_refused


def _return(owner: Object | None, cause: Cause) -> Return:
    if owner is None or (owner["kind"] == "DaemonSet" and cause is BY_POD_GC):
        return Return.NEVER
    return Return.CERTAIN if owner["kind"] in RECREATING else Return.UNKNOWN
