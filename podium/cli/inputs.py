"""What commands about a cluster have in common: where the state, the changes and the rules are."""

import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from podium.api.durations import duration_seconds
from podium.api.errors import PodiumError
from podium.api.pod_limit import PodLimit
from podium.cli.collecting import collect_rarely
from podium.cli.configurations import read_kubelet_config, read_scheduler_config
from podium.cli.options import InputError
from podium.manifests import Loaded, ManifestError, Manifests, Problem, read_sources
from podium.manifests.problems import describe
from podium.plan.pressing import Pressure, parse_pressure
from podium.plan.request import Request
from podium.plan.targets import Target, parse_target

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestOptions:
    """The options that say what `podium plan` and `podium explain` are about.

    Attributes:
        state: where the state is.
        apply: where the manifests are.
        delete: what to delete first.
        scheduler_config: the file of the scheduler's configuration.
        kubelet_config: the file of the kubelets' configuration.
        namespace: where objects are that don't say.
        pressure: what nodes are put under.
        until: for how long to play; None to the end of the rollouts.
        repair: whether controllers make up for what the state lacks.
        max_pods: how many new pods workloads may ask for.
        plugins: `FILE:CLASS` of plugins to enable.
        alternatives: how many other candidates each preemption reports.
        seeds: how often to play.
    """

    state: Sequence[str]
    apply: Sequence[str] | None
    delete: Sequence[str] | None
    scheduler_config: str | None
    kubelet_config: str | None
    namespace: str
    pressure: Sequence[str] | None
    until: str | None
    repair: bool
    max_pods: int
    plugins: Sequence[str] | None = None
    alternatives: int = 0
    seeds: int = 1


def read_request(options: RequestOptions) -> tuple[Request, list[str]]:
    """Read everything that a request consists of.

    Returns:
        The request, and what is worth knowing about what was read.

    Raises:
        PodiumError: anything is wrong with any of it; all that is wrong, line by line.
    """
    files = [*options.state, *(options.apply or ())]
    configurations = [options.scheduler_config, options.kubelet_config]
    if [*files, *configurations].count("-") > 1:
        raise InputError("standard input (-) can be read only once")
    place, errors = options.namespace, _ErrorCollector()
    deleted = errors.collect(
        lambda: [parse_target(one, place) for one in options.delete or ()], list[Target]()
    )
    pressures = errors.collect(
        lambda: [*map(parse_pressure, options.pressure or ())], list[Pressure]()
    )
    until_s = errors.collect(lambda: _until_s(options.until), None)
    configuration = errors.collect(
        lambda: read_scheduler_config(options.scheduler_config, options.plugins or ()), None
    )
    kubelet = errors.collect(lambda: read_kubelet_config(options.kubelet_config), None)
    before = errors.collect(lambda: _manifests(options.state, place), Manifests())
    applied = errors.collect(
        lambda: _manifests(options.apply or (), place, later_wins=True), Manifests()
    )
    if kubelet is None or errors.found:
        raise InputError("\n".join(map(str, errors.found)))
    _check_pods([*before.objects, *applied.objects], PodLimit(options.max_pods))
    collect_rarely()
    request = Request(
        state=[loaded.obj for loaded in before.objects],
        applied=[loaded.obj for loaded in applied.objects],
        deleted=deleted,
        pressures=pressures,
        eviction=kubelet.eviction,
        configuration=configuration,
        alternatives_max=options.alternatives,
        seeds=options.seeds,
        until_s=until_s,
        repairs=options.repair,
    )
    return request, [*before.notes, *applied.notes]


class _ErrorCollector:
    """Collects the errors of all inputs, so that they are told at once."""

    def __init__(self) -> None:
        self.found: list[PodiumError] = []

    def collect(self, read: Callable[[], T], instead: T) -> T:
        """What is read, or something instead where that fails."""
        try:
            return read()
        except PodiumError as error:
            self.found.append(error)
            return instead


def _until_s(text: str | None) -> float | None:
    if text is None:
        return None
    found = duration_seconds(text)
    if found is None or found <= 0:
        raise InputError(f"--until {text}: must be a duration, such as 90s or 10m")
    return found


def _manifests(paths: Sequence[str], namespace: str, *, later_wins: bool = False) -> Manifests:
    if not paths:
        return Manifests()
    return read_sources(paths, sys.stdin.buffer, namespace=namespace, later_wins=later_wins)


def _check_pods(objects: Iterable[Loaded], limit: PodLimit) -> None:
    faults = ((loaded, limit.add(loaded.obj)) for loaded in objects)
    problems = [
        Problem(one.source, describe(one.obj), str(fault)) for one, fault in faults if fault
    ]
    if problems:
        raise ManifestError(problems)
