"""The scheduling framework: one protocol per extension point, named as kube-scheduler names them.

`filter` and `score` aren't called once per node, as upstream. They are called once per class of
pods and return a state, which then judges rows: all at once (arrays in, arrays out) or one by one.

A filter's code is an int32: 0 means that the pod fits, a positive code is Unschedulable, which
removing pods can cure, and a negative one is UnschedulableAndUnresolvable. `status` turns a code of
a state into reasons.

Filters see the pods of a row only through sums: each class of pods adds a weight to each sum of its
row. That replaces upstream's AddPod and RemovePod: a hypothetical row is the real row with `extra`
added to its sums.
"""

import math
from collections.abc import Callable, Collection, Hashable, Iterable, Sequence
from enum import Enum, auto
from typing import ClassVar, Protocol, runtime_checkable

import msgspec
import numpy as np
from numpy.typing import NDArray

from podium.api.objects import Object
from podium.machines.effects import Effect
from podium.scheduler.framework.status import SUCCESS, Code, Status
from podium.scheduler.snapshot.arrays import Codes, Rows, Scores, Sums
from podium.scheduler.snapshot.pod_classes import PodClass, PodClasses
from podium.scheduler.snapshot.pod_columns import ManyPods, looked_up
from podium.scheduler.snapshot.pod_info import PodInfo
from podium.scheduler.snapshot.snapshot import Change

MAX_NODE_SCORE = 100
FITS = 0


class Scope(Enum):
    """What can change a state's results for a row; narrower scopes are recomputed less often."""

    NODE = auto()
    """Only the row's node object."""
    ROW = auto()
    """The row's node object and the pods on the row."""
    CLUSTER = auto()
    """Node objects and pods on any row; `pods_changed` passes changes of pods to the state."""
    VOLATILE = auto()
    """Anything; the state is recomputed for every pod."""


class CycleError(Exception):
    """An error of a plugin; the scheduling cycle fails, and the pod is retried."""

    def __init__(self, plugin: str, message: str) -> None:
        super().__init__(message)
        self.plugin = plugin


class FilterState:
    """Codes of one filter plugin for one class of pods."""

    plugin: str
    scope: ClassVar[Scope]
    width: int = 0
    """The number of sums over pods that the codes depend on."""
    additive: bool = True
    """Whether `codes` and `code` accept `extra`; if not, `code_among` is called instead."""
    changes: int = 0
    """Raised when only the codes of hypothetical rows elsewhere may have changed."""
    pending_codes: Collection[int] = ()
    """Negative codes that mean Pending: the pod waits for something outside the scheduler."""

    def codes(self, rows: Rows, extra: Sums = ()) -> Codes:
        """Return codes of rows, int32[n]; `extra`, if any, has int64[n] to add to each sum."""
        raise TypeError(f"{type(self).__name__} judges no rows")

    def all_codes(self, node_count: int) -> Codes:
        """Return the codes of all rows, int32[nodes]; read-only if the scope is NODE."""
        return self.codes(np.arange(node_count))

    def code(self, row: int, extra: Sequence[int] = ()) -> int:
        sums = [np.array([amount], np.int64) for amount in extra]
        return int(self.codes(np.array([row]), sums)[0])

    def code_among(self, row: int, pods: Sequence[PodInfo]) -> int:
        """Return the code of one row as if it had these pods; only called if not `additive`."""
        raise TypeError(f"{type(self).__name__} judges rows by sums")

    def register_classes(self, classes: Iterable[PodClass]) -> None:
        """Prepare for classes that may have no pod on a node; this may raise `width`."""

    def weights(self, cls: PodClass) -> Sequence[int]:
        """Return what a pod of this class adds to each sum of its row."""
        return ()

    def weights_of(self, pods: ManyPods, classes: PodClasses) -> Sequence[NDArray[np.int64]]:
        """Return the weights of many pods: for each sum an int64 array of the pods' shape."""
        return looked_up(self.width, pods.ids, len(classes), lambda n: self.weights(classes[n]))

    def headroom(self, rows: Rows) -> Sums | None:
        """Return how much may be added to each sum, int64[n] each; None if codes aren't so simple.

        Then a row fits exactly if no `extra` exceeds its headroom; weights aren't negative.
        """
        return None

    def pods_changed(self, changes: Sequence[Change]) -> bool:
        """Apply changes of pods; return True if codes of rows without changes may be different.

        States of CLUSTER scope get every change once and in order.
        """
        return False

    def begin(self, pod: PodInfo) -> None:
        """Begin a cycle of this pod; only called for states of VOLATILE scope."""

    def stirred(self) -> Sequence[int] | None:
        """Return rows that something else than pods has changed; None for all rows.

        Called once before each cycle, for states of ROW scope.
        """
        return ()

    def is_freeing(self, row: int) -> bool:
        """Whether the pod will fit a row once what removed pods have left behind is freed."""
        return False

    def failures(self) -> Sequence[int]:
        """Return codes that are errors: on a row that earlier filters pass, one fails the cycle."""
        return ()

    def status(self, row: int, code: int) -> Status:
        """Return the status for a code of a row; rows with equal codes have equal statuses."""
        raise TypeError(f"{type(self).__name__} rejects no rows")


class FixedCodes(FilterState):
    """Filter state with codes, int32[nodes], that only changes of nodes can alter."""

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
    """Return a filter state with these codes, or None if all are 0, so that there is no filter."""
    return FixedCodes(plugin, codes, explain) if codes.any() else None


class LocalScore:
    """Scores from 0 to 100 that depend on their own row alone.

    `constant` is the score of every row, if all are equal until a node changes.
    """

    plugin: str
    scope: ClassVar[Scope] = Scope.ROW
    constant: int | None = None

    def scores(self, rows: Rows) -> Scores:
        raise TypeError(f"{type(self).__name__} scores no rows")

    def all_scores(self, node_count: int) -> Scores:
        """Return the scores of all rows, int64[nodes], read-only."""
        return self.scores(np.arange(node_count))

    def score(self, row: int) -> int:
        return int(self.scores(np.array([row]))[0])


class RelativeScore:
    """Scores that are normalised over the feasible rows, and so depend on all of these."""

    plugin: str
    scope: ClassVar[Scope] = Scope.CLUSTER

    @property
    def is_idle(self) -> bool:
        """Whether all rows score 0, whichever rows are feasible, until pods change."""
        return False

    def scores(self, feasible: Rows) -> Scores:
        """Return normalised scores of the feasible rows, int64[n], 0 to 100; n is at least 1."""
        raise TypeError(f"{type(self).__name__} scores no rows")

    def pods_changed(self, changes: Sequence[Change]) -> bool:
        return False

    def begin(self, pod: PodInfo) -> None: ...


def default_normalize(raw: NDArray[np.int64], reverse: bool = False) -> NDArray[np.int64]:
    """Scale scores, int64[n] and not negative, so that the highest is 100, rounding down.

    As DefaultNormalizeScore of v1.36: `reverse` subtracts the result from 100. If all scores are 0,
    the result is 0, or 100 if reversed.
    """
    scaled: NDArray[np.int64] = raw * MAX_NODE_SCORE // raw.max(initial=1)
    return MAX_NODE_SCORE - scaled if reverse else scaled


class FixedScores(LocalScore):
    """Local scores, int64[nodes], that only changes of nodes can alter."""

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
    """Relative scores from raw ones, int64[nodes], that only changes of nodes can alter."""

    scope = Scope.NODE

    def __init__(self, plugin: str, raw: Scores, *, reverse: bool = False) -> None:
        self.plugin = plugin
        self._raw = raw
        self._reverse = reverse

    def scores(self, feasible: Rows) -> Scores:
        return default_normalize(self._raw[feasible], self._reverse)


class PreFilterResult(msgspec.Struct, frozen=True):
    """A status that holds for all nodes, and the only nodes to filter; None filters all."""

    status: Status = SUCCESS
    node_names: frozenset[str] | None = None


PASSES = PreFilterResult()
"""Result of PreFilter for a pod about which the plugin has nothing to say."""


class NodeToStatusReader(Protocol):
    """Statuses of the nodes that a pod doesn't fit; `post_filter.NodeToStatus` implements it."""

    def get(self, node_name: str) -> Status:
        """Return a node's refusal; UnschedulableAndUnresolvable if there is no such node."""

    def nodes_for(self, code: Code) -> list[str]:
        """Return the names of the nodes that were refused with a code, in any order."""


class PostFilterResult(msgspec.Struct, frozen=True):
    """The node that a PostFilter plugin nominates, or why it nominates none."""

    status: Status = SUCCESS
    """After success or UnschedulableAndUnresolvable no further plugin is called, after
    Unschedulable the next one is."""
    nominated_node_name: str | None = None
    """An empty name clears the pod's nomination, None keeps it."""
    victims: tuple[PodInfo, ...] = ()
    """Pods for the caller to remove from that node, the most important first."""
    calls: tuple[Effect, ...] = ()
    """API calls for the caller to make."""


class Held(msgspec.Struct, frozen=True):
    """Why a preemption that would help is delayed."""

    reason: str
    until_s: float = math.inf
    """When to try again, in seconds since the epoch; infinity if no time is known."""
    budgets: frozenset[str] = frozenset()
    """`namespace/name` of PodDisruptionBudgets that don't allow enough disruptions."""


class PreemptionResult(PostFilterResult, frozen=True):
    """The result of a PostFilter plugin that preempts pods."""

    eligible: bool = True
    message: str = ""
    """Why there is no candidate, or why the pod isn't eligible."""
    pdb_violations: int = 0
    """Number of victims whose disruption violates a budget."""
    cleared: tuple[PodInfo, ...] = ()
    """Pods of lower priority that lose their nomination to the node."""
    held: Held | None = None
    """Why the preemption is delayed; None if it isn't."""

    @property
    def node_name(self) -> str:
        return self.nominated_node_name or ""

    @property
    def clears_nomination(self) -> bool:
        return self.nominated_node_name == ""


class Permission(msgspec.Struct, frozen=True):
    """The result of a Permit plugin; after `Wait`, a pod not allowed in `timeout_s` is rejected."""

    status: Status = SUCCESS
    timeout_s: float = 0.0


class Plugin(Protocol):
    """A scheduling plugin. It also implements the protocol of each of its extension points."""

    name: str


class PreEnqueuePlugin(Plugin, Protocol):
    """Decides whether a pod may enter the active queue; otherwise the pod is gated."""

    def pre_enqueue(self, pod: PodInfo) -> Status: ...


class QueueSortPlugin(Plugin, Protocol):
    """Orders the active queue: pods with smaller keys are scheduled earlier."""

    def sort_key(self, pod: PodInfo, queued_at: float) -> tuple[float, ...]: ...


class PreFilterPlugin(Plugin, Protocol):
    """Refuses a pod on all nodes, or limits the nodes that are filtered."""

    def pre_filter(self, pod: PodInfo) -> PreFilterResult: ...


@runtime_checkable
class DependentPlugin(Protocol):
    """A plugin with results that depend on more than a pod's class and on other objects."""

    def depends_on(self, pod: PodInfo) -> Hashable:
        """Return, to be compared, what results depend on besides the pod's class; None: nothing."""


class FilterPlugin(Plugin, Protocol):
    """Rules out nodes for a class of pods; None if it rules out none (upstream's Skip)."""

    def filter(self, pod: PodInfo) -> FilterState | None: ...


class PostFilterPlugin(Plugin, Protocol):
    """Makes a pod that fits on no node schedulable: nominates a node, and names pods to remove."""

    def post_filter(self, pod: PodInfo, filtered: NodeToStatusReader) -> PostFilterResult: ...


class PreScorePlugin(Plugin, Protocol):
    """Checks a pod before nodes are scored; an error fails the cycle."""

    def pre_score(self, pod: PodInfo) -> Status: ...


class ScorePlugin(Plugin, Protocol):
    """Scores feasible nodes for a class of pods; None adds nothing (upstream's Skip).

    NormalizeScore is part of `RelativeScore`.
    """

    def score(self, pod: PodInfo) -> LocalScore | RelativeScore | None: ...


class ReservePlugin(Plugin, Protocol):
    """Keeps state of its own about pods that are about to be bound.

    If a later step fails, `unreserve` is called on all Reserve plugins, last first, also on those
    that haven't reserved. It must not fail.
    """

    def reserve(self, pod: PodInfo, node_name: str) -> Status: ...

    def unreserve(self, pod: PodInfo, node_name: str) -> None: ...


@runtime_checkable
class AllocatingPlugin(Protocol):
    """A Reserve plugin that allocates the devices of claims."""

    def allocations(self, pod: PodInfo, node_name: str) -> Sequence[tuple[Object, Object]]:
        """Return the claims, with their allocations, that a pod gets on a node that fits it."""


class PermitPlugin(Plugin, Protocol):
    """Approves, denies or delays a binding."""

    def permit(self, pod: PodInfo, node_name: str) -> Permission: ...


class PreBindPlugin(Plugin, Protocol):
    """Does what must be done before a pod is bound; if it doesn't succeed, the pod isn't bound."""

    def pre_bind(self, pod: PodInfo, node_name: str) -> Status: ...


class PreBindProgress(msgspec.Struct, frozen=True):
    """State of PreBind's API calls."""

    written: Sequence[Object]
    """The objects returned by the calls, in order."""
    pod_exists: bool
    is_late: bool = False
    """Whether waiting ends now."""


@runtime_checkable
class PreBindCallsPlugin(Plugin, Protocol):
    """A PreBind plugin that makes API calls and waits until others have acted on them."""

    bind_timeout_seconds: int
    poll_s: float
    """Seconds between calls of `pre_bind_done`, and after the API calls before the first one."""
    waiting_reason: str
    """Reason of the Event about a pod that begins to wait; empty for no Event."""

    def pre_bind_calls(self, pod: PodInfo, node_name: str) -> Sequence[Effect] | None:
        """Return the API calls to make before the pod is bound; None if there is nothing to do.

        Binding waits until all succeed, and then for `pre_bind_done`.
        """

    def pre_bind_done(self, pod: PodInfo, node_name: str, progress: PreBindProgress) -> Status:
        """Return success if PreBind is done, else `Wait`."""


@runtime_checkable
class PreBindStagesPlugin(PreBindCallsPlugin, Protocol):
    """A PreBind plugin with calls that follow from the objects that earlier calls returned.

    Its `pre_bind_done` is called as soon as the last call has succeeded.
    """

    def further_calls(
        self, pod: PodInfo, node_name: str, written: Sequence[Object]
    ) -> Sequence[Effect]:
        """Return the calls to make now that these objects have been returned; none ends PreBind."""

    def undo_calls(self, pod: PodInfo, written: Sequence[Object]) -> Sequence[Effect]:
        """Return the calls that take back what is written for a pod, as it isn't bound."""


@runtime_checkable
class PreBindAtOncePlugin(Plugin, Protocol):
    """A plugin that does in the listers what its API calls would do, where no server is called."""

    def pre_bind_at_once(self, pod: PodInfo, node_name: str) -> Status: ...


class BindPlugin(Plugin, Protocol):
    """Binds a pod to its chosen node; Skip leaves that to the next bind plugin."""

    def bind(self, pod: PodInfo, node_name: str) -> Status: ...


class PostBindPlugin(Plugin, Protocol):
    """Is informed after a pod was bound."""

    def post_bind(self, pod: PodInfo, node_name: str) -> None: ...
