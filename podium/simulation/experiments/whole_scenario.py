"""A scenario as plain values that need no other file, so that settings reach all of it."""

import copy
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from podium.api.codec.yaml_text import read_yaml
from podium.api.objects import spec_of
from podium.cluster.manifests import read_sources
from podium.cluster.manifests.input_files import read_text
from podium.simulation.scenario import Scenario, read_scenario, scenario_of, scenario_value

Value = dict[str, Any]


class WholeScenario(msgspec.Struct, frozen=True):
    """A scenario with all that its file names.

    Attributes:
        value: the document; objects and configurations stand where the names of files stood.
    """

    name: str
    file: str
    value: Value
    max_pods: int

    def scenario(self, seed: int) -> Scenario:
        """What a cluster plays; raises ScenarioError."""
        return scenario_of(self.file, self.value, seed, self.max_pods)

    def copy(self) -> "WholeScenario":
        return WholeScenario(self.name, self.file, copy.deepcopy(self.value), self.max_pods)

    @property
    def spec(self) -> Value:
        found: Value = self.value.setdefault("spec", {})
        return found

    def objects(self) -> Iterator[Value]:
        """All objects of its manifests: of the start, and those that steps apply and bring."""
        for holder, field in _manifest_fields(self.spec):
            yield from holder[field]

    def scheduler_documents(self) -> list[Value]:
        """The configuration of the first scheduler, which is made if there is none."""
        schedulers = self.spec.setdefault("schedulers", [{}])
        if not schedulers:
            schedulers.append({})
        documents: list[Value] = schedulers[0].setdefault("configuration", [])
        return documents


def read_whole_scenario(path: str, max_pods: int) -> WholeScenario:
    """Read a scenario's file and all that it names; raises PodiumError.

    Args:
        path: the file; `-` for standard input.
    """
    return whole_scenario(
        "stdin" if path == "-" else path, read_text(path, sys.stdin.buffer), max_pods
    )


def whole_scenario(file: str, text: str, max_pods: int) -> WholeScenario:
    """Make a scenario's text whole with all that it names; raises PodiumError.

    Args:
        file: its name, in whose directory the files are that it names.
    """
    # Whatever is wrong is reported here, with the names of the files.
    name = read_scenario(file, text, max_pods=max_pods).name
    value = scenario_value(file, text)
    value["spec"] = {k: v for k, v in spec_of(value).items() if v is not None}
    directory = Path(file).parent
    for holder, field in _manifest_fields(value["spec"]):
        manifests = holder[field]
        entries: Sequence[Any] = manifests if isinstance(manifests, list) else [manifests]
        found: list[Value] = []
        for entry in entries:
            if isinstance(entry, str):
                loaded = read_sources([str(directory / entry)]).objects
                found += [copy.deepcopy(dict(one.obj)) for one in loaded]
            elif str(entry.get("kind")).endswith("List") and isinstance(entry.get("items"), list):
                found += entry["items"]
            else:
                found.append(entry)
        holder[field] = found
    for scheduler in value["spec"].get("schedulers") or ():
        _inline_configuration(scheduler, directory)
    return WholeScenario(name, file, value, max_pods)


def _manifest_fields(spec: Value) -> Iterator[tuple[Value, str]]:
    holders = [(spec, "manifests")]
    holders += [(step, "apply") for step in spec.get("steps") or ()]
    holders += [(arrival, "objects") for arrival in spec.get("arrivals") or ()]
    yield from ((holder, field) for holder, field in holders if holder.get(field) is not None)


def _inline_configuration(scheduler: Value, directory: Path) -> None:
    given = scheduler.get("configuration") or []
    documents = [*given] if isinstance(given, list) else [given]
    if file := scheduler.pop("file", None):
        documents += [one.value for one in read_yaml(read_text(directory / file))]
    scheduler["configuration"] = documents


def with_state(whole: WholeScenario, objects: Sequence[Mapping[str, Any]]) -> WholeScenario:
    """The scenario in another cluster: what is there at the start is replaced."""
    changed = whole.copy()
    changed.spec.pop("nodes", None)
    changed.spec["manifests"] = [dict(one) for one in objects]
    return changed


def with_configuration(whole: WholeScenario, documents: Sequence[Value]) -> WholeScenario:
    """The scenario with these documents for its first scheduler, each in place of its kind's."""
    changed = whole.copy()
    kinds = {document.get("kind") for document in documents}
    configuration = changed.scheduler_documents()
    kept = [document for document in configuration if document.get("kind") not in kinds]
    configuration[:] = [*kept, *copy.deepcopy(list(documents))]
    return changed
