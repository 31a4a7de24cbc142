"""A sweep's file: which scenarios, seeds and settings, and what makes one setting better."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod
from pathlib import Path
from typing import Annotated, Any

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


class SweepError(PodiumError):
    """A file that isn't a sweep; a line for everything that is wrong with it."""


class SettingRange(Document):
    """Numbers between two ends, both included.

    Attributes:
        from_: the smallest.
        to: the largest.
        step: from one to the next; a grid needs it, a search takes any number without it.
        log: whether a search looks at orders of magnitude alike.
        text: what the number stands in, such as `{}Gi`; none for the number itself.
    """

    from_: Annotated[Number, Field(alias="from")]
    to: Number
    step: Number | None = None
    log: bool = False
    text: str | None = None

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
        return all(isinstance(one, int) for one in (self.from_, self.to, self.step or 1))

    def values(self) -> list[Any]:
        step = self.step or 1
        count = int((self.to - self.from_) / step + 1e-9) + 1
        return [self.shown(self.from_ + number * step) for number in range(count)]

    def shown(self, number: Number) -> Any:
        exact = number if self.is_whole else round(number, 9)
        return exact if self.text is None else self.text.format(exact)


class SettingDocument(Document):
    """A setting: where its value goes, and which values are tried.

    Attributes:
        name: as results call it; the path unless given.
        in_: `Scenario`, `KubeSchedulerConfiguration`, `SchedulerOptions`, or objects of the
            scenario's manifests: `KIND/NAME`, `NAMESPACE/KIND/NAME`, `*` for any name.
        path: within it.
        values: any values.
        range: numbers.
    """

    name: str = ""
    in_: Annotated[str, Field(alias="in")] = SCENARIO
    path: Annotated[str, Required(_PATH_RULE)]
    values: Tuple[Any] | None = None
    range: SettingRange | None = None

    def contradictions(self) -> Iterator[FieldError]:
        if not steps_of(self.path) or not isinstance(steps_of(self.path)[0], str):
            yield FieldError("path", self.path, _PATH_RULE)
        if (self.values is None) == (self.range is None):
            yield FieldError("values", self.values, "must have either values or range")
        elif self.values is not None and not self.values:
            yield FieldError("values", [], "must have at least one value")

    @property
    def called(self) -> str:
        """As results call it."""
        return self.name or self.path

    @property
    def place(self) -> SettingPlace:
        return SettingPlace(self.in_, self.path)

    def all_values(self) -> Sequence[Any]:
        if self.values is not None:
            return self.values
        return self.range.values() if self.range is not None else ()


class Search(Document):
    """Looks for the best settings instead of trying all.

    Attributes:
        trials: how many settings are tried.
        at_once: how many of them are chosen before any of them is known; it is part of what
            decides on the trials, unlike the number of workers.
        seed: of the search.
    """

    trials: Annotated[int, Range(1, _RUNS_MAX)]
    at_once: Annotated[int, Range(1, 1000)] = 4
    seed: Annotated[int, Range(0)] = 0


class Objective(Document):
    """What makes one setting better than another: the mean of a measure over all its runs.

    Attributes:
        minimize: a measure, such as `pendingSeconds.service`.
        maximize: likewise.
    """

    minimize: str | None = None
    maximize: str | None = None

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
        """1 if less is better, -1 if more is."""
        return -1 if self.minimize is None else 1


class SweepSpec(Document):
    """What a sweep tries, and what makes one trial better than another.

    Attributes:
        description: for readers.
        scenarios: files, named from where this one is.
        seeds: how many seeds; 0, 1, 2 and so on.
        first_seed: the first of them, if it isn't 0.
        settings: what is varied.
        search: how the best is looked for; without it all combinations are tried.
        objective: what makes one better.
    """

    description: str = ""
    scenarios: Annotated[Tuple[str], Required("files of scenarios")]
    seeds: Annotated[int, Range(1, _RUNS_MAX)] = 1
    first_seed: Annotated[int, Range(0)] = 0
    settings: Annotated[Tuple[SettingDocument], Required("what is varied")]
    search: Search | None = None
    objective: Objective | None = None

    def contradictions(self) -> Iterator[FieldError]:
        if not self.scenarios:
            yield FieldError("scenarios", [], "must name at least one")
        if not self.settings:
            yield FieldError("settings", [], "must vary at least one")
        seen: set[str] = set()
        for index, one in enumerate(self.settings):
            if one.called in seen:
                yield FieldError(f"settings[{index}].name", one.called, "is there already")
            seen.add(one.called)
            stepless = one.range is not None and one.range.step is None
            if self.search is None and one.range is not None and stepless:
                yield FieldError(f"settings[{index}].range.step", None, "a grid needs it")
        if self.search is not None and self.objective is None:
            yield FieldError("objective", None, "a search needs it")
        if self.search is None:
            trials = prod(len(one.all_values()) for one in self.settings)
            if (runs := trials * self.seeds * len(self.scenarios)) > _RUNS_MAX:
                yield FieldError("settings", runs, f"must make at most {_RUNS_MAX} runs")


class SweepDocument(Document):
    """The file of a sweep."""

    api_version: Annotated[str, Choice((API_VERSION,))]
    kind: Annotated[str, Choice((KIND,))]
    metadata: Metadata = Metadata()
    spec: SweepSpec


@dataclass(frozen=True, slots=True)
class Sweep:
    """A sweep that was read, and from where its scenarios are named."""

    name: str
    directory: Path
    spec: SweepSpec

    @property
    def seeds(self) -> range:
        return range(self.spec.first_seed, self.spec.first_seed + self.spec.seeds)

    @property
    def trials(self) -> int:
        search = self.spec.search
        lists = (one.all_values() for one in self.spec.settings)
        return prod(map(len, lists)) if search is None else search.trials

    def grid(self) -> list[Mapping[str, Any]]:
        names = [one.called for one in self.spec.settings]
        lists = [one.all_values() for one in self.spec.settings]
        return [dict(zip(names, values, strict=True)) for values in product(*lists)]

    def places(self, values: Mapping[str, Any]) -> dict[SettingPlace, Any]:
        return {one.place: values[one.called] for one in self.spec.settings}


def read_sweep(path: str) -> Sweep:
    """The sweep that a file holds; raises SweepError, or that it can't be read."""
    decoded = decode(SweepDocument, one_document(path, read_text(path), KIND, SweepError))
    if decoded.document is None:
        raise SweepError("\n".join(f"{path}: {one}" for one in decoded.faults))
    document = decoded.document
    return Sweep(document.metadata.name or Path(path).stem, Path(path).parent, document.spec)
