"""The life of each pod in a plan, out of what was observed of it."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from podium.api.disruption import Cause, cause_of_reason
from podium.api.objects import Object, controller_of, is_terminating, key, namespace, uid
from podium.api.pods import is_finished, node_name_of
from podium.api.priority import pod_priority
from podium.controllers.daemon_set.eligibility import target_of
from podium.plan.identities import Identity
from podium.plan.outcome import Happening, Moment
from podium.simulation.observing import Entry

_HAPPENINGS = {
    "PodCreated": Happening.CREATED,
    "PodBound": Happening.BOUND,
    "PodTerminating": Happening.TERMINATING,
    "PodFailed": Happening.FAILED,
    "PodSucceeded": Happening.SUCCEEDED,
    "PodReady": Happening.READY,
    "PodGone": Happening.GONE,
}
_ENDS = ("PodTerminating", "PodFailed", "PodGone")


@dataclass(slots=True)
class Life:
    """A pod from its creation, or the beginning of the plan, to its end.

    Attributes:
        uid: of the pod.
        pod: the pod.
        priority: of the pod.
        owner: its controller, if it has one.
        is_new: whether it came in the course of the plan.
        node: where it is, or was; empty if nowhere.
        bound_s: when it was bound in the course of the plan; None if it wasn't.
        bound_by: who bound it.
        ended_s: when it lost its place, or failed; None if it hasn't.
        ended_by: who ended it.
        cause: what disrupted it; None if it wasn't disrupted.
        replaces: uid of the lost pod in whose place it comes; empty if in nobody's.
        has_finished: whether it ended by itself.
        was_leaving: whether it was on its way out, or had ended, when the plan began.
    """

    uid: str
    pod: str
    priority: int
    owner: Identity | None
    is_new: bool
    node: str = ""
    bound_s: float | None = None
    bound_by: str = ""
    ended_s: float | None = None
    ended_by: str = ""
    cause: Cause | None = None
    replaces: str = ""
    has_finished: bool = False
    was_leaving: bool = False


class Lives:
    """The pods to which anything happened in a plan.

    Attributes:
        by_uid: each pod's life.
        moments: what happened, in order, but for what was so before the changes.
        disrupted: the pods that lost their place through no change of their own, in order.

    Args:
        before: the pods of the state.
        after: those of the end.
        entries: what was observed.
        unchanged: how many of the entries tell of the time before the changes.
    """

    def __init__(
        self,
        before: Iterable[Object],
        after: Iterable[Object],
        entries: Iterable[Entry],
        unchanged: int,
    ) -> None:
        self.by_uid: dict[str, Life] = {}
        self.moments: list[Moment] = []
        self.disrupted: list[Life] = []
        self._unchanged = unchanged
        self._before = {uid(pod): pod for pod in before}
        self._after = {uid(pod): pod for pod in after}
        self._lost: dict[Identity, list[Life]] = defaultdict(list)
        for number, entry in enumerate(entries):
            if entry.kind == "Pod":
                self._take(number, entry)

    def _take(self, number: int, entry: Entry) -> None:
        life = self.by_uid.get(entry.uid)
        if life is None:
            known = self._before.get(entry.uid)
            life = self.by_uid[entry.uid] = _new(entry) if known is None else _known(known)
            self._replace(life)
        at_s, details = round(entry.at_s, 3), entry.details
        if entry.type == "PodBound":
            life.node, life.bound_s, life.bound_by = details["node"], at_s, entry.by
        elif entry.type in ("PodSucceeded", "PodFailed"):
            life.has_finished |= life.ended_s is None
        if entry.type in _ENDS and life.ended_s is None and not life.was_leaving:
            self._end(life, entry, at_s)
        happening = _HAPPENINGS.get(entry.type)
        if entry.type == "PodRunning" and details.get("ready"):
            happening = Happening.READY
        if happening is not None and (life.is_new or number >= self._unchanged):
            detail = str(details.get("disruption") or "")
            if happening is Happening.FAILED:
                detail = str(details.get("reason") or "")
            elif happening is not Happening.TERMINATING:
                detail = ""
            self.moments.append(Moment(at_s, happening, life.pod, life.uid, life.node, detail))

    def _end(self, life: Life, entry: Entry, at_s: float) -> None:
        details = entry.details
        life.ended_s, life.ended_by = at_s, entry.by
        reason = str(details.get("disruption") or "")
        life.cause = cause_of_reason(reason, str(details.get("reason") or ""))
        if life.cause is not None:
            self.disrupted.append(life)
            if life.owner is not None:
                self._lost[life.owner].append(life)

    def _replace(self, life: Life) -> None:
        """Say in whose place a new pod comes: of its name or node, if its owner goes by that."""
        lost = self._lost.get(life.owner) if life.owner is not None and life.is_new else None
        if not lost:
            return
        kind = life.owner[0] if life.owner is not None else ""
        for one in lost:
            if kind == "StatefulSet" and one.pod != life.pod:
                continue
            pod = self._after.get(life.uid)
            if kind == "DaemonSet" and pod is not None and one.node != target_of(pod):
                continue
            lost.remove(one)
            life.replaces = one.uid
            return


def depth_of(lives: Lives, lost: Life, preemptors: Mapping[str, str]) -> int:
    """How far a disruption is from the changes; each step is a replacement that preempts.

    Args:
        lives: of all pods.
        lost: the pod that was disrupted.
        preemptors: by the uid of a victim, that of the pod that it gives way to.
    """
    depth, seen = 1, {lost.uid}
    while True:
        preemptor = lives.by_uid.get(preemptors.get(lost.uid, ""))
        before = None if preemptor is None else lives.by_uid.get(preemptor.replaces)
        if before is None or before.uid in seen:
            return depth
        seen.add(before.uid)
        depth, lost = depth + 1, before


def _known(pod: Object) -> Life:
    owner = controller_of(pod)
    return Life(
        uid=uid(pod),
        pod=key(pod),
        priority=pod_priority(pod),
        owner=None if owner is None else (str(owner["kind"]), namespace(pod), str(owner["name"])),
        is_new=False,
        node=node_name_of(pod),
        was_leaving=is_terminating(pod) or is_finished(pod),
    )


def _new(entry: Entry) -> Life:
    owner = entry.details.get("owner")
    return Life(
        uid=entry.uid,
        pod=f"{entry.namespace}/{entry.name}",
        priority=int(entry.details.get("priority") or 0),
        owner=owner and (str(owner["kind"]), entry.namespace, str(owner["name"])),
        is_new=True,
    )
