"""The benchmark workloads by name: those of scheduler_perf v1.36, and some of Podium's."""

from collections.abc import Sequence
from difflib import get_close_matches
from fnmatch import fnmatchcase

from podium.api.errors import PodiumError
from podium.simulation.benchmarks import claims, diverse
from podium.simulation.benchmarks.measured_workloads import REFERENCE_CASES, Workload

CASES = (*REFERENCE_CASES, *diverse.CASES, *claims.CASES)
WORKLOADS = tuple(Workload(case, size_name) for case in CASES for size_name in case.sizes)


def select(patterns: Sequence[str]) -> list[Workload]:
    """Select workloads, each once; raises PodiumError."""
    if not patterns:
        return [workload for workload in WORKLOADS if workload.size.by_default]
    by_name = {workload.name: workload for workload in WORKLOADS}
    selected: dict[str, Workload] = {}
    for pattern in patterns:
        matching = {
            name: workload
            for name, workload in by_name.items()
            if name.startswith(pattern) or fnmatchcase(name, pattern)
        }
        if pattern in by_name:
            matching = {pattern: by_name[pattern]}
        if not matching:
            close = get_close_matches(pattern, [*(case.name for case in CASES), *by_name], n=1)
            hint = f"did you mean {close[0]}?" if close else "podium bench --list names them all"
            raise PodiumError(f"no workload is called {pattern}: {hint}")
        selected |= matching
    return [*selected.values()]
