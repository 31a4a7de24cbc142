"""Base classes of third-party plugins.

- `ArrayPlugin`: arrays in, arrays out, for all nodes at once.
- `NodePlugin`: one node at a time; slower, and sometimes clearer.

Both are called anew for every pod, since their results may depend on anything. Plugins that are
updated incrementally, like the in-tree ones, implement `podium.scheduler.framework.interface`.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar, Generic, TypeVar

import msgspec
import numpy as np
from numpy.typing import ArrayLike, NDArray

from podium.api.objects import Object
from podium.scheduler.framework.handle import Handle
from podium.scheduler.framework.interface import (
    MAX_NODE_SCORE,
    CycleError,
    FilterState,
    RelativeScore,
    Scope,
)
from podium.scheduler.framework.status import Code, Status, unresolvable
from podium.scheduler.snapshot.arrays import Codes, Rows, Scores, Sums
from podium.scheduler.snapshot.pod_info import PodInfo
from podium.scheduler.snapshot.snapshot import Snapshot

# An array plugin sees the cluster as it is, and can't filter it as it would be without some pods.
_REFUSED = -1


class Nodes:
    """Nodes as columns; all columns have the nodes in the same order."""

    def __init__(self, snapshot: Snapshot, rows: Rows) -> None:
        self._snapshot = snapshot
        self._rows = rows

    def __len__(self) -> int:
        return len(self._rows)

    @cached_property
    def names(self) -> Sequence[str]:
        names = self._snapshot.names
        return [names[row] for row in self._rows.tolist()]

    @cached_property
    def objects(self) -> Sequence[Object]:
        nodes = self._snapshot.nodes
        return [nodes[row] for row in self._rows.tolist()]

    def label(self, key: str) -> NDArray[np.object_]:
        """Return each node's value of a label; None if the node hasn't the label."""
        column = self._snapshot.columns.label(key)
        values = np.array([*column.values, None], object)
        result: NDArray[np.object_] = values[column.codes[self._rows]]
        return result

    def allocatable(self, resource: str) -> NDArray[np.int64]:
        """Return each node's allocatable amount of a resource: cpu in thousandths, else units."""
        columns = self._snapshot.resources
        return columns.allocatable[columns.index_of(resource)][self._rows]

    def requested(self, resource: str) -> NDArray[np.int64]:
        columns = self._snapshot.resources
        return columns.requested[columns.index_of(resource)][self._rows]

    def pod_counts(self) -> NDArray[np.int64]:
        return self._snapshot.resources.pods[self._rows]


class NodeInfo(msgspec.Struct, frozen=True):
    """One node and its pods, as passed to a `NodePlugin`."""

    name: str
    node: Object
    pods: Sequence[PodInfo]


class _SimplePlugin:
    name: str

    def __init__(self, handle: Handle, args: Mapping[str, object] | None = None) -> None:
        self.handle = handle
        self.args = args or {}

    def normalize(self, scores: Scores) -> Scores:
        top = int(scores.max(initial=0))
        return scores * MAX_NODE_SCORE // top if top else scores


P = TypeVar("P", bound=_SimplePlugin)


class ArrayPlugin(_SimplePlugin):
    """Base of plugins that filter or score all nodes at once; override one method or both."""

    filter_nodes: Callable[[PodInfo, Nodes], ArrayLike]
    """Returns bool[n]: which nodes fit."""

    score_nodes: Callable[[PodInfo, Nodes], ArrayLike]
    """Returns scores, int[n], in any scale; `normalize` scales them to 0 to 100."""

    reason = "node(s) were refused by a plugin"
    """Reason for the nodes that `filter_nodes` refuses."""


class NodePlugin(_SimplePlugin):
    """Base of plugins that filter or score one node at a time; override one method or both."""

    filter_node: Callable[[PodInfo, NodeInfo], Status | None]
    """Returns a refusal, or None if the node fits."""

    score_node: Callable[[PodInfo, NodeInfo], int]
    """Returns a score in any scale; `normalize` scales it to 0 to 100."""


class _AboutOnePod(Generic[P]):
    scope: ClassVar[Scope] = Scope.VOLATILE

    def __init__(self, plugin: P, pod: PodInfo) -> None:
        self.plugin = plugin.name
        self._plugin = plugin
        self._pod = pod

    def begin(self, pod: PodInfo) -> None:
        self._pod = pod


class _ArrayFilter(_AboutOnePod[ArrayPlugin], FilterState):
    def codes(self, rows: Rows, extra: Sums = ()) -> Codes:
        nodes = Nodes(self._plugin.handle.snapshot, rows)
        fits = np.asarray(self._plugin.filter_nodes(self._pod, nodes), bool)
        _check_length("Filter", self.plugin, "filter_nodes", fits, len(nodes))
        return np.where(fits, 0, _REFUSED).astype(np.int32)

    def status(self, row: int, code: int) -> Status:
        return unresolvable(self._plugin.reason)


class _NodeFilter(_AboutOnePod[NodePlugin], FilterState):
    additive = False

    def __init__(self, plugin: NodePlugin, pod: PodInfo) -> None:
        super().__init__(plugin, pod)
        self._reasons: list[Status] = []

    def codes(self, rows: Rows, extra: Sums = ()) -> Codes:
        on_row = self._plugin.handle.snapshot.pods_on
        return np.array([self.code_among(row, on_row[row]) for row in rows.tolist()], np.int32)

    def code_among(self, row: int, pods: Sequence[PodInfo]) -> int:
        snapshot = self._plugin.handle.snapshot
        node_info = NodeInfo(snapshot.names[row], snapshot.nodes[row], pods)
        status: object = self._plugin.filter_node(self._pod, node_info)
        if status is not None and not isinstance(status, Status):
            fault = f"filter_node must answer a Status, or None where the node fits, not {status!r}"
            raise _failure("Filter", self.plugin, fault)
        if status is None or status.is_success:
            return 0
        if not status.is_rejection:
            raise _failure("Filter", self.plugin, status.message)
        if status not in self._reasons:
            self._reasons.append(status)
        number = self._reasons.index(status) + 1
        return number if status.code is Code.UNSCHEDULABLE else -number

    @property
    def pending_codes(self) -> Collection[int]:  # type: ignore[override]
        numbered = enumerate(self._reasons, 1)
        return [-number for number, status in numbered if status.code is Code.PENDING]

    def status(self, row: int, code: int) -> Status:
        return self._reasons[abs(code) - 1]


class _Score(_AboutOnePod[ArrayPlugin | NodePlugin], RelativeScore):
    def scores(self, feasible: Rows) -> Scores:
        snapshot = self._plugin.handle.snapshot
        if isinstance(self._plugin, ArrayPlugin):
            columns = Nodes(snapshot, feasible)
            answer = np.asarray(self._plugin.score_nodes(self._pod, columns))
            _check_length("Score", self.plugin, "score_nodes", answer, len(columns))
            raw = _whole(self.plugin, "score_nodes", answer)
        else:
            score, rows = self._plugin.score_node, feasible.tolist()
            infos = (
                NodeInfo(snapshot.names[r], snapshot.nodes[r], snapshot.pods_on[r]) for r in rows
            )
            raw = _whole(self.plugin, "score_node", [score(self._pod, info) for info in infos])
        scores = _whole(self.plugin, "normalize", self._plugin.normalize(raw))
        if len(scores) and (scores.min() < 0 or scores.max() > MAX_NODE_SCORE):
            worst = scores.min() if scores.min() < 0 else scores.max()
            fault = f"normalized scores must be from 0 to {MAX_NODE_SCORE}, not {worst}"
            raise _failure("Score", self.plugin, fault)
        return scores


def adapted(plugin_class: Any) -> type:
    """Return a class for the framework: `plugin_class` or a subclass of it; raises TypeError."""
    if not isinstance(plugin_class, type) or not getattr(plugin_class, "name", ""):
        raise TypeError(f"{plugin_class!r} isn't a plugin class with a name")
    if not issubclass(plugin_class, ArrayPlugin | NodePlugin):
        return plugin_class
    methods: dict[str, Any] = {}
    is_array = issubclass(plugin_class, ArrayPlugin)
    filter_state = _ArrayFilter if is_array else _NodeFilter
    if hasattr(plugin_class, "filter_nodes" if is_array else "filter_node"):
        methods["filter"] = lambda self, pod: filter_state(self, pod)
    if hasattr(plugin_class, "score_nodes" if is_array else "score_node"):
        methods["score"] = lambda self, pod: _Score(self, pod)
    return type(plugin_class.__name__, (plugin_class,), methods)


def _check_length(
    point: str, plugin: str, method: str, answer: NDArray[Any], expected: int
) -> None:
    if answer.shape != (expected,):
        shape = "x".join(map(str, answer.shape))
        fault = f"{method} answered an array of {shape} for {expected} nodes"
        raise _failure(point, plugin, fault)


def _whole(plugin: str, method: str, answer: Any) -> Scores:
    scores = np.asarray(answer)
    if not scores.size:
        return np.zeros(0, np.int64)
    if scores.dtype.kind not in "biu":
        fault = f"{method} answered {scores.dtype}, but scores are whole numbers; round them"
        raise _failure("Score", plugin, fault)
    return scores.astype(np.int64)


def _failure(point: str, plugin: str, fault: str) -> CycleError:
    return CycleError(plugin, f"running {point} plugin {plugin}: {fault}")
