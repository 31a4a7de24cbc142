"""The import of openb traces of GPU clusters (cluster trace GPU v2023) as scenarios.

Nodes have `nvidia.com/gpu` for their GPUs and a label for the model. Tasks become Pods, with the
QoS as PriorityClass, the accepted GPU models as required node affinity, and the recorded run time
as the pod's run duration. A pod is created when its task was; when it starts depends on the
simulated scheduler. Notes report what Kubernetes can't express.
"""

import csv
import gzip
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from io import TextIOWrapper
from pathlib import Path
from typing import Any

import msgspec

from podium.api.errors import PodiumError
from podium.api.objects import Object
from podium.api.values.message_words import count
from podium.api.well_known import HOSTNAME_LABEL, REQUIRED
from podium.cluster.manifests.input_files import InputFileError, open_file


class ImportFileError(PodiumError):
    """A file that can't be imported; the message has a line for each fault."""


class Row(msgspec.Struct, frozen=True):
    """One row of a CSV file."""

    file: str
    line: int
    values: dict[str, str]

    def text(self, column: str) -> str:
        return self.values[column].strip()

    def number(self, column: str) -> int:
        """Read a whole number of at least 0; raises ImportFileError."""
        text = self.text(column)
        if not text.isdecimal():
            raise self.wrong(column, "must be a whole number, 0 or more")
        return int(text)

    def time_s(self, column: str) -> int | None:
        """Read a time in whole seconds, None if the column is empty; raises ImportFileError."""
        return self.number(column) if self.text(column) else None

    def wrong(self, column: str, rule: str) -> ImportFileError:
        value = self.text(column)
        return ImportFileError(f"{self.file}, line {self.line}, column {column}: {value!r} {rule}")


def read_rows(path: str, columns: Sequence[str]) -> Iterator[Row]:
    """Read the rows of a CSV file, gzipped or not, with some columns; raises ImportFileError."""
    try:
        with open_file(path) as file:
            is_packed = Path(path).suffix == ".gz"
            binary: Any = gzip.GzipFile(fileobj=file) if is_packed else file
            text = TextIOWrapper(binary, encoding="utf-8", newline="")
            reader = csv.reader(text, strict=True)
            header = next(reader, [])
            missing = [column for column in columns if column not in header]
            if missing:
                raise ImportFileError(
                    f"{path}, line 1: must have the columns {', '.join(columns)}; "
                    f"{', '.join(missing)} missing"
                )
            for values in reader:
                if len(values) != len(header):
                    raise ImportFileError(
                        f"{path}, line {reader.line_num}: has {len(values)} values for "
                        f"{len(header)} columns; is the file complete?"
                    )
                yield Row(path, reader.line_num, dict(zip(header, values, strict=True)))
    except InputFileError as error:
        raise ImportFileError(str(error)) from None
    except (OSError, EOFError, UnicodeDecodeError, csv.Error, zlib.error) as error:
        raise ImportFileError(f"{path}: {error}") from None


NODE_COLUMNS = ("sn", "cpu_milli", "memory_mib", "gpu", "model")
POD_COLUMNS = (
    "name",
    "cpu_milli",
    "memory_mib",
    "num_gpu",
    "gpu_milli",
    "gpu_spec",
    "qos",
    "pod_phase",
    "creation_time",
    "deletion_time",
    "scheduled_time",
)
GPU = "nvidia.com/gpu"
MODEL_LABEL = "openb.podium.dev/gpu-model"
PODS_PER_NODE = 110

# LSR, LS and Guaranteed above Burstable above BE.
PRIORITIES = {"LSR": 5000, "LS": 4000, "Guaranteed": 3000, "Burstable": 2000, "BE": 1000}
_PHASES = ("Running", "Succeeded", "Failed", "Pending")
_WHOLE_GPU = 1000


class Arrival(msgspec.Struct, frozen=True):
    """A pod and its time of creation, in seconds since the start of the trace."""

    at_s: int
    pod: Object


class Trace(msgspec.Struct, frozen=True):
    """The nodes, priority classes and pods of a trace, and notes on what can't be expressed."""

    nodes: list[Object]
    classes: list[Object]
    arrivals: list[Arrival]
    notes: list[str]


def read_trace(
    nodes: Iterable[Row],
    pods: Iterable[Row],
    *,
    capacity: Fraction = Fraction(1),
    limit: int | None = None,
) -> Trace:
    """Read a trace; raises ImportFileError.

    Keeps a share, `capacity`, of the nodes of each shape, and at most `limit` tasks, the earliest.
    """
    faults: list[str] = []
    read_nodes = _unique("sn", _each(_node, nodes, faults), faults)
    read_pods = _unique("name", _each(_arrival, pods, faults), faults)
    if faults:
        raise ImportFileError("\n".join(faults))
    kept_nodes, seen = [], Counter[str]()
    for _, node in read_nodes:
        kind = str((node["metadata"]["labels"].get(MODEL_LABEL), node["status"]["capacity"]))
        seen[kind] += 1
        if int(seen[kind] * capacity) > int((seen[kind] - 1) * capacity):
            kept_nodes.append(node)
    arrivals = sorted((arrival for _, arrival in read_pods), key=lambda arrival: arrival.at_s)
    arrivals = arrivals[:limit]
    used = {arrival.pod["spec"]["priorityClassName"] for arrival in arrivals}
    classes: list[Object] = [
        {
            "apiVersion": "scheduling.k8s.io/v1",
            "kind": "PriorityClass",
            "metadata": {"name": _class_name(qos)},
            "value": value,
        }
        for qos, value in PRIORITIES.items()
        if _class_name(qos) in used
    ]
    names = {arrival.pod["metadata"]["name"] for arrival in arrivals}
    notes = [*_notes([row for row, _ in read_pods if row.text("name") in names])]
    return Trace(kept_nodes, classes, arrivals, notes)


def _each(read: Any, rows: Iterable[Row], faults: list[str]) -> list[tuple[Row, Any]]:
    found = []
    for row in rows:
        try:
            found.append((row, read(row)))
        except ImportFileError as error:
            faults.append(str(error))
    return found


def _unique(column: str, rows: list[tuple[Row, Any]], faults: list[str]) -> list[tuple[Row, Any]]:
    lines: dict[str, int] = {}
    for row, _ in rows:
        first = lines.setdefault(row.text(column), row.line)
        if first != row.line:
            faults.append(str(row.wrong(column, f"is the name of line {first}, too")))
    return rows


def _node(row: Row) -> Object:
    gpus, model = row.number("gpu"), row.text("model")
    if not row.text("sn"):
        raise row.wrong("sn", "must name the node")
    name = row.text("sn").lower()
    amounts = {
        "cpu": f"{row.number('cpu_milli')}m",
        "memory": f"{row.number('memory_mib')}Mi",
        "pods": str(PODS_PER_NODE),
    }
    labels = {HOSTNAME_LABEL: name}
    if gpus:
        amounts[GPU] = str(gpus)
    if model:
        labels[MODEL_LABEL] = model
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": labels},
        "status": {"capacity": amounts, "allocatable": amounts},
    }


def _arrival(row: Row) -> Arrival:
    qos, phase = row.text("qos"), row.text("pod_phase")
    if not row.text("name"):
        raise row.wrong("name", "must name the task")
    if qos not in PRIORITIES:
        raise row.wrong("qos", f"must be one of {', '.join(PRIORITIES)}")
    if phase not in _PHASES:
        raise row.wrong("pod_phase", f"must be one of {', '.join(_PHASES)}")
    requests = {"cpu": f"{row.number('cpu_milli')}m", "memory": f"{row.number('memory_mib')}Mi"}
    resources, gpus, share = {"requests": requests}, row.number("num_gpu"), row.number("gpu_milli")
    if gpus == 1 and share > _WHOLE_GPU:
        raise row.wrong("gpu_milli", f"must be a share of one GPU, at most {_WHOLE_GPU}")
    if gpus:
        # An extended resource can't be overcommitted: its limit is its request.
        requests[GPU] = str(gpus)
        resources["limits"] = {GPU: str(gpus)}
    spec: dict[str, Any] = {
        "priorityClassName": _class_name(qos),
        "restartPolicy": "Never",
        "containers": [{"name": "task", "image": "openb", "resources": resources}],
    }
    if models := [model for model in row.text("gpu_spec").split("|") if model]:
        expression = {"key": MODEL_LABEL, "operator": "In", "values": list(models)}
        terms = [{"matchExpressions": [expression]}]
        spec["affinity"] = {"nodeAffinity": {REQUIRED: {"nodeSelectorTerms": terms}}}
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": row.text("name").lower(),
            "labels": {"qos": qos},
            "annotations": _behaviour(row, phase),
        },
        "spec": spec,
    }
    return Arrival(row.number("creation_time"), pod)


def _behaviour(row: Row, phase: str) -> dict[str, str]:
    ended_s, started_s = row.time_s("deletion_time"), row.time_s("scheduled_time")
    begun_s = row.number("creation_time") if started_s is None else started_s
    if ended_s is None:
        return {"podium.dev/run-duration": "forever"}
    if ended_s < begun_s:
        raise row.wrong("deletion_time", f"lies before {begun_s}, when the task began")
    behaviour = {"podium.dev/run-duration": f"{ended_s - begun_s}s"}
    if phase == "Failed":
        behaviour["podium.dev/exit-code"] = "1"
    return behaviour


def _class_name(qos: str) -> str:
    return f"openb-{qos.lower()}"


def _notes(rows: Sequence[Row]) -> Iterator[str]:
    shares = [
        row for row in rows if row.number("num_gpu") and (row.number("gpu_milli") < _WHOLE_GPU)
    ]
    if shares:
        verb = "shares" if len(shares) == 1 else "share"
        yield (
            f"{len(shares)} of {count(len(rows), 'task')} {verb} a GPU; an extended resource can't "
            "be shared, so that each asks for a whole one"
        )
    unscheduled = [row for row in rows if row.time_s("scheduled_time") is None]
    if unscheduled:
        yield (
            f"{count(len(unscheduled), 'task')} never had a node in the trace; each runs for as "
            "long as it waited there"
        )


_encode = msgspec.json.Encoder().encode


def scenario_lines(trace: Trace, name: str) -> Iterator[str]:
    """Write a trace as the lines of a scenario file, with objects as JSON, which is YAML, too."""
    yield "apiVersion: podium.dev/v1alpha1"
    yield "kind: Scenario"
    yield f"metadata: {_json({'name': name})}"
    yield "spec:"
    if trace.notes:
        yield f"  description: {_json(' '.join(f'{note}.' for note in trace.notes))}"
    yield "  manifests:"
    for obj in (*trace.classes, *trace.nodes):
        yield f"  - {_json(obj)}"
    if not trace.arrivals:
        return
    yield "  steps:"
    for arrival in trace.arrivals:
        yield f'  - {{"at": "{arrival.at_s}s", "apply": [{_json(arrival.pod)}]}}'


def _json(value: object) -> str:
    return _encode(value).decode()
