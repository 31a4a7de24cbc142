"""The scheduling framework: one protocol an extension point, spelt as kube-scheduler spells them.

`filter` and `score` aren't called once per node, as upstream. They are called once per class of
pods and return a state that judges rows, all at once (arrays in, arrays out) or one by one.

Codes of filters are int32: 0 fits, positive can be cured by removing pods (Unschedulable),
negative can't (UnschedulableAndUnresolvable); `status` puts a state's own numbers in words.

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
    """What can change a state's answer for a row: the finer, the less is asked again."""

    NODE = auto()
    """Its node object."""
    ROW = auto()
    """The pods on it, too."""
    CLUSTER = auto()
    """Pods anywhere; `pods_changed` passes them to the state."""
    VOLATILE = auto()
    """Anything: it is asked about every pod anew."""


class CycleError(Exception):
    """A plugin couldn't do its work; the pod's cycle ends in an error, and is tried again."""

    def __init__(self, plugin: str, message: str) -> None:
        super().__init__(message)
        self.plugin = plugin


class FilterState:
    """What a filter plugin knows of one class of pods.

    Attributes:
        width: how many sums over pods it looks at.
        additive: whether `codes` and `code` take `extra`; if not, `code_among` is asked instead.
        changes: raised where pods changed only what holds of hypothetical rows elsewhere.
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
        """Judge all rows as they are, int32[nodes]; of scope NODE, they aren't to be changed."""
        return self.codes(np.arange(node_count))

    def code(self, row: int, extra: Sequence[int] = ()) -> int:
        sums = [np.array([amount], np.int64) for amount in extra]
        return int(self.codes(np.array([row]), sums)[0])

    def code_among(self, row: int, pods: Sequence[PodInfo]) -> int:
        """Judge one row as if these pods were on it; only where `additive` is false."""
        raise TypeError(f"{type(self).__name__} judges rows by sums")

    def register_classes(self, classes: Iterable[PodClass]) -> None:
        """Take note of classes of which no pod may be on a node; they may add to `width`."""

    def weights(self, cls: PodClass) -> Sequence[int]:
        """What a pod of this class adds to each sum of its row."""
        return ()

    def weights_of(self, pods: ManyPods, classes: PodClasses) -> Sequence[NDArray[np.int64]]:
        """`weights` of many pods: `width` arrays int64 of the shape of the pods'."""
        return looked_up(self.width, pods.ids, len(classes), lambda n: self.weights(classes[n]))

    def headroom(self, rows: Rows) -> Sums | None:
        """How much more each sum may hold, `width` arrays int64[n], if the verdict goes by that.

        The pod fits a row just if `extra` is nowhere more than this. None if there is more to it;
        where it isn't, no class has a weight below 0.
        """
        return None

    def pods_changed(self, changes: Sequence[Change]) -> bool:
        """Follow changes of pods; True if any answer may have changed beyond their rows.

        States of CLUSTER scope get every change once and in order.
        """
        return False

    def begin(self, pod: PodInfo) -> None:
        """Begin a cycle of this pod; only called for states of VOLATILE scope."""

    def status(self, row: int, code: int) -> Status:
        """A code in words; rows with the same code have the same words."""
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
    """The filter state of these codes; None if no row is objected to, which saves all work."""
    return FixedCodes(plugin, codes, explain) if codes.any() else None


class LocalScore:
    """Scores from 0 to 100 that depend on the row alone, and are final.

    Attributes:
        constant: the score of every row, if they are equal for as long as nodes don't change.
    """

    plugin: str
    scope: ClassVar[Scope] = Scope.ROW
    constant: int | None = None

    def scores(self, rows: Rows) -> Scores:
        """int64[n] for int[n] rows."""
        raise TypeError(f"{type(self).__name__} scores no rows")

    def all_scores(self, node_count: int) -> Scores:
        """The scores of all rows, int64[nodes], not to be changed."""
        return self.scores(np.arange(node_count))

    def score(self, row: int) -> int:
        return int(self.scores(np.array([row]))[0])


class RelativeScore:
    """Scores that are normalised over all feasible rows, and so depend on which those are."""

    plugin: str
    scope: ClassVar[Scope] = Scope.CLUSTER

    @property
    def is_idle(self) -> bool:
        """Whether all rows score 0, whichever are feasible, until pods change."""
        return False

    def scores(self, feasible: Rows) -> Scores:
        """Normalised scores, 0 to 100, int64[n], of the feasible rows int[n] with n > 0."""
        raise TypeError(f"{type(self).__name__} scores no rows")

    def pods_changed(self, changes: Sequence[Change]) -> bool:
        """Follow changes of pods; True if any score may have changed."""
        return False

    def begin(self, pod: PodInfo) -> None: ...


def default_normalize(raw: NDArray[np.int64], reverse: bool = False) -> NDArray[np.int64]:
    """Scale scores, int64[n], none negative, to 100 at most, rounded down.

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
    """A status that holds for all nodes, and the only nodes that can matter; None leaves all."""

    status: Status = SUCCESS
    node_names: frozenset[str] | None = None


PASSES = PreFilterResult()
"""PreFilter found out nothing."""


class NodeToStatusReader(Protocol):
    """Statuses of the nodes that a pod does not fit; implemented by `post_filter.NodeToStatus`."""

    def get(self, node_name: str) -> Status:
        """The refusal of a node; UnschedulableAndUnresolvable for an unknown one."""

    def nodes_for(self, code: Code) -> list[str]:
        """The names of the nodes refused with this code, in no particular order."""


class PostFilterResult(msgspec.Struct, frozen=True):
    """The node that a PostFilter plugin nominates, or why it names none.

    Attributes:
        status: success and UnschedulableAndUnresolvable end the search for help; another refusal
            leaves it to the next plugin.
        nominated_node_name: empty takes away the nomination that the pod has, None leaves it.
        victims: pods to remove from that node, the most important first; the caller removes them.
    """

    status: Status = SUCCESS
    nominated_node_name: str | None = None
    victims: tuple[PodInfo, ...] = ()


class Held(msgspec.Struct, frozen=True):
    """What holds a preemption back that would otherwise help.

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
        held: what holds the preemption back; None if nothing does.
    """

    eligible: bool = True
    message: str = ""
    pdb_violations: int = 0
    cleared: tuple[PodInfo, ...] = ()
    held: Held | None = None

    @property
    def node_name(self) -> str:
        """The node that is nominated; empty if none."""
        return self.nominated_node_name or ""

    @property
    def clears_nomination(self) -> bool:
        return self.nominated_node_name == ""


class Permission(msgspec.Struct, frozen=True):
    """The answer of a Permit plugin; after `Wait`, the pod is rejected when `timeout_s` is over."""

    status: Status = SUCCESS
    timeout_s: float = 0.0


class Plugin(Protocol):
    """A scheduling plugin: its name, and what its extension points share."""

    name: str


class PreEnqueuePlugin(Plugin, Protocol):
    """Decides whether a pod may enter the active queue."""

    def pre_enqueue(self, pod: PodInfo) -> Status:
        """Success lets it in; a refusal gates it."""


class QueueSortPlugin(Plugin, Protocol):
    """Orders the active queue."""

    def sort_key(self, pod: PodInfo, queued_at: float) -> tuple[float, ...]:
        """Pods with smaller keys are scheduled earlier."""


class PreFilterPlugin(Plugin, Protocol):
    """Looks at the pod once, before any node."""

    def pre_filter(self, pod: PodInfo) -> PreFilterResult:
        """Refuse the pod everywhere, or narrow the nodes down."""


class FilterPlugin(Plugin, Protocol):
    """Rules out the nodes that a pod can't run on."""

    def filter(self, pod: PodInfo) -> FilterState | None:
        """What to judge the pod's class by; None if no node can be ruled out (upstream's Skip)."""


class PostFilterPlugin(Plugin, Protocol):
    """Looks for help when no node fits."""

    def post_filter(self, pod: PodInfo, filtered: NodeToStatusReader) -> PostFilterResult:
        """Name a node to nominate the pod to, and pods to remove from it, or say why not."""


class PreScorePlugin(Plugin, Protocol):
    """Looks at the pod once, before scores are made."""

    def pre_score(self, pod: PodInfo) -> Status:
        """An error ends the cycle."""


class ScorePlugin(Plugin, Protocol):
    """Ranks feasible nodes; NormalizeScore is part of `RelativeScore`."""

    def score(self, pod: PodInfo) -> LocalScore | RelativeScore | None:
        """What to score the pod's class by; None adds nothing (upstream's Skip)."""


class ReservePlugin(Plugin, Protocol):
    """Keeps state of its own about pods that are about to be bound."""

    def reserve(self, pod: PodInfo, node_name: str) -> Status:
        """A failure makes all reserve plugins unreserve, last first."""

    def unreserve(self, pod: PodInfo, node_name: str) -> None:
        """Undo; must not fail, and may come without a reserve."""


class PermitPlugin(Plugin, Protocol):
    """Approves, denies or delays a binding."""

    def permit(self, pod: PodInfo, node_name: str) -> Permission:
        """Approve, deny, or wait with a timeout."""


class PreBindPlugin(Plugin, Protocol):
    """Does what must be done before a pod is bound."""

    def pre_bind(self, pod: PodInfo, node_name: str) -> Status:
        """Anything but success rejects the pod."""


class PreBindProgress(msgspec.Struct, frozen=True):
    """How far the API calls of PreBind plugins have come; `written` has the answers in order."""

    written: Sequence[Object]
    pod_exists: bool


@runtime_checkable
class PreBindCallsPlugin(Plugin, Protocol):
    """A PreBind plugin that has something written first, and waits for others to act on it."""

    bind_timeout_seconds: int

    def pre_bind_calls(self, pod: PodInfo, node_name: str) -> Sequence[Effect]:
        """The API calls; each must succeed. None: there is nothing to do or to wait for."""

    def pre_bind_done(self, pod: PodInfo, node_name: str, progress: PreBindProgress) -> Status:
        """Judge each second after the calls whether PreBind is done; `Wait` goes on waiting."""


class BindPlugin(Plugin, Protocol):
    """Binds a pod to the node that was chosen for it."""

    def bind(self, pod: PodInfo, node_name: str) -> Status:
        """Skip leaves the pod to the next bind plugin."""


class PostBindPlugin(Plugin, Protocol):
    """Reacts after a pod was bound (PostBind)."""

    def post_bind(self, pod: PodInfo, node_name: str) -> None: ...
