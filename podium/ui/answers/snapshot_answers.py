"""What is read elsewhere for further questions: clusters as they are, and traces."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from podium.api.codec.yaml_text import read_yaml
from podium.api.objects import Object
from podium.api.presentation import Bullets, Presentation, Section, Table
from podium.api.values.message_words import count
from podium.api.values.terminal_text import escaped_json
from podium.simulation.traces.openb import Trace
from podium.ui.answers.answer import Answer, frame, rows_of
from podium.ui.writers.formats import FORMATS

if TYPE_CHECKING:
    from podium.cluster.snapshot.state_snapshot import ClusterSnapshot


@dataclass(frozen=True, slots=True, repr=False)
class SnapshotAnswer(Answer):
    """The state of a running cluster, which `podium.load(*snapshot.objects)` takes."""

    objects: Sequence[Object]
    notes: Sequence[str]
    snapshot: "ClusterSnapshot"
    rows = "items"
    warns = FORMATS

    @property
    def warnings(self) -> Sequence[str]:
        """What is left out."""
        return self.notes

    def written(self, output: str) -> bytes | None:
        """As JSON in one line, however large it is."""
        return escaped_json(self.snapshot.encoded()) + b"\n" if output == "json" else None

    def to_dict(self) -> dict[str, Any]:
        """All objects as one List, as the command prints them."""
        return {"apiVersion": "v1", "kind": "List", "items": [*self.objects]}

    def presentation(self) -> Presentation:
        """How many objects of each kind there are, and what is left out."""
        sections = [
            Section("", [objects_by_kind(self.objects)]),
            Section("Notes", [Bullets(self.notes)]),
        ]
        headline = count(len(self.objects), "object")
        return Presentation("Podium snapshot", headline, sections)


@dataclass(frozen=True, slots=True, repr=False)
class TraceAnswer(Answer):
    """A trace as a scenario; see `podium import`.

    Attributes:
        trace: its nodes, classes and pods, and what a scenario can't say.
        text: of the scenario, for a file that `podium.simulate` plays.
    """

    trace: Trace
    text: str
    rows = "steps.apply"
    warns = FORMATS

    @property
    def warnings(self) -> Sequence[str]:
        """What the scenario can't say."""
        return self.trace.notes

    def written(self, output: str) -> str | None:
        """The scenario, as the file that `podium simulate` plays."""
        return self.text if output == "yaml" else None

    def to_dict(self) -> dict[str, Any]:
        """The scenario as plain values."""
        (document,) = read_yaml(self.text)
        assert isinstance(document.value, dict)
        return document.value

    def to_pandas(self, rows: str = "") -> Any:
        """A table of a list in its `spec`: `manifests`, `steps`, or the pods in `steps.apply`."""
        return frame(rows_of(self.to_dict()["spec"], rows or self.rows))

    def presentation(self) -> Presentation:
        """How many objects of each kind there are, and what the scenario can't say."""
        trace = self.trace
        pods = [one.pod for one in trace.arrivals]
        headline = f"{count(len(trace.nodes), 'node')} and {count(len(pods), 'pod')}"
        sections = [
            Section("", [objects_by_kind((*trace.nodes, *trace.classes, *pods))]),
            Section("Notes", [Bullets(trace.notes)]),
        ]
        return Presentation("Podium import", headline, sections)


def objects_by_kind(objects: Iterable[Object]) -> Table:
    """How many objects of each kind there are, the most first."""
    kinds = Counter(str(one["kind"]) for one in objects)
    return Table(("Kind", "Objects"), [(kind, str(n)) for kind, n in kinds.most_common()])
