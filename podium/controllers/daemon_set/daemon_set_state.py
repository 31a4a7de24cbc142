"""All stations of one DaemonSet, and their sums, kept up as single nodes change."""

import heapq
from collections import Counter
from collections.abc import Iterator, Sequence

import msgspec

from podium.api.objects import Object, metadata_of, part, spec_of, uid_of
from podium.api.values.integers import scaled
from podium.api.workloads import update_strategy_of
from podium.controllers.daemon_set.eligibility import Eligibility, tolerant
from podium.controllers.daemon_set.node_state import DaemonRules, NodeState, template_generation_of
from podium.controllers.kit.workload_fields import min_ready_s
from podium.machines.backoff import Backoff, Restarts

_BACKOFF = Backoff(first_s=1.0, max_s=15 * 60.0)


class FailedPodsBackoff(msgspec.Struct):
    """How long failed daemon pods are left before they are replaced.

    Keys are the DaemonSet, its generation and the node. A pod that hasn't failed for twice the
    longest wait starts over.
    """

    _known: dict[tuple[str, int, str], Restarts] = msgspec.field(default_factory=dict)

    def wait_s(self, key: tuple[str, int, str], now_s: float) -> float | None:
        """After how many seconds to look again; None if there is nothing to wait for.

        As upstream it is the whole wait, however much of it is over.
        """
        known = self._known.get(key)
        if known is None:
            return None
        wait_s = known.wait_s(now_s)
        return wait_s if now_s < known.last_s + wait_s else None

    def failed(self, key: tuple[str, int, str], now_s: float) -> None:
        """Wait twice as long the next time."""
        self._known.setdefault(key, Restarts(_BACKOFF)).restarted(now_s, now_s)


class DaemonSetState:
    """The nodes of one DaemonSet between two looks, and sums over them.

    Attributes:
        rules: what it wants on every node; None before the first look.
        dirty: names of nodes that have to be judged anew.
        orphans: places of pods that it may have to adopt.
        node_states: by name of the node.
        counts: what the status counts.
        holding: how many nodes a rollout has changing.
        serving: on how many nodes a pod is available.
    """

    def __init__(self) -> None:
        self.rules: DaemonRules | None = None
        self.dirty: dict[str, None] = {}
        self.orphans: dict[tuple[str, str], None] = {}
        self.node_states: dict[str, NodeState] = {}
        self.counts: Counter[str] = Counter()
        self.holding = self.serving = 0
        self._maturing: list[tuple[float, str]] = []
        self._basis: tuple[str, Object, str, str] | None = None
        self._acting: dict[str, NodeState] = {}
        self._outdated: dict[str, NodeState] = {}

    def update_rules(self, daemon_set: Object, revision: str) -> bool:
        """Make the orders what the DaemonSet says.

        Returns:
            Whether they have changed, so that all nodes have to be judged anew.
        """
        spec, generation = daemon_set["spec"], template_generation_of(daemon_set)
        basis = (uid_of(daemon_set), spec, revision, generation)
        if basis == self._basis:
            return False
        self._basis = basis
        pod_spec = tolerant(spec_of(part(spec, "template")))
        self.rules = DaemonRules(
            eligibility=Eligibility(pod_spec),
            revision=revision,
            generation=generation,
            min_ready_s=min_ready_s(daemon_set),
            surges=rollout_bound(daemon_set, "maxSurge", 100) > 0,
        )
        return True

    def put(self, node_name: str, node_state: NodeState | None) -> None:
        """Take in how things stand on a node; None: there is neither a node nor a pod."""
        before = self.node_states.pop(node_name, None)
        self._acting.pop(node_name, None)
        self._outdated.pop(node_name, None)
        if before is not None:
            self.counts.subtract(before.counts)
            self.holding -= before.holds
            self.serving -= before.serves
        if node_state is None:
            return
        self.node_states[node_name] = node_state
        self.counts.update(node_state.counts)
        self.holding += node_state.holds
        self.serving += node_state.serves
        if node_state.matures_s is not None:
            heapq.heappush(self._maturing, (node_state.matures_s, node_name))
        if node_state.lacks or node_state.doomed or node_state.failed:
            self._acting[node_name] = node_state
        if node_state.outdated is not None:
            self._outdated[node_name] = node_state

    def acting(self) -> Iterator[tuple[str, NodeState]]:
        """Nodes where something has to be created or deleted, in the order of events."""
        yield from self._acting.items()

    def mark_matured(self, now_s: float) -> None:
        """Have the nodes judged anew on which another pod has become available by now."""
        while self._maturing and self._maturing[0][0] <= now_s:
            self.dirty[heapq.heappop(self._maturing)[1]] = None

    def to_replace(self, limit: int) -> Iterator[tuple[str, Object]]:
        """Nodes and pods that a rolling update deletes now, the oldest pods first.

        Args:
            limit: on how many nodes pods may be changing at a time.
        """
        room = max(limit - self.holding, 0)
        for node_name, node_state in self._outdated_by_age():
            assert node_state.outdated is not None
            if not node_state.is_free:
                if not room:
                    continue
                room -= 1
            yield node_name, node_state.outdated

    def to_surge(self, limit: int, desired: int) -> Iterator[tuple[str, Object | None]]:
        """Nodes that get a new pod beside the old one, and nodes with old pods that just go.

        Nothing is done while an old pod is on a node that isn't there any more. Where no new pod
        may come, an available old one goes once there are more available ones than are desired.

        Args:
            limit: on how many nodes there may be two pods for a while.
            desired: how many nodes should have a pod.
        """
        if any(node_state.is_missing for node_state in self._outdated.values()):
            return
        room, spare = max(limit - self.holding, 0), max(self.serving - desired, 0)
        for node_name, node_state in self._outdated_by_age():
            if node_state.is_eligible:
                if node_state.is_free or room:
                    room -= not node_state.is_free
                    yield node_name, None
            elif node_state.is_free or spare:
                spare -= not node_state.is_free
                yield node_name, node_state.outdated

    def _outdated_by_age(self) -> Sequence[tuple[str, NodeState]]:
        # Upstream goes by a map, which hands out few pods in the order in which they came.
        return sorted(self._outdated.items(), key=_age)

    def has_outdated(self) -> bool:
        """Whether there is anything for a rolling update to do."""
        return bool(self._outdated)


def _age(outdated: tuple[str, NodeState]) -> tuple[str, str]:
    node_name, node_state = outdated
    created = metadata_of(node_state.outdated or {}).get("creationTimestamp")
    return str(created or ""), node_name


def rollout_bound(daemon_set: Object, field: str, desired: int) -> int:
    """A bound of the rolling update, in nodes; percentages are rounded up.

    Args:
        daemon_set: with its defaults.
        field: `maxUnavailable` or `maxSurge`.
        desired: how many nodes should have a pod.
    """
    strategy = update_strategy_of(daemon_set)
    if strategy.get("type") != "RollingUpdate":
        return 0
    return scaled(part(strategy, "rollingUpdate").get(field) or 0, desired)
