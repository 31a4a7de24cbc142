"""The agent of one simulated node: what it does with the pods that have come to it."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from podium.api.meta import is_finished, is_terminating, name, uid
from podium.api.priority import is_critical
from podium.control.effects import Delete, Effect, Patch
from podium.core.pods import PodInfo
from podium.node.admission import PRESSURES, Objection, Shortage, objection, shortages
from podium.node.life import DELETED, Life, Stage, Why
from podium.node.pod_events import life_events, node_record, seen
from podium.node.pod_status import gist, pod_status, refused_status
from podium.node.preemption import CONDITION_MESSAGE, MESSAGE, REASON, victims
from podium.node.residents import NEVER, Resident, Residents
from podium.node.resuming import has_started, resumed
from podium.node.senses import Senses
from podium.node.simulated.behaviour import (
    DEFAULT_NODE_BEHAVIOUR,
    Behaviour,
    BehaviourError,
    NodeBehaviour,
    Script,
    behaviour_of,
    node_behaviour_of,
)
from podium.node.simulated.durations import ENDLESS_S
from podium.node.simulated.settings import NodeSettings
from podium.node.simulated.usage.scripts import NO_USAGE, usage_of

Object = Mapping[str, Any]

_PREEMPTED = Why(REASON, MESSAGE, CONDITION_MESSAGE)
_UNREADABLE = "InvalidBehaviour"
_NO_ROOM = (
    "Unexpected error while attempting to recover from admission failure: preemption: error "
    "finding a set of pods to preempt: no set of running pods found to reclaim resources: [{}]"
)


class Agent:
    """One node.

    Attributes:
        node: as last seen.
        started_s: since when the agent is heard of, in seconds since the epoch.
        behaviour: how the node behaves.
        residents: the pods that it has taken.
        senses: what it feels of what they use.

    Args:
        node: likewise.
        settings: what goes for all nodes.
        residents: none yet.
        revisit: asked to have a pod looked at again at a time.
        now_s: the time.
    """

    def __init__(
        self,
        node: Object,
        settings: NodeSettings,
        residents: Residents,
        revisit: Callable[[Object, float], None],
        now_s: float,
    ) -> None:
        self.node = node
        self.started_s = now_s
        self.behaviour: NodeBehaviour = DEFAULT_NODE_BEHAVIOUR
        self.residents = residents
        self._settings = settings
        self._pod_behaviour = settings.behaviour
        self._revisit = revisit
        self.senses = Senses(settings, residents, revisit)

    def see(self, node: Object, now_s: float) -> None:
        """Take in how the node is now, and how it is to behave.

        Raises:
            BehaviourError: its annotations can't be read; it behaves as before.
        """
        self.node = node
        behaviour = node_behaviour_of(node)
        self._pod_behaviour = behaviour_of(node, self._settings.behaviour)
        if self.behaviour.down and not behaviour.down:
            self.started_s = now_s
        self.behaviour = behaviour
        self.senses.see(node, self.started_s, now_s)

    def resume(self, pod: Object, now_s: float) -> Resident:
        """Go on with a pod that runs already.

        It was taken once, so that annotations that can't be read are no reason to refuse it now.
        """
        try:
            behaviour, usage = behaviour_of(pod, self._pod_behaviour), usage_of(pod)
        except BehaviourError:
            behaviour, usage = self._pod_behaviour, NO_USAGE
        life = resumed(self._script(pod, behaviour), pod, now_s)
        ip = pod["status"].get("podIP") or ""
        resident = self.residents.take(self.residents.info_of(pod), life, ip)
        self.senses.take(resident, usage, now_s)
        resident.written = life.changes
        resident.told = (life.phase, str(life.is_ready))
        resident.seen = seen(life)
        return resident

    def has_other_view(self, pod: Object) -> bool:
        """Whether the pod's status may not be what the node makes of it."""
        resident = self.residents.get(uid(pod))
        if resident is None:
            return not is_finished(pod)
        gates = resident.life.spec.get("readinessGates")
        return bool(gates) or gist(pod.get("status") or {}) != resident.told

    def leaves_alone(self, pod: Object) -> bool:
        """Whether the pod runs, and goes on for ever as it is and as its status says."""
        resident = self.residents.get(uid(pod))
        if resident is None or is_terminating(pod) or self.has_other_view(pod):
            return False
        return resident.written == resident.life.changes and resident.life.next_s() >= ENDLESS_S

    def sync(self, pod: Object, now_s: float) -> Iterator[Effect]:
        """Do what is to be done about a pod; nothing while the node is silent."""
        if self.behaviour.down:
            return
        if is_finished(pod):
            self.residents.leave(uid(pod))
            if is_terminating(pod) and pod["metadata"].get("deletionGracePeriodSeconds"):
                yield _removal(pod)
            return
        resident = self.residents.get(uid(pod))
        if resident is None and has_started(pod):
            resident = self.resume(pod, now_s)
        if resident is None:
            if is_terminating(pod):
                yield _removal(pod)
                return
            admitted = self._admitted(pod, now_s)
            if isinstance(admitted, Objection):
                yield _patch(pod, refused_status(admitted, now_s))
                yield node_record(pod, "Warning", admitted.reason, admitted.message)
                return
            resident, stopped = admitted
            for victim in stopped:
                yield node_record(victim.info.obj, "Warning", REASON, MESSAGE)
        yield from self._go_on(resident, pod, now_s)

    @property
    def conditions(self) -> Mapping[str, str]:
        """Statuses by type of the conditions to be told that aren't as on a healthy node."""
        return {**self.senses.told, **self.behaviour.conditions}

    def write_again(self, pod_uid: str) -> None:
        """The last status may not have come through."""
        resident = self.residents.get(pod_uid)
        if resident is not None:
            resident.written = NEVER

    def _script(self, pod: Object, behaviour: Behaviour) -> Script:
        return Script(behaviour, f"{self._settings.seed}/{uid(pod)}")

    def _admitted(self, pod: Object, now_s: float) -> Objection | tuple[Resident, list[Resident]]:
        """The new resident, and whom the node stops for it; or why it isn't one."""
        try:
            behaviour, usage = behaviour_of(pod, self._pod_behaviour), usage_of(pod)
        except BehaviourError as error:
            return Objection(_UNREADABLE, str(error))
        info = self.residents.info_of(pod)
        refused = objection(self.node, self.residents.load, info, self._pressures())
        if refused is not None:
            return refused
        stopped: list[Resident] = []
        if is_critical(pod):
            short = [*shortages(self.node, self.residents.load, info)]
            chosen = self._victims(info, short)
            if chosen is None:
                needs = (f"(res: {one.resource}, q: {one.missing}), " for one in short)
                return Objection("UnexpectedAdmissionError", _NO_ROOM.format("".join(needs)))
            stopped = chosen
        free_s = max((self._stop(victim, now_s) for victim in stopped), default=now_s)
        life = Life(self._script(pod, behaviour), pod["spec"], now_s, free_s)
        resident = self.residents.take(info, life)
        self.senses.take(resident, usage, now_s)
        return resident, stopped

    def _pressures(self) -> Sequence[str] | None:
        """The conditions of pressure that the node feels or is told to have, if it feels any."""
        if self.senses.feeling is None:
            return None
        scripted = {kind for kind, status in self.behaviour.conditions.items() if status == "True"}
        return sorted(scripted & PRESSURES | {*self.senses.conditions})

    def _victims(self, info: PodInfo, short: Sequence[Shortage]) -> list[Resident] | None:
        if not short:
            return []
        active = {id(one.info): one for one in self.residents.active()}
        chosen = victims(info, [one.info for one in active.values()], short)
        return None if chosen is None else [active[id(one)] for one in chosen]

    def _stop(self, victim: Resident, now_s: float) -> float:
        """Stop a pod to make room; when that will be done."""
        grace_period_s = float(victim.life.spec.get("terminationGracePeriodSeconds") or 0)
        victim.life.stop(_PREEMPTED, grace_period_s, now_s)
        self._revisit(victim.info.obj, now_s)
        return victim.life.stops_s

    def _go_on(self, resident: Resident, pod: Object, now_s: float) -> Iterator[Effect]:
        self.residents.renew(resident, pod)
        yield from self.senses.renew(resident, pod, now_s)
        life = resident.life
        if is_terminating(pod):
            grace_period_s = float(pod["metadata"].get("deletionGracePeriodSeconds") or 0)
            life.stop(DELETED, grace_period_s, now_s)
        life.advance(now_s)
        if (next_s := life.next_s()) < ENDLESS_S:
            self._revisit(pod, next_s)
        if self._settings.records_lives:
            before, resident.seen = resident.seen, seen(life)
            yield from life_events(pod, before, resident.seen)
        if life.stage is Stage.STOPPED:
            self.residents.vacate(resident)
            if is_terminating(pod) and not pod["metadata"].get("finalizers"):
                # Nobody would see more of its last status than that it is gone.
                yield _removal(pod)
                return
        yield from self._tell(resident, pod, now_s)

    def _tell(self, resident: Resident, pod: Object, now_s: float) -> Iterator[Effect]:
        life = resident.life
        if resident.written == life.changes and not self.has_other_view(pod):
            return
        status = pod_status(life, pod, self.residents.addresses.host, resident.ip, now_s)
        told = gist(status)
        if resident.written == life.changes and told == gist(pod.get("status") or {}):
            return
        resident.written = life.changes
        resident.told = told
        yield _patch(pod, status)


def _patch(pod: Object, status: Object) -> Patch:
    return Patch(
        kind="Pod",
        namespace=pod["metadata"]["namespace"],
        name=name(pod),
        subresource="status",
        body={"metadata": {"uid": uid(pod)}, "status": status},
    )


def _removal(pod: Object) -> Delete:
    return Delete(
        kind="Pod",
        namespace=pod["metadata"]["namespace"],
        name=name(pod),
        uid=uid(pod),
        grace_period_s=0,
    )
