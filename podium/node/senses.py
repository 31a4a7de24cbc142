"""What an agent does about what its node feels: containers killed, pods evicted, conditions told.

A node begins to feel when its annotations, or those of a pod on it, script what is used; until
then this costs nothing.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from podium.api.meta import name, uid
from podium.control.effects import Effect
from podium.node.feeling import Feeling
from podium.node.life import Why
from podium.node.pod_events import node_record
from podium.node.pressure.evictions import REASON, Eviction
from podium.node.pressure.manager import Round
from podium.node.residents import Resident, Residents
from podium.node.simulated.behaviour import BehaviourError
from podium.node.simulated.settings import NodeSettings
from podium.node.simulated.usage.scripts import (
    NO_SCRIPT,
    NodeScript,
    UsageScript,
    node_script_of,
    usage_of,
)

Object = Mapping[str, Any]

OOM_KILLED = "OOMKilled"

_TRANSITIONS = {
    ("MemoryPressure", True): "NodeHasInsufficientMemory",
    ("MemoryPressure", False): "NodeHasSufficientMemory",
    ("DiskPressure", True): "NodeHasDiskPressure",
    ("DiskPressure", False): "NodeHasNoDiskPressure",
    ("PIDPressure", True): "NodeHasInsufficientPID",
    ("PIDPressure", False): "NodeHasSufficientPID",
}


class Senses:
    """One node's.

    Attributes:
        feeling: what the node feels; None until something is scripted.

    Args:
        settings: what goes for all nodes.
        residents: the pods on the node.
        revisit: asked to have a pod looked at again at a time.
    """

    def __init__(
        self,
        settings: NodeSettings,
        residents: Residents,
        revisit: Callable[[Object, float], None],
    ) -> None:
        self.feeling: Feeling | None = None
        self._settings = settings
        self._residents = residents
        self._revisit = revisit
        self._script: NodeScript = NO_SCRIPT
        self._node: Object = {}
        self._started_s = 0.0

    @property
    def conditions(self) -> Sequence[str]:
        """The conditions of pressure that the node is in, whatever its status says."""
        return () if self.feeling is None else self.feeling.manager.conditions

    @property
    def told(self) -> Mapping[str, str]:
        """The conditions of pressure that its status tells, as statuses by type."""
        return {} if self.feeling is None else dict.fromkeys(self.feeling.told, "True")

    def see(self, node: Object, started_s: float, now_s: float) -> None:
        """Take in how the node is now; raises BehaviourError if its script can't be read."""
        self._node, self._started_s = node, started_s
        self._script = node_script_of(node)
        if self.feeling is not None:
            self.feeling.see(node, self._script)
        elif self._script is not NO_SCRIPT:
            self._begin(now_s)

    def take(self, resident: Resident, usage: UsageScript, now_s: float) -> None:
        """A pod has come that uses this."""
        resident.usage = usage
        resident.annotations = resident.info.obj["metadata"].get("annotations")
        if self.feeling is None and not usage.is_empty:
            self._begin(now_s)

    def renew(self, resident: Resident, pod: Object, now_s: float) -> Iterator[Effect]:
        """Read again what a pod uses, if its annotations have changed."""
        written = pod["metadata"].get("annotations")
        if written is resident.annotations:
            return
        resident.annotations = written
        try:
            self.take(resident, usage_of(pod), now_s)
        except BehaviourError as error:
            yield node_record(pod, "Warning", "InvalidBehaviour", str(error))
        resident.annotations = written

    def feel(self, now_s: float) -> Iterator[Effect]:
        """Let the kernel and the eviction manager do what is due; the pods are revisited."""
        if self.feeling is None:
            return
        for kill in self.feeling.kills(self._active(), now_s):
            yield from self._kill(kill.resident, kill.is_systems, now_s)
        round_ = self.feeling.look(self._active(), now_s)
        if round_ is not None:
            yield from self._carry_out(round_, now_s)
        before = self.feeling.told
        if self.feeling.tells_news(now_s):
            yield from transitions(self._node, before, self.feeling.told)

    def next_s(self, now_s: float) -> float | None:
        """When there is something to feel again, if nothing else happens."""
        return None if self.feeling is None else self.feeling.next_s(self._active(), now_s)

    def _begin(self, now_s: float) -> None:
        self.feeling = Feeling(
            self._node,
            self._script,
            self._settings.eviction,
            self._settings.seed,
            self._started_s,
            now_s,
        )

    def _active(self) -> list[Resident]:
        return list(self._residents.active())

    def _kill(self, resident: Resident, is_systems: bool, now_s: float) -> Iterator[Effect]:
        resident.life.kill(OOM_KILLED, now_s)
        pod = resident.info.obj
        self._revisit(pod, now_s)
        if is_systems:
            note = f"System OOM encountered, victim process: {pod['spec']['containers'][0]['name']}"
            yield node_record(self._node, "Warning", "SystemOOM", note)

    def _carry_out(self, round_: Round, now_s: float) -> Iterator[Effect]:
        assert self.feeling is not None
        if round_.reclaiming:
            note = f"Attempting to reclaim {round_.reclaiming}"
            yield node_record(self._node, "Warning", "EvictionThresholdMet", note)
        stops_s = []
        for eviction in round_.evictions:
            pod = eviction.pod
            yield node_record(pod, "Warning", REASON, eviction.message)
            stops_s.append(self._evict(eviction, now_s))
            self._revisit(pod, now_s)
        if stops_s:
            self.feeling.wait_for(stops_s, now_s)

    def _evict(self, eviction: Eviction, now_s: float) -> float:
        """Have a pod stop; when it will have."""
        resident = self._residents.get(uid(eviction.pod))
        assert resident is not None
        disruption = eviction.message if eviction.disrupts else ""
        why = Why(REASON, eviction.message, disruption)
        resident.life.stop(why, float(eviction.effective_grace_period_s), now_s)
        return resident.life.stops_s


def transitions(node: Object, before: Sequence[str], now: Sequence[str]) -> Iterator[Effect]:
    """Record which conditions of pressure have come and gone."""
    for kind in sorted({*before} ^ {*now}):
        reason = _TRANSITIONS[kind, kind in now]
        note = f"Node {name(node)} status is now: {reason}"
        yield node_record(node, "Normal", reason, note)
