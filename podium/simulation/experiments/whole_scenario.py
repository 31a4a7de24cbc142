"""A scenario with the content of all its files as JSON values, in which settings are made."""

import copy
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from podium.api.codec.yaml_text import read_yaml
from podium.api.objects import spec_of
from podium.cluster.manifests.input_files import read_text
from podium.cluster.manifests.manifest_sources import read_sources
from podium.simulation.scenario.scenario_document import (
    Scenario,
    read_scenario,
    scenario_of,
    scenario_value,
)

Value = dict[str, Any]


class WholeScenario(msgspec.Struct, frozen=True):
    """A scenario with the content of all files that it names."""

    name: str
    file: str
    value: Value
    """The document, with objects and configurations in place of the names of files."""
    max_pods: int

    def scenario(self, seed: int) -> Scenario:
        """Return the scenario to run with a seed; raises PodiumError."""
        return scenario_of(self.file, self.value, seed, self.max_pods)

    def copy(self) -> "WholeScenario":
        return WholeScenario(self.name, self.file, copy.deepcopy(self.value), self.max_pods)

    @property
    def spec(self) -> Value:
        spec: Value = self.value.setdefault("spec", {})
        return spec

    def objects(self) -> Iterator[Value]:
        """Yield all objects of manifests, including those of steps and arrivals."""
        for holder, field in _manifest_fields(self.spec):
            yield from holder[field]

    def scheduler_documents(self) -> list[Value]:
        """Return the documents that configure the first scheduler; the caller may change them."""
        schedulers = self.spec.setdefault("schedulers", [{}])
        if not schedulers:
            schedulers.append({})
        documents: list[Value] = schedulers[0].setdefault("configuration", [])
        return documents


def read_whole_scenario(path: str, max_pods: int) -> WholeScenario:
    """Read a scenario (`-` for standard input) and all files that it names; raises PodiumError."""
    file = "stdin" if path == "-" else path
    return whole_scenario(file, read_text(path, sys.stdin.buffer), max_pods)


def whole_scenario(file: str, text: str, max_pods: int) -> WholeScenario:
    """Read a scenario's text, and files named relative to `file`; raises PodiumError."""
    # All faults are reported here, where the names of files are still known.
    name = read_scenario(file, text, max_pods=max_pods).name
    value = scenario_value(file, text)
    value["spec"] = {k: v for k, v in spec_of(value).items() if v is not None}
    directory = Path(file).parent
    for holder, field in _manifest_fields(value["spec"]):
        manifests = holder[field]
        objects: list[Value] = []
        for entry in manifests if isinstance(manifests, list) else [manifests]:
            if isinstance(entry, str):
                loaded = read_sources([str(directory / entry)]).objects
                objects += [copy.deepcopy(dict(one.obj)) for one in loaded]
            elif str(entry.get("kind")).endswith("List") and isinstance(entry.get("items"), list):
                objects += entry["items"]
            else:
                objects.append(entry)
        holder[field] = objects
    for scheduler in value["spec"].get("schedulers") or ():
        configuration = scheduler.get("configuration") or []
        documents = [*configuration] if isinstance(configuration, list) else [configuration]
        if configuration_file := scheduler.pop("file", None):
            text = read_text(directory / configuration_file)
            documents += [document.value for document in read_yaml(text)]
        scheduler["configuration"] = documents
    return WholeScenario(name, file, value, max_pods)


def _manifest_fields(spec: Value) -> Iterator[tuple[Value, str]]:
    holders = [(spec, "manifests")]
    holders += [(step, "apply") for step in spec.get("steps") or ()]
    holders += [(arrival, "objects") for arrival in spec.get("arrivals") or ()]
    yield from ((holder, field) for holder, field in holders if holder.get(field) is not None)


def with_state(whole: WholeScenario, objects: Sequence[Mapping[str, Any]]) -> WholeScenario:
    """Return a scenario that starts with other objects."""
    changed = whole.copy()
    changed.spec.pop("nodes", None)
    changed.spec["manifests"] = [dict(obj) for obj in objects]
    return changed


def with_configuration(whole: WholeScenario, documents: Sequence[Value]) -> WholeScenario:
    """Return a scenario with documents that replace those of equal kinds of its first scheduler."""
    changed = whole.copy()
    kinds = {document.get("kind") for document in documents}
    configuration = changed.scheduler_documents()
    kept = [document for document in configuration if document.get("kind") not in kinds]
    configuration[:] = [*kept, *copy.deepcopy(list(documents))]
    return changed
