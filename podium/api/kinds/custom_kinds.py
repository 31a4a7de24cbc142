"""The kinds of CustomResourceDefinitions.

A definition yields one CustomKind per version. All versions share one storage key; they differ in
the fields of objects.
"""

import json
import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from podium.api.kinds.builtin_kinds import KINDS, Kind
from podium.api.objects import Object, entries, holds, is_terminating, part, spec_of

DEFINITION = KINDS["CustomResourceDefinition"]
CLEANUP = "customresourcecleanup.apiextensions.k8s.io"
"""The finalizer that holds a definition until its objects are gone."""

_VERSION = re.compile(r"v([1-9][0-9]*)(?:(alpha|beta)([1-9][0-9]*))?")
_STAGES = {None: 2, "beta": 1, "alpha": 0}

_parse: Callable[[str], Object] = lru_cache(maxsize=1024)(json.loads)


class CustomKind(Kind, frozen=True, kw_only=True):
    """One version of a kind that a CustomResourceDefinition declares."""

    singular: str
    list_kind: str
    stored_version: str
    is_served: bool
    """Whether the API serves this version."""
    is_closing: bool
    """Whether the definition is terminating, so that no object can be created."""
    text: str
    """The definition's entry for this version as JSON, which makes kinds comparable."""

    @property
    def key(self) -> str:
        return self.resource

    @property
    def stored_api_version(self) -> str:
        return f"{self.group}/{self.stored_version}"

    @property
    def definition(self) -> Object:
        """The entry of the CustomResourceDefinition's `spec.versions` for this version."""
        return _parse(self.text)

    @property
    def schema(self) -> Object:
        """The structural schema of this version's objects."""
        return part(self.definition, "schema", "openAPIV3Schema")

    @property
    def scale(self) -> Object | None:
        """The paths of the `scale` subresource; None if the kind has no such subresource."""
        return part(self.definition, "subresources").get("scale")


def custom_kinds(definition: Object) -> tuple[CustomKind, ...]:
    """Return all versions of a definition's kind, served or not, the preferred version first."""
    spec = definition["spec"]
    names = spec["names"]
    stored = next((one["name"] for one in spec["versions"] if one.get("storage")), "")
    kinds = []
    for version in sorted(spec["versions"], key=lambda one: _rank(one["name"])):
        subresources = version.get("subresources") or {}
        # Objects of other versions would have to be converted by a webhook.
        is_readable = version["name"] == stored or not is_converted_elsewhere(definition)
        kind = CustomKind(
            group=spec["group"],
            name=names["kind"],
            plural=names["plural"],
            namespaced=spec["scope"] == "Namespaced",
            short_names=tuple(entries(names, "shortNames")),
            subresources=tuple(
                one for one in ("scale", "status") if subresources.get(one) is not None
            ),
            categories=tuple(entries(names, "categories")),
            version=version["name"],
            singular=names.get("singular") or names["kind"].lower(),
            list_kind=names.get("listKind") or f"{names['kind']}List",
            stored_version=stored,
            is_served=bool(version.get("served")) and is_readable,
            is_closing=is_terminating(definition),
            text=json.dumps(version, separators=(",", ":")),
        )
        kinds.append(kind)
    return tuple(kinds)


def stored_kind(definition: Object) -> CustomKind:
    """Return the version of a definition's kind in which objects are stored."""
    kinds = custom_kinds(definition)
    return next((kind for kind in kinds if kind.version == kind.stored_version), kinds[0])


def is_established(definition: Object) -> bool:
    """Return whether a definition's kind is served."""
    return holds(definition, "Established")


def is_converted_elsewhere(definition: Object) -> bool:
    """Return whether a definition has a webhook that converts between versions."""
    return bool(part(spec_of(definition), "conversion").get("strategy") == "Webhook")


def _rank(version: str) -> tuple[int, int, int, str]:
    # Stable versions first, then beta, then alpha, each the latest first; then all others.
    match = _VERSION.fullmatch(version)
    if match is None:
        return (1, 0, 0, version)
    stage = _STAGES[match[2]]
    return (-stage, -int(match[1]), -int(match[3] or 0), version)


def has_cel_rules(definition: Object) -> bool:
    """Return whether a definition has CEL rules, which Podium doesn't evaluate."""
    versions = spec_of(definition).get("versions") or ()
    return any(_has_rules(part(version, "schema").get("openAPIV3Schema")) for version in versions)


def _has_rules(value: Any) -> bool:
    if isinstance(value, list):
        return any(map(_has_rules, value))
    if not isinstance(value, Mapping):
        return False
    return bool(value.get("x-kubernetes-validations")) or any(map(_has_rules, value.values()))
