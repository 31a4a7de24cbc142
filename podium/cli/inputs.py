"""What commands about a cluster have in common: where the state, the changes and the rules are."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar

from podium.api.durations import duration_seconds
from podium.api.errors import PodiumError
from podium.api.field_validation import FieldValidation
from podium.api.garbage_collection import collect_rarely
from podium.api.pod_limit import PodLimit
from podium.cli.change_inputs import ReadChanges, read_changes
from podium.cli.common_options import InputError
from podium.cli.configurations import read_kubelet_config, read_scheduler_config
from podium.cli.request_options import RequestOptions
from podium.cli.state_inputs import read_state
from podium.manifests import Loaded, ManifestError, Manifests, Problem
from podium.manifests.problems import describe
from podium.plan.changes import Scale
from podium.plan.loaded_state import LoadedState
from podium.plan.request import PlanRequest
from podium.plan.resource_pressure import Pressure, parse_pressure

if TYPE_CHECKING:
    from podium.advice.capacity_report import Capacity
    from podium.advice.cheapest_nodes_report import CheapestNodes
    from podium.advice.rollout_report import RolloutAdvice
    from podium.plan.explanation import PodExplanation
    from podium.plan.outcome import Plan

T = TypeVar("T")
Reported = TypeVar(
    "Reported", "Plan", "PodExplanation", "Capacity", "CheapestNodes", "RolloutAdvice"
)


@dataclass(frozen=True, slots=True)
class Asked:
    """What the command line asks for, read.

    Attributes:
        request: what is to be planned.
        warnings: what is strange about what was read.
        notes: what else is worth knowing about it.
        applied: the objects that are applied, with where they stand.
    """

    request: PlanRequest
    warnings: tuple[str, ...]
    notes: tuple[str, ...]
    applied: Sequence[Loaded] = ()

    def told_in(self, report: Reported) -> Reported:
        """A report on the request, with these warnings and notes before its own."""
        return replace(
            report,
            warnings=(*self.warnings, *report.warnings),
            notes=(*self.notes, *report.notes),
        )


def read_request(options: RequestOptions) -> Asked:
    """Read everything that a request consists of; raises as `request_on` does."""
    asked = request_on(options, lambda: _state(options))
    collect_rarely()
    return asked


def request_on(options: RequestOptions, read: Callable[[], Manifests]) -> Asked:
    """Read what is asked about a state.

    Args:
        options: what is asked.
        read: reads the state.

    Raises:
        PodiumError: anything is wrong with any of it; all that is wrong, line by line.
    """
    files = [*(options.state or ()), *(options.apply or ())]
    configurations = [options.scheduler_config, options.kubelet_config]
    if [*files, *configurations].count("-") > 1:
        raise InputError("standard input (-) can be read only once")
    errors = _ErrorCollector()
    pressures = errors.collect(
        lambda: [*map(parse_pressure, options.pressure or ())], list[Pressure]()
    )
    until_s = errors.collect(lambda: _until_s(options.until), None)
    configuration = errors.collect(
        lambda: read_scheduler_config(options.scheduler_config, options.plugin or ()), None
    )
    kubelet = errors.collect(lambda: read_kubelet_config(options.kubelet_config), None)
    before = errors.collect(read, Manifests())
    state = [loaded.obj for loaded in before.objects]
    found = errors.collect(lambda: read_changes(options, state), ReadChanges())
    if kubelet is None or errors.found:
        raise InputError("\n".join(map(str, errors.found)))
    _check_pods(before.objects, found, PodLimit(options.max_pods))
    request = PlanRequest(
        state=LoadedState(state, before.read_s),
        changes=found.changes,
        pressures=pressures,
        eviction=kubelet.eviction,
        configuration=configuration,
        until_s=until_s,
        repairs=options.repair,
        heals=options.assume_healthy,
        is_whole=before.is_whole,
    )
    warnings, notes = (*before.warnings, *found.warnings), (*before.notes, *found.notes)
    return Asked(request, warnings, notes, found.loaded)


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


def _state(options: RequestOptions) -> Manifests:
    ignores = options.validate is FieldValidation.IGNORE
    return read_state(
        options.state,
        options.kubeconfig,
        options.context,
        options.namespace,
        validation=FieldValidation.IGNORE if ignores else FieldValidation.WARN,
    )


def _check_pods(state: Iterable[Loaded], found: ReadChanges, limit: PodLimit) -> None:
    faults = ((loaded, limit.add(loaded.obj)) for loaded in (*state, *found.loaded))
    problems = [
        Problem(one.source, describe(one.obj), str(fault)) for one, fault in faults if fault
    ]
    if problems:
        raise ManifestError(problems)
    for change in found.changes:
        if isinstance(change, Scale):
            to = change.target
            fault = limit.resize(to.kind, to.namespace, to.name, change.replicas, f"--scale {to}")
            if fault:
                raise InputError(str(fault))
