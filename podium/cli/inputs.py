"""What commands about a cluster have in common: where the state, the changes and the rules are."""

import sys
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TypeVar

from podium.api.errors import PodiumError
from podium.api.pod_limit import MAX_PODS, PodLimit
from podium.cli.collecting import collect_rarely
from podium.cli.configurations import read_scheduler_config
from podium.cli.options import InputError
from podium.manifests import Loaded, ManifestError, Manifests, Problem, read_sources
from podium.manifests.problems import describe
from podium.plan.request import Request
from podium.plan.targets import Target, parse_target

T = TypeVar("T")


def read_request(
    state: Sequence[str],
    apply: Sequence[str] | None,
    delete: Sequence[str] | None,
    scheduler_config: str | None,
    namespace: str,
    *,
    alternatives_max: int = 0,
    max_pods: int = MAX_PODS,
    plugins: Sequence[str] | None = None,
) -> tuple[Request, list[str]]:
    """Read everything that a request consists of.

    Args:
        state: where the state is.
        apply: where the manifests are.
        delete: what to delete first.
        scheduler_config: the configuration's file.
        namespace: where objects are that don't say.
        alternatives_max: how many other candidates each preemption reports.
        max_pods: how many new pods workloads may ask for.
        plugins: `FILE:CLASS` of plugins to enable.

    Returns:
        The request, and what is worth knowing about what was read.

    Raises:
        PodiumError: anything is wrong with any of it; all that is wrong, line by line.
    """
    changes = list(apply or ())
    if [*state, *changes, scheduler_config].count("-") > 1:
        raise InputError("standard input (-) can be read only once")
    together = _Together()
    deleted: Sequence[Target] = together.get(partial(_targets, delete or (), namespace), ())
    read_config = partial(read_scheduler_config, scheduler_config, plugins or ())
    configuration = together.get(read_config, None)
    before = together.get(partial(_manifests, state, namespace), Manifests())
    applied = together.get(partial(_manifests, changes, namespace, later_wins=True), Manifests())
    together.raise_errors()
    _check_pods([*before.objects, *applied.objects], PodLimit(max_pods))
    collect_rarely()
    request = Request(
        state=[loaded.obj for loaded in before.objects],
        applied=[loaded.obj for loaded in applied.objects],
        deleted=deleted,
        configuration=configuration,
        alternatives_max=alternatives_max,
    )
    return request, [*before.notes, *applied.notes]


class _Together:
    """Collects errors, so that those of all inputs are told at once."""

    def __init__(self) -> None:
        self._errors: list[PodiumError] = []

    def get(self, read: Callable[[], T], instead: T) -> T:
        """What is read, or something instead where that fails."""
        try:
            return read()
        except PodiumError as error:
            self._errors.append(error)
            return instead

    def raise_errors(self) -> None:
        """Raise the errors that there were, as one."""
        if self._errors:
            raise InputError("\n".join(map(str, self._errors)))


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


def _targets(texts: Sequence[str], namespace: str) -> tuple[Target, ...]:
    return tuple(parse_target(text, namespace) for text in texts)
