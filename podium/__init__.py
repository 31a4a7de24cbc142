"""Podium: schedules, preempts and explains pods the way Kubernetes v1.36 does."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from podium.api.release import __version__

if TYPE_CHECKING:
    from podium.api.errors import PodiumError as PodiumError
    from podium.ui.library import LoadedCluster as LoadedCluster
    from podium.ui.library import benchmark as benchmark
    from podium.ui.library import compare as compare
    from podium.ui.library import decisions as decisions
    from podium.ui.library import import_trace as import_trace
    from podium.ui.library import lint as lint
    from podium.ui.library import load as load
    from podium.ui.library import schema as schema
    from podium.ui.library import simulate as simulate
    from podium.ui.library import snapshot as snapshot
    from podium.ui.library import sweep as sweep
    from podium.ui.testing.threaded_cluster import Cluster as Cluster

_LIBRARY = ["LoadedCluster", "benchmark", "compare", "decisions", "import_trace", "lint", "load"]
_LIBRARY += ["schema", "simulate", "snapshot", "sweep"]
_ELSEWHERE = {
    "Cluster": "podium.ui.testing.threaded_cluster",
    "PodiumError": "podium.api.errors",
    **dict.fromkeys(_LIBRARY, "podium.ui.library"),
}

__all__ = ["Cluster", "LoadedCluster", "PodiumError", "__version__", "benchmark", "compare"]
__all__ += ["decisions", "import_trace", "lint", "load", "schema", "simulate", "snapshot", "sweep"]


def __getattr__(name: str) -> Any:
    """What is imported only when somebody asks for it, as it takes its time."""
    if name not in _ELSEWHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_ELSEWHERE[name]), name)


def __dir__() -> list[str]:
    """What a notebook completes after `podium.`."""
    return sorted(__all__)
