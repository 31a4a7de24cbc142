"""PreFilter: what is known of a pod before any single node is looked at.

Rules and words are those of RunPreFilterPlugins and findNodesThatFitPod, v1.36.
"""

from collections.abc import Iterable, Sequence

import numpy as np

from podium.scheduler.framework.interface import (
    PASSES,
    CycleError,
    FilterState,
    PreFilterPlugin,
    Scope,
)
from podium.scheduler.framework.status import SUCCESS, Code, Status, unresolvable
from podium.scheduler.snapshot.arrays import Codes, Rows, Sums
from podium.scheduler.snapshot.pod_info import PodInfo
from podium.scheduler.snapshot.snapshot import Snapshot

NO_NODE = -1


class Narrowing(FilterState):
    """Rules out the nodes that PreFilter left out, in the name of no plugin."""

    plugin = ""
    scope = Scope.NODE

    def __init__(self, snapshot: Snapshot, node_names: Iterable[str], plugins: Sequence[str]):
        kept = np.zeros(snapshot.node_count, bool)
        kept[[snapshot.row_of[name] for name in node_names if name in snapshot.row_of]] = True
        self._codes = np.where(kept, 0, NO_NODE).astype(np.int32)
        self.plugins = plugins

    def codes(self, rows: Rows, extra: Sums = ()) -> Codes:
        return self._codes[rows]

    def status(self, row: int, code: int) -> Status:
        return unresolvable(f"node(s) didn't satisfy plugin(s) {_listed(self.plugins)}")


def run_pre_filter(
    plugins: Sequence[PreFilterPlugin], snapshot: Snapshot, pod: PodInfo
) -> tuple[Status, Narrowing | None]:
    """Ask all plugins; the refusal that holds for all nodes, or the nodes that are left."""
    refusal, names, narrowing = SUCCESS, None, []
    for plugin in plugins:
        result = plugin.pre_filter(pod)
        if result is PASSES:
            continue
        status = result.status.by(plugin.name)
        if status.code is Code.UNSCHEDULABLE_AND_UNRESOLVABLE:
            return status, None
        if status.code is Code.UNSCHEDULABLE:
            refusal = status
            continue
        if not status.is_success:
            raise CycleError(
                plugin.name, f"running PreFilter plugin {plugin.name}: {status.message}"
            )
        if result.node_names is not None:
            narrowing.append(plugin.name)
            names = result.node_names if names is None else names & result.node_names
        if names is not None and not names:
            reason = f"node(s) didn't satisfy plugin {plugin.name}"
            if len(narrowing) > 1:
                listed = _listed(sorted(narrowing))
                reason = f"node(s) didn't satisfy plugin(s) {listed} simultaneously"
            return unresolvable(reason, plugin=plugin.name), None
    if names is None or not refusal.is_success:
        return refusal, None
    return SUCCESS, Narrowing(snapshot, names, sorted(narrowing))


def _listed(plugins: Sequence[str]) -> str:
    return f"[{' '.join(plugins)}]"
