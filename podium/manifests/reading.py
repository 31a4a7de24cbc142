"""From paths to objects: the one way in for state and for what is to be applied to it."""

import gc
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import BinaryIO

from podium.api.objects import DEFAULT_NAMESPACE, Object
from podium.apiserver.decoding.yaml_text import Document, decoded, read_yaml
from podium.manifests.decisive_kinds import KindOf, decisive_kind_of
from podium.manifests.files import File, load
from podium.manifests.json_text import read_json
from podium.manifests.objects import Loaded, objects_in
from podium.manifests.problems import ManifestError, Problem, describe

_LOOKS_LIKE_JSON = re.compile(rb'\s*(\{\s*["}]|\[)')
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Manifests:
    """What was read.

    Attributes:
        objects: in the order in which they stood.
        notes: what the reader should know but needn't act on, in plain sentences.
    """

    objects: list[Loaded] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def read_sources(
    paths: Sequence[str],
    stdin: BinaryIO | None = None,
    *,
    namespace: str = DEFAULT_NAMESPACE,
    later_wins: bool = False,
    kind_of: KindOf = decisive_kind_of,
) -> Manifests:
    """Read and judge the objects of files, directories and standard input.

    Args:
        paths: files (.yaml, .yml, .json; anything else by its content), directories, or `-`.
        stdin: what `-` stands for.
        namespace: where namespaced objects go that don't say.
        later_wins: of objects that stand twice the last one counts, as when they are applied one
            after another; otherwise that is an error, unless they are equal.
        kind_of: the kind of an object, if it is of any use; what is of none is noted.

    Raises:
        ManifestError: anything at all is wrong with any of them; it lists everything.
    """
    found: list[Loaded] = []
    problems: list[Problem] = []
    with _without_garbage_collection():
        for file in load(paths, stdin):
            outcomes = [file] if isinstance(file, Problem) else _objects(file, namespace, kind_of)
            for outcome in outcomes:
                if isinstance(outcome, Problem):
                    problems.append(outcome)
                else:
                    found.append(outcome)
        objects, doubles = _without_doubles(found, later_wins)
    notes = [double for double in doubles if isinstance(double, str)]
    problems += [double for double in doubles if isinstance(double, Problem)]
    if problems:
        raise ManifestError(problems)
    return Manifests(objects, [*notes, *_notes_on_unknown_kinds(objects, kind_of)])


def _objects(file: File, namespace: str, kind_of: KindOf) -> Iterator[Loaded | Problem]:
    for document in _documents(file):
        yield from objects_in(document, file.name, namespace, kind_of)


def _documents(file: File) -> Iterator[Document]:
    data = file.data.removeprefix(_BYTE_ORDER_MARK)
    # JSON has no line breaks within strings, so a separator line tells YAML that holds JSON.
    looks_like_json = _LOOKS_LIKE_JSON.match(data) and b"\n---" not in data
    if looks_like_json or file.name.endswith(".json"):
        return read_json(data)
    text, fault = decoded(data)
    return iter([Document(1, 1, faults=[fault])]) if fault else read_yaml(text)


def _without_doubles(
    found: list[Loaded], later_wins: bool
) -> tuple[list[Loaded], list[str | Problem]]:
    """Each object once, and what there is to say about those that stood there twice."""
    kept: dict[tuple[str, ...], Loaded] = {}
    remarks: list[str | Problem] = []
    for loaded in found:
        identity = _identity(loaded.obj)
        first = kept.setdefault(identity, loaded)
        if first is loaded:
            continue
        label = describe(loaded.obj)
        if later_wins:
            # Out and in again: it is applied when the later one's turn comes.
            del kept[identity]
            kept[identity] = loaded
            remarks.append(f"{label} stands twice; {loaded.source} counts, not {first.source}")
        elif loaded.obj == first.obj:
            remarks.append(f"{label} stands twice, but alike: {first.source} and {loaded.source}")
        else:
            remarks.append(Problem(loaded.source, label, f"stands already in {first.source}"))
    return list(kept.values()), remarks


def _identity(obj: Object) -> tuple[str, ...]:
    """What no two objects of a cluster share; versions of one group are the same object."""
    metadata = obj["metadata"]
    group = obj["apiVersion"].rpartition("/")[0]
    return group, obj["kind"], metadata.get("namespace") or "", metadata["name"]


def _notes_on_unknown_kinds(objects: list[Loaded], kind_of: KindOf) -> list[str]:
    counts = Counter(loaded.obj["kind"] for loaded in objects if not kind_of(loaded.obj))
    if not counts:
        return []
    kinds = ", ".join(f"{number} {kind}" for kind, number in sorted(counts.items()))
    return [f"ignored, as Podium has no use for them here: {kinds}"]


@contextmanager
def _without_garbage_collection() -> Iterator[None]:
    """Reading makes millions of values that all stay; the collector would look at each repeatedly.

    It nearly quadruples the time of reading a large cluster.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
