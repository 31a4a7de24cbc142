"""The scheduling framework: one protocol an extension point, named as kube-scheduler names them.

`filter` and `score` aren't called once per node, as upstream. They are called once per class of
pods and return a state that judges rows, all at once (arrays in, arrays out) or one by one.

Codes of filters are int32: 0 fits, positive can be cured by removing pods (Unschedulable), negative
can't (UnschedulableAndUnresolvable); `status` translates a state's own numbers.

Filters see the pods of a row only through sums over them, one weight per class of pods and sum.
That replaces upstream's AddPod and RemovePod: a hypothetical row is the real one plus `extra`.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from enum import Enum, auto
from typing import ClassVar, Protocol, runtime_checkable

import msgspec
import numpy as np
from numpy.typing import NDArray

from podium.api.objects import Object
from podium.machines.effects import Effect
from podium.scheduler.framework.status import SUCCESS, Code, Status
from podium.scheduler.snapshot.arrays import Codes, Rows, Scores, Sums
from podium.scheduler.snapshot.change_log import Change
from podium.scheduler.snapshot.pod_classes import PodClass, PodClasses
from podium.scheduler.snapshot.pod_columns import ManyPods, looked_up
from podium.scheduler.snapshot.pod_info import PodInfo

MAX_NODE_SCORE = 100
FITS = 0


class Scope(Enum):
    """What can change a state's answer for a row; the narrower, the less is asked again."""

    NODE = auto()
    """Its node object."""
    ROW = auto()
    """The pods on it, too."""
    CLUSTER = auto()
    """Pods anywhere; `pods_changed` passes them to the state."""
    VOLATILE = auto()
    """Anything: it is asked about every pod anew."""


class CycleError(Exception):
    """An error of a plugin, which fails the scheduling cycle; the pod is tried again."""

    def __init__(self, plugin: str, message: str) -> None:
        super().__init__(message)
        self.plugin = plugin


class FilterState:
    """The answers of a filter plugin for one class of pods.

    Attributes:
        width: how many sums over pods it looks at.
        additive: whether `codes` and `code` take `extra`; if not, `code_among` is called instead.
        changes: raised where pods changed only the answers for hypothetical rows elsewhere.
    """

    plugin: str
    scope: ClassVar[Scope]
    width: int = 0
    additive: bool = True
    changes: int = 0

    def codes(self, rows: Rows, extra: Sums = ()) -> Codes:
        """Judge rows, int32[n]; `extra` is empty, or `width` arrays int64[n] added to sums."""
        raise TypeError(f"{type(self).__name__} judges no rows")

    def all_codes(self, node_count: int) -> Codes:
        """Judge all rows as they are, int32[nodes]; read-only if the scope is NODE."""
        return self.codes(np.arange(node_count))

    def code(self, row: int, extra: Sequence[int] = ()) -> int:
        sums = [np.array([amount], np.int64) for amount in extra]
        return int(self.codes(np.array([row]), sums)[0])

    def code_among(self, row: int, pods: Sequence[PodInfo]) -> int:
        """Judge one row as if these pods were on it; only where `additive` is false."""
        raise TypeError(f"{type(self).__name__} judges rows by sums")

    def register_classes(self, classes: Iterable[PodClass]) -> None:
        """Prepare for classes without pods on nodes; this may raise `width`."""

    def weights(self, cls: PodClass) -> Sequence[int]:
        """Return what a pod of this class adds to each sum of its row."""
        return ()

    def weights_of(self, pods: ManyPods, classes: PodClasses) -> Sequence[NDArray[np.int64]]:
        """Return `weights` of many pods: `width` arrays int64 of the pods' shape."""
        return looked_up(self.width, pods.ids, len(classes), lambda n: self.weights(classes[n]))

    def headroom(self, rows: Rows) -> Sums | None:
        """Return how much more each sum may hold, `width` arrays int64[n].

        The pod fits a row just if `extra` is nowhere more than this; no class has a weight below 0.
        None if the verdict depends on anything else.
        """
        return None

    def pods_changed(self, changes: Sequence[Change]) -> bool:
        """Follow changes of pods; return True if answers may differ beyond their rows.

        States of CLUSTER scope get every change once and in order.
        """
        return False

    def begin(self, pod: PodInfo) -> None:
        """Begin a cycle of this pod; only called for states of VOLATILE scope."""

    def status(self, row: int, code: int) -> Status:
        """Explain a code; rows with equal codes have equal statuses."""
        raise TypeError(f"{type(self).__name__} rejects no rows")


class FixedCodes(FilterState):
    """Codes, int32[nodes], that only node objects can change."""

    scope = Scope.NODE

    def __init__(self, plugin: str, codes: Codes, explain: Callable[[int], Status]) -> None:
        self.plugin = plugin
        self._codes = codes
        self._explain = explain

    def codes(self, rows: Rows, extra: Sums = ()) -> Codes:
        return self._codes[rows]

    def all_codes(self, node_count: int) -> Codes:
        return self._codes

    def status(self, row: int, code: int) -> Status:
        return self._explain(code)


def fixed_codes(plugin: str, codes: Codes, explain: Callable[[int], Status]) -> FixedCodes | None:
    """Return the filter state of these codes; None, which saves all work, if all are 0."""
    return FixedCodes(plugin, codes, explain) if codes.any() else None


class LocalScore:
    """Final scores from 0 to 100 that depend on the row alone.

    `constant` is the score of every row, if all are equal until nodes change.
    """

    plugin: str
    scope: ClassVar[Scope] = Scope.ROW
    constant: int | None = None

    def scores(self, rows: Rows) -> Scores:
        raise TypeError(f"{type(self).__name__} scores no rows")

    def all_scores(self, node_count: int) -> Scores:
        """Score all rows, int64[nodes], read-only."""
        return self.scores(np.arange(node_count))

    def score(self, row: int) -> int:
        return int(self.scores(np.array([row]))[0])


class RelativeScore:
    """Scores that are normalised over all feasible rows, and so depend on all of these."""

    plugin: str
    scope: ClassVar[Scope] = Scope.CLUSTER

    @property
    def is_idle(self) -> bool:
        """Whether all rows score 0, whichever are feasible, until pods change."""
        return False

    def scores(self, feasible: Rows) -> Scores:
        """Score the feasible rows, int[n] with n > 0: normalised, 0 to 100, int64[n]."""
        raise TypeError(f"{type(self).__name__} scores no rows")

    def pods_changed(self, changes: Sequence[Change]) -> bool:
        return False

    def begin(self, pod: PodInfo) -> None: ...


def default_normalize(raw: NDArray[np.int64], reverse: bool = False) -> NDArray[np.int64]:
    """Scale scores, int64[n], none negative, to at most 100, rounded down.

    DefaultNormalizeScore of v1.36: `reverse` counts from 100 downwards. Where all raw scores are 0,
    all are 0, or 100 if reversed.
    """
    scaled: NDArray[np.int64] = raw * MAX_NODE_SCORE // raw.max(initial=1)
    return MAX_NODE_SCORE - scaled if reverse else scaled


class FixedScores(LocalScore):
    """Scores, int64[nodes], that only node objects can change."""

    scope = Scope.NODE

    def __init__(self, plugin: str, scores: Scores, constant: int | None = None) -> None:
        self.plugin = plugin
        self._scores = scores
        self.constant = constant

    def scores(self, rows: Rows) -> Scores:
        return self._scores[rows]

    def all_scores(self, node_count: int) -> Scores:
        return self._scores


class NormalizedScores(RelativeScore):
    """Raw scores, int64[nodes], that only node objects can change; see `default_normalize`."""

    scope = Scope.NODE

    def __init__(self, plugin: str, raw: Scores, *, reverse: bool = False) -> None:
        self.plugin = plugin
        self._raw = raw
        self._reverse = reverse

    def scores(self, feasible: Rows) -> Scores:
        return default_normalize(self._raw[feasible], self._reverse)


class PreFilterResult(msgspec.Struct, frozen=True):
    """A status that holds for all nodes, and the only nodes to consider; None keeps all."""

    status: Status = SUCCESS
    node_names: frozenset[str] | None = None


PASSES = PreFilterResult()
"""PreFilter found out nothing."""


class NodeToStatusReader(Protocol):
    """Statuses of the nodes that a pod doesn't fit, as `post_filter.NodeToStatus`."""

    def get(self, node_name: str) -> Status:
        """Return the refusal of a node; UnschedulableAndUnresolvable if it is unknown."""

    def nodes_for(self, code: Code) -> list[str]:
        """Return the names of the nodes refused with this code, in any order."""


class PostFilterResult(msgspec.Struct, frozen=True):
    """The node that a PostFilter plugin nominates, or why it names none.

    Attributes:
        status: success and UnschedulableAndUnresolvable end the search; another refusal continues
            it with the next plugin.
        nominated_node_name: empty clears the nomination that the pod has, None keeps it.
        victims: pods to remove from that node, the most important first; the caller removes them.
    """

    status: Status = SUCCESS
    nominated_node_name: str | None = None
    victims: tuple[PodInfo, ...] = ()


class Held(msgspec.Struct, frozen=True):
    """Why a preemption that would help is held back.

    Attributes:
        until_s: when to try again, in seconds since the epoch; infinity if no time is known.
        budgets: `namespace/name` of the budgets that would have to allow more.
    """

    reason: str
    until_s: float = math.inf
    budgets: frozenset[str] = frozenset()


class PreemptionResult(PostFilterResult, frozen=True):
    """The answer of a PostFilter plugin that preempts pods.

    Attributes:
        message: why there is no candidate, or why the pod isn't eligible.
        pdb_violations: how many victims break a budget.
        cleared: pods of lower priority that lose their nomination to the node.
        held: why the preemption is held back; None if it isn't.
    """

    eligible: bool = True
    message: str = ""
    pdb_violations: int = 0
    cleared: tuple[PodInfo, ...] = ()
    held: Held | None = None

    @property
    def node_name(self) -> str:
        return self.nominated_node_name or ""

    @property
    def clears_nomination(self) -> bool:
        return self.nominated_node_name == ""


class Permission(msgspec.Struct, frozen=True):
    """The answer of a Permit plugin; after `Wait`, the pod is rejected after `timeout_s`."""

    status: Status = SUCCESS
    timeout_s: float = 0.0


class Plugin(Protocol):
    """A scheduling plugin: its name, and what its extension points share."""

    name: str


class PreEnqueuePlugin(Plugin, Protocol):
    """Decides whether a pod may enter the active queue; a refusal gates the pod."""

    def pre_enqueue(self, pod: PodInfo) -> Status: ...


class QueueSortPlugin(Plugin, Protocol):
    """Orders the active queue: pods with smaller keys are scheduled earlier."""

    def sort_key(self, pod: PodInfo, queued_at: float) -> tuple[float, ...]: ...


class PreFilterPlugin(Plugin, Protocol):
    """Refuses a pod on all nodes, or limits the nodes, before any of them is filtered."""

    def pre_filter(self, pod: PodInfo) -> PreFilterResult: ...


class FilterPlugin(Plugin, Protocol):
    """Rules out nodes for a class of pods; None if it rules out none (upstream's Skip)."""

    def filter(self, pod: PodInfo) -> FilterState | None: ...


class PostFilterPlugin(Plugin, Protocol):
    """Makes room when no node fits: names a node to nominate, and pods to remove from it."""

    def post_filter(self, pod: PodInfo, filtered: NodeToStatusReader) -> PostFilterResult: ...


class PreScorePlugin(Plugin, Protocol):
    """Checks a pod before nodes are scored; an error ends the cycle."""

    def pre_score(self, pod: PodInfo) -> Status: ...


class ScorePlugin(Plugin, Protocol):
    """Ranks feasible nodes for a class of pods; None adds nothing (upstream's Skip).

    NormalizeScore is part of `RelativeScore`.
    """

    def score(self, pod: PodInfo) -> LocalScore | RelativeScore | None: ...


class ReservePlugin(Plugin, Protocol):
    """Keeps state of its own about pods that are about to be bound.

    A failure makes all Reserve plugins unreserve, last first; that must not fail, and may come
    without a reservation.
    """

    def reserve(self, pod: PodInfo, node_name: str) -> Status: ...

    def unreserve(self, pod: PodInfo, node_name: str) -> None: ...


class PermitPlugin(Plugin, Protocol):
    """Approves, denies or delays a binding."""

    def permit(self, pod: PodInfo, node_name: str) -> Permission: ...


class PreBindPlugin(Plugin, Protocol):
    """Does what must be done before a pod is bound; anything but success rejects the pod."""

    def pre_bind(self, pod: PodInfo, node_name: str) -> Status: ...


class PreBindProgress(msgspec.Struct, frozen=True):
    """How far the API calls of PreBind plugins are; `written` has the answers in order."""

    written: Sequence[Object]
    pod_exists: bool


@runtime_checkable
class PreBindCallsPlugin(Plugin, Protocol):
    """A PreBind plugin that makes API calls, and waits for others to act on them."""

    bind_timeout_seconds: int

    def pre_bind_calls(self, pod: PodInfo, node_name: str) -> Sequence[Effect]:
        """Return the API calls to make before the pod is bound.

        Binding waits until all succeed; without calls the pod is bound at once.
        """

    def pre_bind_done(self, pod: PodInfo, node_name: str, progress: PreBindProgress) -> Status:
        """Judge each second whether PreBind is done; `Wait` keeps waiting."""


class BindPlugin(Plugin, Protocol):
    """Binds a pod to the node that was chosen for it; Skip leaves it to the next bind plugin."""

    def bind(self, pod: PodInfo, node_name: str) -> Status: ...


class PostBindPlugin(Plugin, Protocol):
    """Reacts after a pod was bound (PostBind)."""

    def post_bind(self, pod: PodInfo, node_name: str) -> None: ...
