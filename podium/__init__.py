"""Podium: schedules, preempts and explains pods the way Kubernetes v1.36 does."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from podium.embedded.threaded import Cluster as Cluster

__version__ = "0.1.0"
__all__ = ["Cluster", "__version__"]

_ELSEWHERE = {"Cluster": "podium.embedded.threaded"}


def __getattr__(name: str) -> Any:
    """What is imported only when somebody asks for it, as it takes its time."""
    if name not in _ELSEWHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_ELSEWHERE[name]), name)
