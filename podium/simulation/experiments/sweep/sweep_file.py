"""The file of a sweep: `kind: Sweep`."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from math import prod
from pathlib import Path
from typing import Annotated, Any

import msgspec
from pydantic import Field

from podium.api.documents.document import Choice, Document, Range, Required, Tuple, decode
from podium.api.errors import FieldError, PodiumError
from podium.cluster.manifests.input_files import read_text
from podium.simulation.experiments.measures import MEANINGS
from podium.simulation.experiments.settings import SCENARIO, SettingPlace, steps_of
from podium.simulation.scenario.scenario_document import Metadata, one_document

API_VERSION = "podium.dev/v1alpha1"
KIND = "Sweep"
_RUNS_MAX = 1_000_000
_VALUES_MAX = 10_000
_PATH_RULE = 'must be a path such as spec.nodes[0].count or metadata.annotations["a.b/c"]'

Number = int | float


class SettingRange(Document):
    """Numbers of an interval, both ends included."""

    from_: Annotated[Number, Field(alias="from")]
    """Smallest number."""
    to: Number
    """Largest number."""
    step: Number | None = None
    """Distance of the numbers; required unless there is a search, which without it may try any
    number of the interval."""
    log: bool = False
    """Whether a search draws from a logarithmic scale."""
    text: str | None = None
    """Text in which the number replaces `{}`, such as `{}Gi`; by default the number alone."""

    def contradictions(self) -> Iterator[FieldError]:
        if self.to < self.from_:
            yield FieldError("to", self.to, f"must be at least {self.from_}, where it starts")
        if self.step is not None and self.step <= 0:
            yield FieldError("step", self.step, "must be above 0")
        elif self.step is not None and (self.to - self.from_) / self.step >= _VALUES_MAX:
            yield FieldError("step", self.step, f"must make at most {_VALUES_MAX} values")
        if self.text is not None and "{}" not in self.text:
            yield FieldError("text", self.text, "must have {} where the number goes")
        if self.log and (self.from_ <= 0 or self.step is not None):
            yield FieldError("log", True, "only for numbers above 0 without step")

    @property
    def is_whole(self) -> bool:
        """Return whether all numbers are integers."""
        return all(isinstance(one, int) for one in (self.from_, self.to, self.step or 1))

    def values(self) -> list[Any]:
        step = self.step or 1
        count = int((self.to - self.from_) / step + 1e-9) + 1
        return [self.shown(self.from_ + number * step) for number in range(count)]

    def shown(self, number: Number) -> Any:
        exact = number if self.is_whole else round(number, 9)
        return exact if self.text is None else self.text.format(exact)


class SettingDocument(Document):
    """A setting: the place of its value, and the values to try."""

    name: str = ""
    """Name of the setting in results; its path unless given."""
    in_: Annotated[str, Field(alias="in")] = SCENARIO
    """`Scenario`, `KubeSchedulerConfiguration`, `SchedulerOptions`, or objects of the scenario's
    manifests: `KIND/NAME`, `NAMESPACE/KIND/NAME`, `*` for any name."""
    path: Annotated[str, Required(_PATH_RULE)]
    """Path of the value in that document or object."""
    values: Tuple[Any] | None = None
    """Values to try."""
    range: SettingRange | None = None
    """Numbers to try, instead of `values`."""

    def contradictions(self) -> Iterator[FieldError]:
        if not steps_of(self.path) or not isinstance(steps_of(self.path)[0], str):
            yield FieldError("path", self.path, _PATH_RULE)
        if (self.values is None) == (self.range is None):
            yield FieldError("values", self.values, "must have either values or range")
        elif self.values is not None and not self.values:
            yield FieldError("values", [], "must have at least one value")

    @property
    def called(self) -> str:
        """Return the name of the setting in results."""
        return self.name or self.path

    @property
    def place(self) -> SettingPlace:
        return SettingPlace(self.in_, self.path)

    def all_values(self) -> Sequence[Any]:
        if self.values is not None:
            return self.values
        return self.range.values() if self.range is not None else ()


class Search(Document):
    """A search for the best settings instead of trying all of them."""

    trials: Annotated[int, Range(1, _RUNS_MAX)]
    """Number of trials."""
    at_once: Annotated[int, Range(1, 1000)] = 4
    """Number of trials that are chosen together, without each other's results; unlike the number of
    workers it influences which settings are tried."""
    seed: Annotated[int, Range(0)] = 0
    """Seed of the search."""


class Objective(Document):
    """The measure, averaged over all runs of a trial, by which trials are ranked."""

    minimize: str | None = None
    """Measure that should be small, such as `pendingSeconds.service`."""
    maximize: str | None = None
    """Measure that should be large, such as `utilisation.cpu`."""

    def contradictions(self) -> Iterator[FieldError]:
        if (self.minimize is None) == (self.maximize is None):
            yield FieldError("", None, "must have either minimize or maximize")
        elif self.measure.partition(".")[0] not in MEANINGS:
            field = "maximize" if self.minimize is None else "minimize"
            yield FieldError(field, self.measure, f"measures are {', '.join(MEANINGS)}")

    @property
    def measure(self) -> str:
        return self.minimize or self.maximize or ""

    @property
    def sign(self) -> int:
        """Return 1 if the measure is minimised, and -1 if it is maximised."""
        return -1 if self.minimize is None else 1


class SweepSpec(Document):
    """The trials of a sweep, and how they are ranked."""

    description: str = ""
    """Text for readers."""
    scenarios: Annotated[Tuple[str], Required("files of scenarios")]
    """Files of scenarios, relative to this file."""
    seeds: Annotated[int, Range(1, _RUNS_MAX)] = 1
    """Number of seeds with which each scenario is run."""
    first_seed: Annotated[int, Range(0)] = 0
    """The first seed; the others are the following integers."""
    settings: Annotated[Tuple[SettingDocument], Required("what is varied")]
    """Settings to vary."""
    search: Search | None = None
    """Search for the best settings; without it all combinations are tried."""
    objective: Objective | None = None
    """Measure by which trials are ranked."""

    def contradictions(self) -> Iterator[FieldError]:
        if not self.scenarios:
            yield FieldError("scenarios", [], "must name at least one")
        if not self.settings:
            yield FieldError("settings", [], "must vary at least one")
        seen: set[str] = set()
        for index, setting in enumerate(self.settings):
            if setting.called in seen:
                yield FieldError(f"settings[{index}].name", setting.called, "is there already")
            seen.add(setting.called)
            if self.search is None and setting.range is not None and setting.range.step is None:
                yield FieldError(f"settings[{index}].range.step", None, "a grid needs it")
        if self.search is not None and self.objective is None:
            yield FieldError("objective", None, "a search needs it")
        if self.search is None:
            trials = prod(len(setting.all_values()) for setting in self.settings)
            if (runs := trials * self.seeds * len(self.scenarios)) > _RUNS_MAX:
                yield FieldError("settings", runs, f"must make at most {_RUNS_MAX} runs")


class SweepDocument(Document):
    """The file of a sweep."""

    api_version: Annotated[str, Choice((API_VERSION,))]
    kind: Annotated[str, Choice((KIND,))]
    metadata: Metadata = Metadata()
    spec: SweepSpec


class Sweep(msgspec.Struct, frozen=True):
    """A sweep as read from a file."""

    name: str
    directory: Path
    spec: SweepSpec

    @property
    def seeds(self) -> range:
        return range(self.spec.first_seed, self.spec.first_seed + self.spec.seeds)

    @property
    def trials(self) -> int:
        """Return the number of trials."""
        search = self.spec.search
        return len(self.grid()) if search is None else search.trials

    def grid(self) -> list[Mapping[str, Any]]:
        """Return all combinations of the settings' values, by the names of the settings."""
        names = [setting.called for setting in self.spec.settings]
        lists = [setting.all_values() for setting in self.spec.settings]
        return [dict(zip(names, values, strict=True)) for values in product(*lists)]

    def places(self, values: Mapping[str, Any]) -> dict[SettingPlace, Any]:
        """Return values by the places of their settings, given values by names of settings."""
        return {setting.place: values[setting.called] for setting in self.spec.settings}


def read_sweep(path: str) -> Sweep:
    """Read a sweep; raises PodiumError, or InputFileError if the file can't be read."""
    decoded = decode(SweepDocument, one_document(path, read_text(path), KIND))
    if decoded.document is None:
        raise PodiumError("\n".join(f"{path}: {fault}" for fault in decoded.faults))
    document = decoded.document
    return Sweep(document.metadata.name or Path(path).stem, Path(path).parent, document.spec)
