"""The plugins of one profile, spread over the extension points."""

import msgspec

from podium.scheduler.framework.by_shape import ByShape
from podium.scheduler.framework.interface import (
    BindPlugin,
    FilterPlugin,
    PermitPlugin,
    PostBindPlugin,
    PostFilterPlugin,
    PreBindCallsPlugin,
    PreBindPlugin,
    PreEnqueuePlugin,
    PreFilterPlugin,
    PreScorePlugin,
    QueueSortPlugin,
    ReservePlugin,
    ScorePlugin,
)
from podium.scheduler.framework.sampling import NodeSampling


class Pipeline(msgspec.Struct, frozen=True):
    """Plugins by extension point, in the order in which they run.

    Attributes:
        sampling: how many nodes to look at; None looks at all.
    """

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
    sampling: NodeSampling | None = None
