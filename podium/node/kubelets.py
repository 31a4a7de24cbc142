"""All simulated nodes' agents in one machine, each handed what concerns its own node.

Agents write few things: a pod's status when something visible has changed, its removal when it has
stopped, the conditions of a node when they aren't as scripted, and a Lease when the node's agent
starts or falls silent (see `podium.control.heartbeats`), unless it is to be renewed in earnest.
"""

from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from podium.api.meta import is_finished, is_terminating, name
from podium.control.effects import Create, Effect, Patch
from podium.control.events import Change, Outcome
from podium.control.heartbeats import (
    CONTINUOUS,
    ENDED,
    LEASE_NAMESPACE,
    RENEW_INTERVAL_S,
    WRITTEN,
    last_renewal_s,
    node_lease,
)
from podium.controllers.kit.objects import Place, place_of, uid_of, version_of
from podium.controllers.kit.reconciler import Reconciler
from podium.core.pod_classes import PodClasses
from podium.node.agent import Agent
from podium.node.node_conditions import changed_conditions
from podium.node.pod_events import REPORTER, node_record
from podium.node.residents import Residents
from podium.node.resuming import has_started
from podium.node.simulated.addresses import Addresses
from podium.node.simulated.behaviour import BehaviourError, is_marked
from podium.node.simulated.settings import NodeSettings

Object = Mapping[str, Any]

_NOTHING: Object = {}


@dataclass(frozen=True, slots=True)
class _NodeKey:
    """The key of a node; that of a pod is its place."""

    name: str


@dataclass(frozen=True, slots=True)
class _FeelingKey:
    """The key of what a node feels of what its pods use."""

    name: str


@dataclass(frozen=True, slots=True)
class _Home:
    """Where a pod lives.

    Attributes:
        node: the node's name.
        uid: the pod's.
    """

    node: str
    uid: str


@dataclass(slots=True)
class _Lease:
    """What a node's agent knows of its Lease.

    Attributes:
        exists: whether it is there; None if that isn't known, as after a restart.
        heartbeats: what was written of them; empty if nothing was.
        due_s: when it is to be renewed, where that is written.
    """

    exists: bool | None = None
    heartbeats: str = ""
    due_s: float = 0.0


class Kubelets(Reconciler):
    """The agents of all nodes.

    Args:
        settings: what goes for all of them.
        register: nodes that the agents register at the start, if they aren't there.
    """

    name = REPORTER
    kinds = frozenset({"Pod", "Node"})

    def __init__(
        self, settings: NodeSettings | None = None, register: Iterable[Object] = ()
    ) -> None:
        super().__init__({"Pod": {"node": _node_names}})
        self._settings = settings or NodeSettings()
        self._classes = PodClasses()
        self._agents: dict[str, Agent] = {}
        self._leases: dict[str, _Lease] = {}
        self._homes: dict[Place, _Home] = {}
        self._count_nodes = 0
        self._to_register = {name(node): node for node in register}
        for called in self._to_register:
            self.look_again(_NodeKey(called), 0.0)

    def agent(self, node_name: str) -> Agent | None:
        """The agent of a node, if there is one."""
        return self._agents.get(node_name)

    def heeds(self, change: Change) -> bool:
        """Pods without a node concern nobody, and what an agent has written itself it knows."""
        new = change.new
        if new is None or change.kind != "Pod":
            return True
        if not _node_name(new):
            return False
        known = self.objects.get("Pod", new["metadata"]["name"], new["metadata"]["namespace"])
        return known is None or version_of(known) != version_of(new)

    def keys_of(self, change: Change, before: Object | None) -> Iterator[Hashable]:
        obj = change.new or before or change.old
        if obj is None:
            return
        if change.kind == "Node":
            yield _NodeKey(name(obj))
        elif _node_name(obj) and (change.new is None or self._matters(before, obj)):
            yield place_of(obj)

    def reconcile(self, key: Hashable, now_s: float) -> Iterator[Effect]:
        if isinstance(key, _NodeKey):
            return self._node(key.name, now_s)
        if isinstance(key, _FeelingKey):
            return self._feel(key.name, now_s)
        assert isinstance(key, tuple)
        return self._pod(key, now_s)

    def carried_out(self, key: Hashable, outcome: Outcome) -> Iterable[Effect]:
        """Take note of Leases that were written, and of nodes that are registered."""
        effect = outcome.effect
        if isinstance(key, _NodeKey) and isinstance(effect, Create | Patch):
            if effect.kind == "Lease":
                self._leases[key.name].exists = True
            elif isinstance(effect, Create):
                self._to_register.pop(key.name, None)
        return ()

    def refused(self, key: Hashable, outcome: Outcome) -> Iterable[Effect]:
        """Have written again what may not have come through."""
        effect = outcome.effect
        if isinstance(key, _NodeKey) and getattr(effect, "kind", "") == "Lease":
            lease = self._leases[key.name]
            lease.heartbeats = ""
            reason = outcome.error.reason if outcome.error else ""
            if reason in _LEASE_EXISTS:
                lease.exists = _LEASE_EXISTS[reason]
        elif isinstance(key, tuple) and (home := self._homes.get(key)) is not None:
            agent = self._agents.get(home.node)
            if agent is not None:
                agent.write_again(home.uid)
        return ()

    def _matters(self, before: Object | None, pod: Object) -> bool:
        """Whether a pod's agent wants to know of a change."""
        if before is None or uid_of(before) != uid_of(pod):
            return True
        if before["spec"] is not pod["spec"] and before["spec"] != pod["spec"]:
            return True
        old, new = before["metadata"], pod["metadata"]
        if any(old.get(field) != new.get(field) for field in _DELETION_FIELDS):
            return True
        if old.get("annotations") != new.get("annotations"):
            return True
        agent = self._agents.get(_node_name(pod))
        if agent is None:
            return is_terminating(pod)
        if is_finished(pod):
            # Somebody else may have said so of a pod that runs.
            resident = agent.residents.get(uid_of(pod))
            return is_terminating(pod) or (resident is not None and resident.counts)
        return before.get("status") is not pod.get("status") and agent.has_other_view(pod)

    def _pod(self, place: Place, now_s: float) -> Iterator[Effect]:
        pod = self.objects.get("Pod", place[1], place[0])
        home = self._homes.get(place)
        if home is not None and (pod is None or uid_of(pod) != home.uid):
            del self._homes[place]
            if home.node in self._agents:
                self._agents[home.node].residents.leave(home.uid)
        agent = None if pod is None else self._agents.get(_node_name(pod))
        if pod is not None and agent is not None:
            self._homes[place] = _Home(_node_name(pod), uid_of(pod))
            yield from agent.sync(pod, now_s)
            self._feel_soon(agent, now_s)

    def _node(self, called: str, now_s: float) -> Iterator[Effect]:
        node = self.objects.get("Node", called)
        if node is None or not (is_marked(node) or self._settings.simulates_all):
            self._agents.pop(called, None)
            self._leases.pop(called, None)
            if node is None and called in self._to_register:
                yield Create(kind="Node", obj=self._to_register[called])
            return
        agent = self._agents.get(called)
        is_new = agent is None or uid_of(agent.node) != uid_of(node)
        if agent is None or is_new:
            agent = self._start(node, now_s)
        was_down = agent.behaviour.down
        try:
            agent.see(node, now_s)
        except BehaviourError as error:
            yield node_record(node, "Warning", "InvalidBehaviour", str(error))
        if is_new:
            self._resume_pods(agent, now_s)
        elif was_down and not agent.behaviour.down:
            self._revisit_pods(called, now_s)
        if self._settings.writes_heartbeats:
            yield from self._renewal(agent, now_s)
        else:
            yield from self._heartbeat(agent, now_s)
        if not agent.behaviour.down:
            yield from _status(agent, now_s)
        self._feel_soon(agent, now_s)

    def _feel(self, called: str, now_s: float) -> Iterator[Effect]:
        """Let a node feel what is used, and have it felt again when that changes."""
        agent = self._agents.get(called)
        if agent is None or agent.behaviour.down:
            return
        yield from agent.senses.feel(now_s)
        yield from _status(agent, now_s)
        next_s = agent.senses.next_s(now_s)
        if next_s is not None:
            self.look_again(_FeelingKey(called), next_s)

    def _feel_soon(self, agent: Agent, now_s: float) -> None:
        if agent.senses.feeling is not None:
            self.look_again(_FeelingKey(name(agent.node)), now_s)

    def _start(self, node: Object, now_s: float) -> Agent:
        addresses = Addresses(node, self._count_nodes)
        self._count_nodes += 1
        residents = Residents(addresses, self._classes)
        agent = Agent(node, self._settings, residents, self._revisit, now_s)
        self._agents[name(node)] = agent
        self._leases[name(node)] = _Lease()
        return agent

    def _resume_pods(self, agent: Agent, now_s: float) -> None:
        """Pods that run already count before others are admitted."""
        for pod in self.objects.by("Pod", "node", name(agent.node)):
            if not is_finished(pod) and has_started(pod):
                agent.resume(pod, now_s)
                self._homes[place_of(pod)] = _Home(name(agent.node), uid_of(pod))
            if not agent.leaves_alone(pod):
                self._revisit(pod, now_s)

    def _revisit_pods(self, called: str, now_s: float) -> None:
        for pod in self.objects.by("Pod", "node", called):
            self._revisit(pod, now_s)

    def _revisit(self, pod: Object, at_s: float) -> None:
        self.look_again(place_of(pod), at_s)

    def _heartbeat(self, agent: Agent, now_s: float) -> Iterator[Effect]:
        """Say whether heartbeats go on, if that is news; who was never up says nothing."""
        called = name(agent.node)
        lease = self._leases[called]
        heartbeats = ENDED if agent.behaviour.down else CONTINUOUS
        down = agent.behaviour.down
        if heartbeats == lease.heartbeats or (down and lease.exists is False):
            return
        lease.heartbeats = heartbeats
        renewed_s = last_renewal_s(agent.started_s, now_s) if down else now_s
        obj = node_lease(agent.node, renewed_s, heartbeats)
        yield Create(kind="Lease", obj=obj) if not (lease.exists or down) else _patch(obj)

    def _renewal(self, agent: Agent, now_s: float) -> Iterator[Effect]:
        """Renew the Lease every `RENEW_INTERVAL_S`; a silent agent just leaves it as it is."""
        called = name(agent.node)
        lease = self._leases[called]
        # Whatever comes in between is no reason to renew it sooner, but a failure is.
        if agent.behaviour.down or (lease.heartbeats and now_s < lease.due_s):
            return
        lease.heartbeats, lease.due_s = WRITTEN, now_s + RENEW_INTERVAL_S
        obj = node_lease(agent.node, now_s, WRITTEN)
        yield _patch(obj) if lease.exists else Create(kind="Lease", obj=obj)
        self.look_again(_NodeKey(called), lease.due_s)


def _patch(lease: Object) -> Patch:
    """What a Lease becomes that is there already."""
    metadata = lease["metadata"]
    body = {"metadata": {"annotations": metadata["annotations"]}, "spec": lease["spec"]}
    return Patch(kind="Lease", namespace=LEASE_NAMESPACE, name=metadata["name"], body=body)


# What a refusal tells of a Lease; others tell nothing.
_LEASE_EXISTS = {"NotFound": False, "AlreadyExists": True}
_DELETION_FIELDS = ("deletionTimestamp", "deletionGracePeriodSeconds", "finalizers")


def _status(agent: Agent, now_s: float) -> Iterator[Effect]:
    """Write the conditions that aren't as scripted, and addresses if nobody has told any."""
    conditions = [*changed_conditions(agent.node, agent.conditions, now_s)]
    if not conditions:
        return
    status: dict[str, Any] = {"conditions": conditions}
    if not (agent.node.get("status") or _NOTHING).get("addresses"):
        status["addresses"] = [
            {"type": "InternalIP", "address": agent.residents.addresses.host},
            {"type": "Hostname", "address": name(agent.node)},
        ]
    body = {"metadata": {"uid": uid_of(agent.node)}, "status": status}
    yield Patch(kind="Node", name=name(agent.node), subresource="status", body=body)


def _node_name(pod: Object) -> str:
    return str((pod.get("spec") or _NOTHING).get("nodeName") or "")


def _node_names(pod: Object) -> tuple[str, ...]:
    called = _node_name(pod)
    return (called,) if called else ()
