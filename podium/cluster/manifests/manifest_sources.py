"""From paths to objects: the one way in for state and for what is to be applied to it."""

import os
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import BinaryIO

import msgspec

from podium.api.codec.field_validation import FieldValidation
from podium.api.codec.yaml_text import YamlDocument, decoded, read_yaml
from podium.api.kinds.snapshot_kinds import KindOf, decisive_kind_of
from podium.api.objects import DEFAULT_NAMESPACE
from podium.api.process.python_garbage_collection import without_garbage_collection
from podium.apiserver.kinds.registration.registrations import decisive_faults
from podium.cluster.manifests.field_validation import FieldJudge
from podium.cluster.manifests.input_files import InputFileError, read_all, read_file
from podium.cluster.manifests.json_text import read_json
from podium.cluster.manifests.manifest_objects import (
    FaultsOf,
    Loaded,
    is_whole_snapshot,
    objects_in,
)
from podium.cluster.manifests.problems import ManifestError, Problem, Source, describe

_LOOKS_LIKE_JSON = re.compile(rb'\s*(\{\s*["}]|\[)')
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_STDIN, _STDIN_NAME = "-", "stdin"
# What counts as a manifest in a directory; a file that is named itself may be called anything.
_SUFFIXES = (".yaml", ".yml", ".json")


class File(msgspec.Struct, frozen=True):
    """A text that has been loaded."""

    name: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Manifests:
    """The objects that were read from manifests, and what is to be said of them.

    Attributes:
        notes: what the reader should know but needn't act on, in plain sentences.
        warnings: what is strange about fields, with where they stand.
        empty: the sources that have no objects at all.
        is_whole: whether they are all that a cluster has.
        read_s: when a running cluster was read, in seconds since the epoch; None for files.
    """

    objects: list[Loaded] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    empty: list[str] = field(default_factory=list)
    is_whole: bool = False
    read_s: float | None = None


def read_sources(
    paths: Sequence[str | File],
    stdin: BinaryIO | None = None,
    *,
    namespace: str = DEFAULT_NAMESPACE,
    is_applied: bool = False,
    later_counts: bool = False,
    validation: FieldValidation = FieldValidation.STRICT,
    kind_of: KindOf = decisive_kind_of,
    faults_of: FaultsOf = decisive_faults,
) -> Manifests:
    """Read and judge the objects of files, directories and standard input; raises ManifestError.

    Args:
        paths: files (.yaml, .yml, .json; anything else by its content), directories, `-`, or
            texts that are loaded already.
        namespace: where namespaced objects go that don't say.
        later_counts: of objects that stand twice the last one counts, as where they are applied;
            otherwise that is an error, unless they are equal.
        validation: how unknown and repeated fields are treated. Of a state,
            objects that come from an API server aren't looked at: that has let in only what it
            knows.
        kind_of: the kind of an object, if it is of any use; what is of none is noted.
        faults_of: the faults of an object of such a kind.
    """
    found: list[Loaded] = []
    problems: list[Problem] = []
    empty: list[str] = []
    is_whole = False
    judge = FieldJudge(validation, is_applied=is_applied)
    with without_garbage_collection():
        for path in paths:
            before = len(found) + len(problems)
            for file in _load(path, stdin):
                if isinstance(file, Problem):
                    problems.append(file)
                    continue
                for document in _documents(file, is_applied):
                    is_whole = is_whole or is_whole_snapshot(document.value)
                    for one in objects_in(
                        document, file.name, namespace, kind_of, judge, faults_of
                    ):
                        if isinstance(one, Problem):
                            problems.append(one)
                        else:
                            found.append(one)
            if len(found) + len(problems) == before:
                empty.append(path.name if isinstance(path, File) else path)
        objects, doubles = _without_doubles(found, is_applied or later_counts)
    notes = [double for double in doubles if isinstance(double, str)]
    problems += [double for double in doubles if isinstance(double, Problem)]
    if faults := [problem for problem in problems if not problem.is_warning]:
        raise ManifestError(faults)
    unknown = Counter(loaded.obj["kind"] for loaded in objects if not kind_of(loaded.obj))
    if unknown:
        kinds = ", ".join(f"{number} {kind}" for kind, number in sorted(unknown.items()))
        notes.append(f"ignored, as Podium has no use for them here: {kinds}")
    return Manifests(objects, notes, [*map(str, problems)], empty, is_whole)


def _load(path: str | File, stdin: BinaryIO | None) -> Iterator[File | Problem]:
    if isinstance(path, File):
        yield path
    elif path == _STDIN:
        if stdin is None:
            yield Problem(Source(_STDIN_NAME), "", "there is no standard input to read")
        else:
            yield _read(_STDIN_NAME, partial(read_all, stdin))
    elif Path(path).is_dir():
        unread: list[OSError] = []
        found = sorted(
            os.path.join(folder, name)
            for folder, _, names in os.walk(path, onerror=unread.append)
            for name in names
            if name.endswith(_SUFFIXES)
        )
        for error in unread:
            yield Problem(Source(error.filename), "", f"can't be read: {error.strerror}")
        if not found and not unread:
            message = f"the directory has no file that ends with {', '.join(_SUFFIXES)}"
            yield Problem(Source(path), "", message)
        for name in found:
            yield _read(name, read_file)
    else:
        yield _read(path, read_file)


def _read(name: str, read: Callable[[str], bytes]) -> File | Problem:
    try:
        return File(name, read(name))
    except InputFileError as error:
        return Problem(Source(name), "", f"can't be read: {error.why}")


def _documents(file: File, is_applied: bool) -> Iterator[YamlDocument]:
    data = file.data.removeprefix(_BYTE_ORDER_MARK)
    # JSON has no line breaks within strings, so a separator line tells YAML that holds JSON.
    looks_like_json = _LOOKS_LIKE_JSON.match(data) and b"\n---" not in data
    if looks_like_json or file.name.endswith(".json"):
        return read_json(data, is_careful=is_applied)
    text, fault = decoded(data)
    return iter([YamlDocument(1, 1, faults=[fault])]) if fault else read_yaml(text, may_repeat=True)


def _without_doubles(
    found: list[Loaded], later_wins: bool
) -> tuple[list[Loaded], list[str | Problem]]:
    kept: dict[tuple[str, ...], Loaded] = {}
    remarks: list[str | Problem] = []
    for loaded in found:
        # What no two objects of a cluster share; versions of one group are the same object.
        metadata = loaded.obj["metadata"]
        group = loaded.obj["apiVersion"].rpartition("/")[0]
        identity = group, loaded.obj["kind"], metadata.get("namespace") or "", metadata["name"]
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
