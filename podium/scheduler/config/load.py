"""Load the scheduler's configuration from documents.

A `KubeSchedulerConfiguration` and a document of Podium's `SchedulerOptions` may come in any
order; what they leave out has the defaults of kube-scheduler v1.36.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from podium.api.documents.document import InvalidDocumentError, decode
from podium.api.errors import ErrorKind, FieldError, unsupported
from podium.api.objects import entries
from podium.scheduler.config.args import API_VERSION
from podium.scheduler.config.defaults import DEFAULT_PLUGIN_NAMES
from podium.scheduler.config.document import KIND, KNOWN_PLUGINS, KubeSchedulerConfiguration
from podium.scheduler.config.scheduler_options import (
    OPTIONS_API_VERSION,
    OPTIONS_KIND,
    SchedulerOptions,
)

_API_VERSIONS = {KIND: API_VERSION, OPTIONS_KIND: OPTIONS_API_VERSION}
_OLD_API_VERSIONS = tuple(
    API_VERSION.replace("/v1", f"/{version}")
    for version in ("v1alpha1", "v1alpha2", "v1beta1", "v1beta2", "v1beta3")
)
_POLICY = (
    "the Policy format was removed in Kubernetes v1.23; write a "
    f"{KIND} ({API_VERSION}) and enable plugins in its profiles"
)


@dataclass(frozen=True, slots=True)
class Loaded:
    """A KubeSchedulerConfiguration, SchedulerOptions, and notes about fields without effect."""

    configuration: KubeSchedulerConfiguration
    options: SchedulerOptions
    notes: tuple[str, ...]


def load_configuration(documents: Sequence[object], known_plugins: Collection[str]) -> Loaded:
    """Decode the configuration in documents; raises InvalidDocumentError with all their faults."""
    by_kind, known = dict[str, Mapping[str, object]](), frozenset(known_plugins)
    faults: list[FieldError] = []
    for index, document in enumerate(documents):
        fault = _header_fault(document)
        if fault is None and isinstance(document, Mapping):
            kind = document["kind"]
            if kind not in by_kind:
                by_kind[kind] = document
                continue
            fault = FieldError("kind", kind, "one document of a kind", ErrorKind.DUPLICATE)
        if fault is not None:
            faults.append(fault.under(f"documents[{index}]"))
    configuration = decode(
        KubeSchedulerConfiguration, by_kind.get(KIND, {}), context={KNOWN_PLUGINS: known}
    )
    options = decode(SchedulerOptions, by_kind.get(OPTIONS_KIND, {}))
    faults += [*configuration.faults, *options.faults]
    if faults or configuration.document is None or options.document is None:
        raise InvalidDocumentError(faults)
    written = configuration.document
    return Loaded(written.with_defaults(), options.document, tuple(written.notes(known)))


def default_configuration() -> KubeSchedulerConfiguration:
    """Return the configuration that kube-scheduler v1.36 has without a configuration file."""
    return load_configuration([], DEFAULT_PLUGIN_NAMES).configuration


def _header_fault(document: object) -> FieldError | None:
    if not isinstance(document, Mapping):
        return FieldError("", document, "must be an object")
    kind, version = document.get("kind"), document.get("apiVersion")
    if kind == "Policy":
        return FieldError("kind", kind, _POLICY)
    if not kind:
        return FieldError("kind", kind, f"{KIND} or {OPTIONS_KIND}", ErrorKind.REQUIRED)
    if kind not in list(_API_VERSIONS):
        return unsupported("kind", kind, _API_VERSIONS)
    expected = _API_VERSIONS[kind]
    if not version:
        return FieldError("apiVersion", version, expected, ErrorKind.REQUIRED)
    if version in _OLD_API_VERSIONS:
        return FieldError("apiVersion", version, f"removed from Kubernetes; use {expected}")
    return None if version == expected else unsupported("apiVersion", version, [expected])


def enabling(names: Sequence[str], documents: Sequence[Any]) -> Sequence[Any]:
    """Enable plugins at `multiPoint` of all profiles that don't mention them, in new documents."""

    def is_configuration(document: Any) -> bool:
        return isinstance(document, Mapping) and document.get("kind") == KIND

    if not names:
        return documents
    if not any(map(is_configuration, documents)):
        documents = [*documents, {"apiVersion": API_VERSION, "kind": KIND}]
    notes = []
    for document in documents:
        if is_configuration(document):
            profiles = document.get("profiles") or [{}]
            if all(isinstance(profile, Mapping) for profile in profiles):
                document = {**document, "profiles": [_enabling(p, names) for p in profiles]}
        notes.append(document)
    return notes


def _enabling(profile: Mapping[str, Any], names: Sequence[str]) -> Mapping[str, Any]:
    plugins = profile.get("plugins") or {}
    mentioned = set(_plugin_names(plugins))
    added = [{"name": name} for name in names if name not in mentioned]
    everywhere = plugins.get("multiPoint") or {}
    enabled = {**everywhere, "enabled": [*entries(everywhere, "enabled"), *added]}
    return {**profile, "plugins": {**plugins, "multiPoint": enabled}}


def _plugin_names(part: Any) -> Iterator[str]:
    if isinstance(part, Mapping):
        if isinstance(part.get("name"), str):
            yield part["name"]
        for value in part.values():
            yield from _plugin_names(value)
    elif isinstance(part, list):
        for value in part:
            yield from _plugin_names(value)
