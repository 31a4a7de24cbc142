"""What is read elsewhere for further questions: clusters as they are, and traces."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from podium.api.codec.yaml_text import read_yaml
from podium.api.objects import Object
from podium.api.presentation import Bullets, Presentation, Section, Table
from podium.api.values.message_words import count
from podium.simulation.traces.openb import Trace
from podium.ui.inputs.input_error import InputError
from podium.ui.library.answer import Answer, frame, rows_of


@dataclass(frozen=True, slots=True, repr=False)
class SnapshotAnswer(Answer):
    """The state of a running cluster, which `podium.load(*snapshot.objects)` takes."""

    objects: Sequence[Object]
    notes: Sequence[str]
    rows = "items"

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


def snapshot(
    *,
    kubeconfig: str | Path | None = None,
    context: str | None = None,
    anonymize: bool = False,
) -> SnapshotAnswer:
    """The state of a running cluster, as `podium snapshot` saves it; nothing is changed there.

    Args:
        kubeconfig: of the cluster; the one that kubectl goes to if None.
        anonymize: whether to give pseudonyms to what objects say.
    """
    # Imported when it is called, so that help, completion and the library start at once.
    from podium.ui.inputs.state_inputs import snapshot_of

    named = None if kubeconfig is None else str(kubeconfig)
    found = snapshot_of(named, context)
    if anonymize:
        found.anonymize()
    return SnapshotAnswer(found.objects, found.notes)


def import_trace(
    trace_format: str,
    nodes: str | Path,
    pods: str | Path,
    *,
    capacity: str = "100%",
    limit: int | None = None,
) -> TraceAnswer:
    """A cluster's trace as a scenario, as `podium import` makes it.

    Args:
        trace_format: `openb`.
        nodes: a CSV file, which may be gzipped.
        capacity: which part of the nodes to keep.
        limit: how many of the tasks to keep, the earliest ones; None for all.

    Raises:
        PodiumError: there is no such format, or anything is wrong with the files.
    """
    from podium.ui.inputs.trace_inputs import TraceFormat, imported

    if trace_format not in [*TraceFormat]:
        raise InputError(
            f"{trace_format}: there is no such format; there is {', '.join(TraceFormat)}"
        )
    found, text = imported(str(nodes), str(pods), capacity, limit)
    return TraceAnswer(found, text)


def objects_by_kind(objects: Iterable[Object]) -> Table:
    """How many objects of each kind there are, the most first."""
    kinds = Counter(str(one["kind"]) for one in objects)
    return Table(("Kind", "Objects"), [(kind, str(n)) for kind, n in kinds.most_common()])
