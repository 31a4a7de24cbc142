"""All workloads: those of scheduler_perf, v1.36, and some of our own; and how they are named."""

from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from fnmatch import fnmatchcase

from podium.api.errors import PodiumError
from podium.simulation.benchmarks import diverse
from podium.simulation.benchmarks.measured_workloads import REFERENCE_CASES, Workload


class UnknownWorkloadError(PodiumError):
    """No workload has such a name."""


CASES = (*REFERENCE_CASES, *diverse.CASES)
WORKLOADS = tuple(Workload(case, size_name) for case in CASES for size_name in case.sizes)


def select(patterns: Sequence[str]) -> list[Workload]:
    """The workloads that are meant, each once; raises UnknownWorkloadError.

    Args:
        patterns: each a name, the beginning of names, or a glob; without any, the default set.
    """
    if not patterns:
        return [workload for workload in WORKLOADS if workload.size.by_default]
    found = {workload.name: workload for pattern in patterns for workload in _matching(pattern)}
    return [*found.values()]


def _matching(pattern: str) -> Iterable[Workload]:
    exact = [workload for workload in WORKLOADS if workload.name == pattern]
    found = exact or [
        workload
        for workload in WORKLOADS
        if workload.name.startswith(pattern) or fnmatchcase(workload.name, pattern)
    ]
    if not found:
        names = [*(case.name for case in CASES), *(workload.name for workload in WORKLOADS)]
        close = get_close_matches(pattern, names, n=1)
        hint = f"did you mean {close[0]}?" if close else "podium bench --list names them all"
        raise UnknownWorkloadError(f"no workload is called {pattern}: {hint}")
    return found
