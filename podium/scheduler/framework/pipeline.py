"""The plugins of one profile by extension point."""

from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeVar

import msgspec

from podium.scheduler.framework.interface import (
    PASSES,
    BindPlugin,
    DependentPlugin,
    FilterPlugin,
    FilterState,
    LocalScore,
    PermitPlugin,
    PostBindPlugin,
    PostFilterPlugin,
    PreBindCallsPlugin,
    PreBindPlugin,
    PreEnqueuePlugin,
    PreFilterPlugin,
    PreScorePlugin,
    QueueSortPlugin,
    RelativeScore,
    ReservePlugin,
    ScorePlugin,
)
from podium.scheduler.framework.sampling import NodeSampling
from podium.scheduler.framework.status import SUCCESS
from podium.scheduler.snapshot.pod_classes import PodClass
from podium.scheduler.snapshot.pod_info import PodInfo
from podium.scheduler.snapshot.snapshot import PerNodes, Snapshot

AskFilter = Callable[[PodInfo], FilterState | None]
AskScore = Callable[[PodInfo], LocalScore | RelativeScore | None]
S = TypeVar("S")


class ShapedPlugin(Protocol):
    """A plugin whose states may depend only on the nodes and the shape of pods."""

    def by_shape(self, cls: PodClass) -> bool:
        """Return whether the plugin's states for a class depend on nodes and `shape_key` alone.

        Classes of one shape then share its states, which must keep nothing about a single class.
        """


class ByShape:
    """Plugins to call for a class of pods; what its shape alone determines is kept by shape."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._pre_filters: PerNodes[Sequence[PreFilterPlugin]] = PerNodes(snapshot)
        self._filters: PerNodes[Sequence[AskFilter]] = PerNodes(snapshot)
        self._pre_scores: PerNodes[Sequence[PreScorePlugin]] = PerNodes(snapshot)
        self._scores: PerNodes[Sequence[tuple[AskScore, int]]] = PerNodes(snapshot)

    def pre_filters(
        self, plugins: Sequence[PreFilterPlugin], pod: PodInfo
    ) -> Sequence[PreFilterPlugin]:
        return self._pre_filters.of(
            pod.cls.shape_key,
            lambda: [p for p in plugins if not (_settles(p, pod) and p.pre_filter(pod) is PASSES)],
        )

    def filters(self, plugins: Sequence[FilterPlugin], pod: PodInfo) -> Sequence[AskFilter]:
        """Return functions that return filter states; plugins that skip this shape are left out."""
        return self._filters.of(
            pod.cls.shape_key,
            lambda: [ask for p in plugins if (ask := _asked(p, p.filter, pod)) is not None],
        )

    def pre_scores(
        self, plugins: Sequence[PreScorePlugin], pod: PodInfo
    ) -> Sequence[PreScorePlugin]:
        return self._pre_scores.of(
            pod.cls.shape_key,
            lambda: [p for p in plugins if not (_settles(p, pod) and p.pre_score(pod) == SUCCESS)],
        )

    def scores(
        self, plugins: Sequence[tuple[ScorePlugin, int]], pod: PodInfo
    ) -> Sequence[tuple[AskScore, int]]:
        """Return functions that return score states, and weights; leaves out plugins that skip."""
        return self._scores.of(
            pod.cls.shape_key,
            lambda: [
                (ask, weight)
                for p, weight in plugins
                if (ask := _asked(p, p.score, pod)) is not None
            ],
        )


def _settles(plugin: Any, pod: PodInfo) -> bool:
    shaped: ShapedPlugin | None = plugin if hasattr(plugin, "by_shape") else None
    return shaped is not None and shaped.by_shape(pod.cls)


def _asked(
    plugin: object, ask: Callable[[PodInfo], S], pod: PodInfo
) -> Callable[[PodInfo], S] | None:
    if not _settles(plugin, pod):
        return ask
    state = ask(pod)
    return None if state is None else lambda _: state


class Pipeline(msgspec.Struct, frozen=True):
    """The plugins of one profile by extension point, in the order in which they run."""

    scheduler_name: str
    queue_sort: QueueSortPlugin
    by_shape: ByShape
    pre_enqueue: tuple[PreEnqueuePlugin, ...] = ()
    pre_filter: tuple[PreFilterPlugin, ...] = ()
    filter: tuple[FilterPlugin, ...] = ()
    post_filter: tuple[PostFilterPlugin, ...] = ()
    pre_score: tuple[PreScorePlugin, ...] = ()
    score: tuple[tuple[ScorePlugin, int], ...] = ()
    reserve: tuple[ReservePlugin, ...] = ()
    permit: tuple[PermitPlugin, ...] = ()
    pre_bind: tuple[PreBindPlugin, ...] = ()
    pre_bind_calls: tuple[PreBindCallsPlugin, ...] = ()
    bind: tuple[BindPlugin, ...] = ()
    post_bind: tuple[PostBindPlugin, ...] = ()
    dependent: tuple[DependentPlugin, ...] = ()
    """Plugins with results that depend on more than a pod's class."""
    sampling: NodeSampling | None = None
    """Limits how many nodes are filtered; None filters all."""
