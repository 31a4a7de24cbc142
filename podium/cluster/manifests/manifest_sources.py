"""Reading of objects from files, directories and standard input, as a state or to be applied."""

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
from podium.cluster.manifests.field_judge import FieldJudge
from podium.cluster.manifests.input_files import InputFileError, read_all, read_file
from podium.cluster.manifests.json_text import read_json
from podium.cluster.manifests.manifest_objects import FaultsOf, Loaded, is_whole_state, objects_in
from podium.cluster.manifests.problems import ManifestError, Problem, Source, describe

_LOOKS_LIKE_JSON = re.compile(rb'\s*(\{\s*["}]|\[)')
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_STDIN, _STDIN_NAME = "-", "stdin"
# Names of manifests in a directory; a file that is given itself may have any name.
_SUFFIXES = (".yaml", ".yml", ".json")


class File(msgspec.Struct, frozen=True):
    """The name and text of a manifest file that has been read already."""

    name: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Manifests:
    """The objects that were read from manifests, with notes and warnings."""

    objects: list[Loaded] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    """Problems of fields, with their places."""
    empty: list[str] = field(default_factory=list)
    """Names of files and directories without objects."""
    is_whole: bool = False
    """Whether the objects include all objects of a cluster."""
    read_s: float | None = None
    """When a running cluster was read, in seconds since the epoch; None for files."""


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
    """Read and validate the objects of files, directories and standard input.

    Args:
        paths: files (.yaml, .yml, .json; others by their content), directories, `-`, or loaded
            texts.
        namespace: namespace of namespaced objects that have none.
        is_applied: whether the objects are to be applied; otherwise they are a cluster state.
        later_counts: whether to use the last of several objects with one name, as always for
            objects to be applied. Otherwise unequal objects with one name are an error.
        validation: how unknown and repeated fields are treated; objects of a state that come from
            an API server aren't checked.
        kind_of: returns the kind of an object, or None for an unused kind, which is noted.
        faults_of: returns the faults of an object whose kind isn't None.
    """
    loaded_objects: list[Loaded] = []
    problems: list[Problem] = []
    empty: list[str] = []
    is_whole = False
    judge = FieldJudge(validation, is_applied=is_applied)
    with without_garbage_collection():
        for path in paths:
            before = len(loaded_objects) + len(problems)
            for file in _load(path, stdin):
                if isinstance(file, Problem):
                    problems.append(file)
                    continue
                for document in _documents(file, is_applied):
                    is_whole = is_whole or is_whole_state(document.value)
                    for obj in objects_in(
                        document, file.name, namespace, kind_of, judge, faults_of
                    ):
                        if isinstance(obj, Problem):
                            problems.append(obj)
                        else:
                            loaded_objects.append(obj)
            if len(loaded_objects) + len(problems) == before:
                empty.append(path.name if isinstance(path, File) else path)
        kept: dict[tuple[str, ...], Loaded] = {}
        notes: list[str] = []
        for loaded in loaded_objects:
            # The versions of a group are views of one object.
            metadata = loaded.obj["metadata"]
            group = loaded.obj["apiVersion"].rpartition("/")[0]
            identity = group, loaded.obj["kind"], metadata.get("namespace") or "", metadata["name"]
            first = kept.setdefault(identity, loaded)
            if first is loaded:
                continue
            label = describe(loaded.obj)
            if is_applied or later_counts:
                # The object is applied when the turn of the later one comes.
                del kept[identity]
                kept[identity] = loaded
                notes.append(f"{label} stands twice; {loaded.source} counts, not {first.source}")
            elif loaded.obj == first.obj:
                notes.append(f"{label} stands twice, but alike: {first.source} and {loaded.source}")
            else:
                message = f"stands already in {first.source}"
                problems.append(Problem(loaded.source, label, message))
    if faults := [problem for problem in problems if not problem.is_warning]:
        raise ManifestError(faults)
    objects = list(kept.values())
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
        names = sorted(
            os.path.join(folder, name)
            for folder, _, names in os.walk(path, onerror=unread.append)
            for name in names
            if name.endswith(_SUFFIXES)
        )
        for error in unread:
            yield Problem(Source(error.filename), "", f"can't be read: {error.strerror}")
        if not names and not unread:
            message = f"the directory has no file that ends with {', '.join(_SUFFIXES)}"
            yield Problem(Source(path), "", message)
        for name in names:
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
    # JSON has no line breaks within strings, so that a separator line shows YAML that holds JSON.
    looks_like_json = _LOOKS_LIKE_JSON.match(data) and b"\n---" not in data
    if looks_like_json or file.name.endswith(".json"):
        return read_json(data, is_careful=is_applied)
    text, fault = decoded(data)
    return iter([YamlDocument(1, 1, faults=[fault])]) if fault else read_yaml(text, may_repeat=True)
