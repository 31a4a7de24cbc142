"""The two sides of a comparison: what a file makes of a scenario."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from podium.api.codec.yaml_text import read_yaml
from podium.api.documents.document import InvalidDocumentError
from podium.api.errors import PodiumError
from podium.cluster.manifests import read_sources
from podium.cluster.manifests.input_files import read_text
from podium.scheduler.config.document import KIND as CONFIGURATION_KIND
from podium.scheduler.config.load import load_configuration
from podium.scheduler.config.scheduler_options import OPTIONS_KIND
from podium.scheduler.plugin_registry import plugin_factories
from podium.simulation.experiments.whole_scenario import (
    WholeScenario,
    read_whole_scenario,
    with_configuration,
    with_state,
)
from podium.simulation.recordings.segments import Recording, read_recording, segment_paths
from podium.simulation.scenario.scenario_document import KIND as SCENARIO_KIND

DEFAULT = "default"
"""Stands for a side that leaves scenarios as they are."""


class SideError(PodiumError):
    """A side names files that can't be compared."""


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two sides of a comparison."""

    name: str
    kind: str
    documents: Sequence[Mapping[str, Any]] = ()
    scenario: WholeScenario | None = None
    recording: Recording | None = None

    def of(self, whole: WholeScenario) -> WholeScenario:
        if self.kind == "configuration":
            return with_configuration(whole, [dict(one) for one in self.documents])
        if self.kind == "state":
            return with_state(whole, self.documents)
        return self.scenario or whole


def read_side(name: str, max_pods: int) -> Side:
    """Read what a side names; raises PodiumError.

    Args:
        name: `default`, or a file with a KubeSchedulerConfiguration, SchedulerOptions or both, a
            scenario, a file or directory with the objects of a state, or that of a recording.
    """
    if name == DEFAULT:
        return Side(name, DEFAULT)
    if Path(name).is_dir():
        if segment_paths(Path(name)):
            return Side(name, "recording", recording=read_recording(Path(name)))
        return _state(name)
    found = list(read_yaml(read_text(name)))
    kinds = {one.value.get("kind") for one in found if isinstance(one.value, dict)}
    if kinds and kinds <= {CONFIGURATION_KIND, OPTIONS_KIND}:
        documents = [one.value for one in found if isinstance(one.value, dict)]
        try:
            load_configuration(documents, plugin_factories().keys())
        except InvalidDocumentError as error:
            raise SideError("\n".join(f"{name}: {one}" for one in error.errors)) from None
        return Side(name, "configuration", documents)
    if SCENARIO_KIND in kinds:
        return Side(name, "scenario", scenario=read_whole_scenario(name, max_pods))
    return _state(name)


def _state(name: str) -> Side:
    return Side(name, "state", [loaded.obj for loaded in read_sources([name]).objects])


def scenarios_of(a: Side, b: Side, scenarios: Sequence[WholeScenario]) -> Sequence[WholeScenario]:
    """The scenarios that both sides play; raises SideError."""
    if "recording" in (a.kind, b.kind) and (a.kind != b.kind or scenarios):
        raise SideError("a recording can be compared with another recording, and plays nothing")
    if a.kind == b.kind == "recording" and not scenarios:
        return ()
    are_scenarios = [one.kind == "scenario" for one in (a, b)]
    if any(are_scenarios):
        if not all(are_scenarios) or scenarios:
            raise SideError("a scenario can be compared with another scenario, and plays itself")
        return [one.scenario for one in (a,) if one.scenario is not None]
    kinds = {one.kind for one in (a, b)} - {DEFAULT}
    if len(kinds) > 1:
        raise SideError(f"{a.name} is a {a.kind} and {b.name} a {b.kind}: compare like with like")
    if not scenarios:
        raise SideError("which scenarios are to be played? Name them with --scenario")
    return scenarios
