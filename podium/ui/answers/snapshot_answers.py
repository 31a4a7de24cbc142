"""The answers of `podium snapshot` and `podium import`."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from podium.api.codec.yaml_text import read_yaml
from podium.api.objects import Object
from podium.api.presentation import Bullets, Presentation, Section, Table
from podium.api.values.message_words import count, escaped_json
from podium.simulation.traces.openb import Trace
from podium.ui.answers.answer import Answer, frame, rows_of
from podium.ui.writers.formats import FORMATS

if TYPE_CHECKING:
    from podium.cluster.snapshot.state_snapshot import ClusterSnapshot


@dataclass(frozen=True, slots=True, repr=False)
class SnapshotAnswer(Answer):
    """The state of a running cluster; `podium.load(*snapshot.objects)` loads it."""

    objects: Sequence[Object]
    notes: Sequence[str]
    snapshot: "ClusterSnapshot"
    rows = "items"
    warns = FORMATS

    @property
    def warnings(self) -> Sequence[str]:
        """Kinds that could not be read."""
        return self.notes

    def written(self, output: str) -> bytes | None:
        """Write `json` with one object per line, which is fast for large clusters."""
        return escaped_json(self.snapshot.encoded()) + b"\n" if output == "json" else None

    def to_dict(self) -> dict[str, Any]:
        return {"apiVersion": "v1", "kind": "List", "items": [*self.objects]}

    def presentation(self) -> Presentation:
        sections = [
            Section("", [objects_by_kind(self.objects)]),
            Section("Notes", [Bullets(self.notes)]),
        ]
        headline = count(len(self.objects), "object")
        return Presentation("Podium snapshot", headline, sections)


@dataclass(frozen=True, slots=True, repr=False)
class TraceAnswer(Answer):
    """A trace as a scenario; see `podium import`."""

    trace: Trace
    text: str
    rows = "steps.apply"
    warns = FORMATS

    @property
    def warnings(self) -> Sequence[str]:
        """Parts of the trace that a scenario can't express."""
        return self.trace.notes

    def written(self, output: str) -> str | None:
        """Write `yaml` as a scenario file for `podium simulate`."""
        return self.text if output == "yaml" else None

    def to_dict(self) -> dict[str, Any]:
        (document,) = read_yaml(self.text)
        assert isinstance(document.value, dict)
        return document.value

    def to_pandas(self, rows: str = "") -> Any:
        """Convert `manifests`, `steps` or `steps.apply` of the spec to a table."""
        return frame(rows_of(self.to_dict()["spec"], rows or self.rows))

    def presentation(self) -> Presentation:
        trace = self.trace
        pods = [arrival.pod for arrival in trace.arrivals]
        headline = f"{count(len(trace.nodes), 'node')} and {count(len(pods), 'pod')}"
        sections = [
            Section("", [objects_by_kind((*trace.nodes, *trace.classes, *pods))]),
            Section("Notes", [Bullets(trace.notes)]),
        ]
        return Presentation("Podium import", headline, sections)


def objects_by_kind(objects: Iterable[Object]) -> Table:
    """Make a table of the number of objects of each kind, with the most frequent kind first."""
    kinds = Counter(str(obj["kind"]) for obj in objects)
    return Table(("Kind", "Objects"), [(kind, str(n)) for kind, n in kinds.most_common()])
