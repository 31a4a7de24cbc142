"""Extraction of objects from documents: splits lists, checks headers, adds namespaces."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import msgspec

from podium.api.codec.yaml_text import YamlDocument
from podium.api.errors import FieldError
from podium.api.kinds.snapshot_kinds import DECISIVE_KINDS, KindOf, decisive_kind_of
from podium.api.objects import entries
from podium.api.well_known import SNAPSHOT_OBJECTS
from podium.apiserver.kinds.registration.registrations import decisive_faults
from podium.apiserver.validation.checks import required
from podium.cluster.manifests.field_judge import STRICT_JUDGE, FieldJudge
from podium.cluster.manifests.problems import Problem, Source, describe, shown

Object = dict[str, Any]

FaultsOf = Callable[[Object], Iterable[FieldError]]
"""Returns the faults of an object of a known kind."""

_USUAL = frozenset((kind.name, kind.api_version) for kind in DECISIVE_KINDS.values())


class Loaded(msgspec.Struct, frozen=True):
    """A valid object, with its place in a file."""

    obj: Object
    source: Source


def objects_in(
    document: YamlDocument,
    file: str,
    namespace: str,
    kind_of: KindOf = decisive_kind_of,
    judge: FieldJudge = STRICT_JUDGE,
    faults_of: FaultsOf = decisive_faults,
) -> Iterator[Loaded | Problem]:
    """Yield the objects and problems of a document; see `read_sources` for the arguments."""
    for fault in document.faults:
        yield Problem(Source(file, document.number, fault.line), "", fault.message)
    is_warning = not judge.is_strict
    if not judge.ignores:
        for fault in document.repeated:
            source = Source(file, document.number, fault.line)
            yield Problem(source, "", fault.message, is_warning)
    if document.value is None:
        return
    source = Source(file, document.number, document.line)
    for obj, place in _flat(document.value, source, document.item_lines):
        faults = [] if _has_usual_header(obj) else list(_header_faults(obj))
        strange: Sequence[str] = ()
        if not faults:
            kind = kind_of(obj)
            if kind is not None and not kind.namespaced:
                obj["metadata"].pop("namespace", None)
            elif kind is not None and not obj["metadata"].get("namespace"):
                obj["metadata"]["namespace"] = namespace
            # As by the API server, a value of a wrong type is refused however unknown fields are
            # treated; the rules can't judge such an object.
            strange, mismatch = judge.faults(obj)
            faults = [mismatch] if mismatch else [] if kind is None else list(faults_of(obj))
        label = describe(obj) if faults or strange else ""
        yield from (Problem(place, label, str(fault)) for fault in faults)
        yield from (Problem(place, label, message, is_warning) for message in strange)
        if not faults:
            yield Loaded(obj, place)


def _flat(value: Any, source: Source, lines: Sequence[int] = ()) -> Iterator[tuple[Any, Source]]:
    """Yield a value, or the items of a list, with their places; `lines` are the items' lines."""
    if not _is_list(value):
        yield value, source
        return
    item_kind = value["kind"].removesuffix("List")
    for index, item in enumerate(entries(value, "items")):
        line = lines[index] if lines else source.item_line
        position = f"{source.item}.items[{index}]" if source.item else f"items[{index}]"
        place = Source(source.file, source.document, source.line, position, line)
        if isinstance(item, dict) and item_kind:
            item.setdefault("apiVersion", value.get("apiVersion"))
            item.setdefault("kind", item_kind)
        yield from _flat(item, place)


def _is_list(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and str(value.get("kind")).endswith("List")
        and "items" in value
        and isinstance(value["items"], list | None)
    )


def is_whole_state(value: Any) -> bool:
    """Return whether a document is a complete export of a cluster state."""
    if not _is_list(value) or not isinstance(metadata := value.get("metadata"), dict):
        return False
    marks = metadata.get("annotations")
    noted = marks.get(SNAPSHOT_OBJECTS) if isinstance(marks, dict) else None
    return noted == str(len(entries(value, "items")))


def _has_usual_header(obj: Any) -> bool:
    """Return whether a quick check suffices, as for most objects."""
    if not isinstance(obj, dict):
        return False
    metadata, kind, version = obj.get("metadata"), obj.get("kind"), obj.get("apiVersion")
    if not (type(metadata) is dict and type(kind) is str and type(version) is str):
        return False
    name, place = metadata.get("name"), metadata.get("namespace")
    is_named = type(name) is str and name != "" and (place is None or type(place) is str)
    return is_named and (kind, version) in _USUAL


def _header_faults(obj: Any) -> Iterator[FieldError | str]:
    if not isinstance(obj, dict):
        yield f"not an object with apiVersion, kind and metadata, but {shown(obj)}"
        return
    if "kind" not in obj and "items" in obj:
        yield "there are items but no kind: is the file complete?"
        return
    named = True
    for field, example in (("apiVersion", "such as v1 or apps/v1"), ("kind", "such as Pod")):
        value = obj.get(field)
        if value in (None, ""):
            yield required(field, example)
            named = False
        elif not isinstance(value, str):
            yield _no_text(field, value)
            named = False
    if named:
        # Kubernetes' own kinds must have the group and version that serves them. Other groups may
        # have kinds of equal names.
        known, api_version = DECISIVE_KINDS.get(obj["kind"]), obj["apiVersion"]
        group = api_version.rpartition("/")[0]
        is_own = "." not in group or group.endswith(".k8s.io")
        if known and is_own and api_version != known.api_version:
            message = f"{known.name} is served as {known.api_version}"
            yield FieldError("apiVersion", api_version, message)
    metadata = obj.get("metadata")
    if metadata is None:
        yield required("metadata.name")
    elif not isinstance(metadata, dict):
        yield FieldError("metadata", metadata, "must be an object")
    elif metadata.get("name") in (None, ""):
        hint = "generateName isn't enough here" if metadata.get("generateName") else ""
        yield required("metadata.name", hint)
    else:
        for field in ("name", "namespace"):
            if not isinstance(metadata.get(field), str | None):
                yield _no_text(f"metadata.{field}", metadata[field])


def _no_text(field: str, value: object) -> FieldError:
    hint = ", so quote it" if isinstance(value, int | float) else ""
    return FieldError(field, value, f"must be a string{hint}")
