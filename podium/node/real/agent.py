"""The agent of a real node: a machine between the cluster's API and the node's processes.

It takes pods that have come to its node, or refuses them; what it wants done with their containers
it asks for by commands, whose outcomes it takes in like those of calls.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from podium.api.meta import is_finished, is_terminating, name, uid
from podium.api.quantity import value
from podium.control.effects import Delete, Effect, Patch
from podium.control.events import Change, Event, Outcome, Synced
from podium.node.life import DELETED, Why
from podium.node.pod_events import REPORTER, node_record
from podium.node.pod_status import refused_status
from podium.node.pressure.evictions import REASON as EVICTED
from podium.node.pressure.manager import Round
from podium.node.pressure.statistics import Statistics
from podium.node.real.commands import (
    Answered,
    Ask,
    Await,
    AwaitEnd,
    Check,
    ContainerId,
    Discard,
    End,
    Exited,
    Measure,
    SetUp,
    Start,
    TearDown,
    Verdict,
)
from podium.node.real.container_life import OOM_KILLED, ContainerLife
from podium.node.real.herald import Herald
from podium.node.real.household import Household, Resident
from podium.node.real.kubelet_config import KubeletConfig
from podium.node.real.machine import MachineInfo
from podium.node.real.pod_report import pod_report
from podium.node.real.status_writer import StatusWriter
from podium.node.real.vigil import Vigil, excesses
from podium.node.senses import transitions

Object = Mapping[str, Any]

LEAVING = Why(
    "Terminated",
    "Pod was terminated in response to imminent node shutdown.",
    "Pod was terminated in response to imminent node shutdown.",
)
# Whoever was deleted without grace has this long; nobody waits for it any more.
_FORCED_S = 1.0


class NodeAgent:
    """A real node.

    Args:
        node: its Node, as it is to be registered.
        machine: about its machine.
        config: how it is configured.
    """

    name = REPORTER
    kinds = frozenset({"Pod", "Node"})

    def __init__(self, node: Object, machine: MachineInfo, config: KubeletConfig) -> None:
        self._name = name(node)
        self._facts = machine
        self._config = config
        self._herald = Herald(node)
        self._household = Household(machine)
        self._statuses = StatusWriter()
        memory_bytes = value(node["status"]["allocatable"]["memory"])
        self._vigil = Vigil(config.eviction, memory_bytes)
        self._unseen: dict[str, Object] = {}
        self._removing: dict[str, float] = {}
        self._told_conditions: list[str] = []
        self._is_synced = self._is_leaving = self._has_left = False

    def step(self, event: Event, now_s: float) -> Sequence[Effect]:
        """Take an event in, and do what is due."""
        effects: list[Effect] = []
        if isinstance(event, Change):
            self._change(event, now_s)
        elif isinstance(event, Outcome):
            effects += self._outcome(event, now_s)
        elif isinstance(event, Synced):
            self._is_synced = True
            effects += (AwaitEnd(purpose=AwaitEnd), self._discard())
        if self._is_synced:
            effects += self._go_on(now_s)
        return effects

    def next_wakeup_s(self) -> float | None:
        """When something is due."""
        if not self._is_synced or self._has_left:
            return None
        times_s = (
            self._herald.next_s(),
            self._statuses.next_s(),
            self._vigil.next_s,
            self._household.next_s(),
            min(self._removing.values(), default=float("inf")),
        )
        return min(times_s)

    def _change(self, change: Change, now_s: float) -> None:
        if change.kind == "Node":
            if change.new is None or name(change.new) == self._name:
                self._herald.see(change.new)
            return
        pod = change.new
        if pod is None:
            if change.old is not None:
                self._gone(change.old, now_s)
        elif (pod["spec"] or {}).get("nodeName") == self._name:
            self._unseen[uid(pod)] = pod

    def _gone(self, pod: Object, now_s: float) -> None:
        self._unseen.pop(uid(pod), None)
        self._removing.pop(uid(pod), None)
        self._statuses.forget(uid(pod))
        self._household.forget_left_behind(uid(pod))
        resident = self._household.get(uid(pod))
        if resident is not None:
            resident.is_gone = True
            resident.life.stop(DELETED, _FORCED_S, now_s)

    def _go_on(self, now_s: float) -> Iterator[Effect]:
        yield from self._herald.tell(now_s)
        if self._herald.node is not None:
            for pod in self._in_order():
                yield from self._see(pod, now_s)
        for resident in self._household.all():
            yield from self._advance(resident, now_s)
        yield from self._statuses.writes(now_s)
        yield from self._removals(now_s)
        if self._vigil.next_s <= now_s:
            pods = tuple(one.life.pod for one in self._household.active())
            yield Measure(purpose=Measure, pods=pods, walks=self._vigil.begin(now_s))
        if self._is_leaving and not self._has_left and self._is_quiet(now_s):
            self._has_left = True
            yield End()

    def _in_order(self) -> list[Object]:
        """The pods that are news: first those that were taken before, then the older ones."""
        unseen, self._unseen = self._unseen, {}

        def order(pod: Object) -> tuple[bool, str]:
            taken = bool((pod.get("status") or {}).get("startTime"))
            return not taken, str(pod["metadata"].get("creationTimestamp"))

        return sorted(unseen.values(), key=order)

    def _see(self, pod: Object, now_s: float) -> Iterator[Effect]:
        resident = self._household.get(uid(pod))
        if resident is None and not is_finished(pod):
            if is_terminating(pod) and not (pod.get("status") or {}).get("startTime"):
                self._removing.setdefault(uid(pod), now_s)
                self._household.leave_behind(pod)
                return
            yield from self._take(pod, now_s)
            resident = self._household.get(uid(pod))
        if resident is None:
            self._household.leave_behind(pod)
            if is_terminating(pod):
                self._removing.setdefault(uid(pod), now_s)
            return
        self._household.renew(resident, pod)
        if is_terminating(pod):
            grace_period_s = float(pod["metadata"].get("deletionGracePeriodSeconds") or 0)
            resident.life.stop(DELETED, grace_period_s, now_s)

    def _take(self, pod: Object, now_s: float) -> Iterator[Effect]:
        assert self._herald.node is not None
        taken = self._household.take(
            pod, self._herald.node, self._vigil.manager.conditions, self._is_leaving, now_s
        )
        if taken.objection is not None:
            self._statuses.want(pod, refused_status(taken.objection, now_s))
            reason, message = taken.objection.reason, taken.objection.message
            yield node_record(pod, "Warning", reason, message)
        for victim, note in taken.victims:
            yield node_record(victim.life.pod, "Warning", "Preempting", note)

    def _advance(self, resident: Resident, now_s: float) -> Iterator[Effect]:
        life = resident.life
        yield from life.advance(now_s)
        if not resident.is_gone:
            before = self._statuses.told(life.pod)
            report = pod_report(life, self._facts.address, before, now_s)
            self._statuses.want(life.pod, report)
        if life.is_over:
            self._household.ended(resident)
            if resident.is_gone:
                self._household.forget(life.uid)
                yield TearDown(pod=life.pod, keeps_logs=False)
            elif is_terminating(life.pod):
                self._removing.setdefault(life.uid, now_s)

    def _removals(self, now_s: float) -> Iterator[Effect]:
        """Have deleted pods removed that have stopped, once their last status is written."""
        for pod_uid, due_s in self._removing.items():
            pod = self._household.pod(pod_uid)
            if pod is None or due_s > now_s or not self._statuses.is_written(pod_uid):
                continue
            self._removing[pod_uid] = float("inf")
            yield Delete(
                purpose=(Delete, pod_uid),
                kind="Pod",
                namespace=pod["metadata"]["namespace"],
                name=name(pod),
                uid=pod_uid,
                grace_period_s=0,
            )

    def _is_quiet(self, now_s: float) -> bool:
        """Whether nothing runs any more, and everybody has been told."""
        residents = list(self._household.all())
        return (
            all(one.life.is_over for one in residents)
            and all(self._statuses.is_written(one.life.uid) for one in residents)
            and self._herald.is_told(now_s)
        )

    def _outcome(self, outcome: Outcome, now_s: float) -> Iterable[Effect]:
        match outcome.effect.purpose:
            case "node" | "lease" as what:
                self._herald.outcome(str(what), outcome, now_s)
            case (kind, str(pod_uid)) if kind is Patch:
                self._statuses.outcome(pod_uid, outcome.error, now_s)
            case (kind, str(pod_uid)) if kind is Delete:
                if outcome.error is not None and outcome.error.reason not in (
                    "NotFound",
                    "Conflict",
                ):
                    self._removing[pod_uid] = now_s + 1.0
            case kind if kind is AwaitEnd:
                self._leave(now_s)
            case kind if kind in (Measure, Discard):
                return self._measured(outcome, now_s)
            case _:
                return self._of_container(outcome, now_s)
        return ()

    def _of_container(self, outcome: Outcome, now_s: float) -> Iterable[Effect]:
        """What became of a command about a pod or one of its containers."""
        effect, error = outcome.effect, outcome.error
        if isinstance(effect, SetUp):
            resident = self._household.get(uid(effect.pod))
            message = error.message if error else ""
            return () if resident is None else resident.life.set_up(message, now_s)
        container = self._container(effect)
        if container is None:
            return ()
        if isinstance(effect, Start):
            if error is not None:
                return container.failed_to_start(error.reason, error.message, now_s)
            return container.started(now_s)
        result = outcome.result if isinstance(outcome, Answered) else None
        if isinstance(effect, Await) and isinstance(result, Exited):
            return container.exited(result, now_s)
        if isinstance(effect, Ask) and isinstance(result, Verdict):
            if effect.check is Check.PRE_STOP:
                return container.hook_done(result, now_s)
            grace_period_s = self._grace_period_s(effect.run)
            return container.probed(effect.check, result, grace_period_s, now_s)
        return ()

    def _container(self, effect: Effect) -> ContainerLife | None:
        """The container that an effect is about, if that is still its run."""
        purpose = effect.purpose
        run = effect.run if isinstance(effect, Await | Ask) else purpose
        if not isinstance(run, ContainerId):
            return None
        resident = self._household.get(run.pod_uid)
        lives = () if resident is None else resident.life.containers
        return next((one for one in lives if one.run == run), None)

    def _grace_period_s(self, run: ContainerId) -> float:
        resident = self._household.get(run.pod_uid)
        return 0.0 if resident is None else resident.life.own_grace_period_s()

    def _leave(self, now_s: float) -> None:
        """Stop everything; who doesn't obey in time is killed."""
        self._is_leaving = True
        self._herald.unhealthy = {**self._herald.unhealthy, "Ready": "False"}
        self._herald.changed()
        for resident in self._household.active():
            grace_period_s = min(resident.life.own_grace_period_s(), self._config.shutdown_s)
            resident.life.stop(LEAVING, grace_period_s, now_s)

    def _measured(self, outcome: Outcome, now_s: float) -> Iterator[Effect]:
        if isinstance(outcome.effect, Discard):
            return
        statistics = outcome.result if isinstance(outcome, Answered) else None
        if not isinstance(statistics, Statistics):
            self._vigil.fail(now_s)
            return
        active = list(self._household.active())
        pods = [one.life.pod for one in active]
        for excess in excesses(pods, statistics):
            resident = self._household.get(excess.pod_uid)
            for one in () if resident is None else resident.life.containers:
                if one.name == excess.container:
                    yield from one.kill(OOM_KILLED)
        round_ = self._vigil.end(statistics, pods, [one.life.uid for one in active], now_s)
        if round_ is not None:
            yield from self._carry_out(round_, now_s)
        yield from self._tell_conditions()

    def _carry_out(self, round_: Round, now_s: float) -> Iterator[Effect]:
        if round_.reclaiming and self._herald.node is not None:
            note = f"Attempting to reclaim {round_.reclaiming}"
            yield node_record(self._herald.node, "Warning", "EvictionThresholdMet", note)
        if round_.reclaims:
            yield self._discard()
        for eviction in round_.evictions:
            yield node_record(eviction.pod, "Warning", EVICTED, eviction.message)
            resident = self._household.get(uid(eviction.pod))
            if resident is not None:
                disruption = eviction.message if eviction.disrupts else ""
                why = Why(EVICTED, eviction.message, disruption)
                resident.life.stop(why, float(eviction.effective_grace_period_s), now_s)

    def _discard(self) -> Discard:
        """Throw away what belongs to no pod that is still of interest."""
        residents = (one.life.pod for one in self._household.active())
        return Discard(purpose=Discard, pods=(*residents, *self._unseen.values()))

    def _tell_conditions(self) -> Iterator[Effect]:
        before, now = self._told_conditions, list(self._vigil.manager.conditions)
        if before == now or self._herald.node is None:
            return
        self._told_conditions = now
        others = {"Ready": "False"} if self._is_leaving else {}
        self._herald.unhealthy = {**dict.fromkeys(now, "True"), **others}
        self._herald.changed()
        yield from transitions(self._herald.node, before, now)
