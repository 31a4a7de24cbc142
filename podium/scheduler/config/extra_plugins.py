"""Enables plugins that no configuration mentions."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from podium.api.objects import entries
from podium.scheduler.config.args import API_VERSION
from podium.scheduler.config.types import KIND


def enabling(names: Sequence[str], documents: Sequence[Any]) -> Sequence[Any]:
    """Configurations in which every profile that doesn't mention a plugin enables it everywhere."""
    if not names:
        return documents
    if not any(isinstance(one, Mapping) and one.get("kind") == KIND for one in documents):
        documents = [*documents, {"apiVersion": API_VERSION, "kind": KIND}]
    found = []
    for document in documents:
        if isinstance(document, Mapping) and document.get("kind") == KIND:
            profiles = document.get("profiles") or [{}]
            if all(isinstance(profile, Mapping) for profile in profiles):
                enabled = [_profile(profile, names) for profile in profiles]
                document = {**document, "profiles": enabled}
        found.append(document)
    return found


def _profile(profile: Mapping[str, Any], names: Iterable[str]) -> Mapping[str, Any]:
    plugins = profile.get("plugins") or {}
    mentioned = set(_names(plugins))
    added = [{"name": name} for name in names if name not in mentioned]
    everywhere = plugins.get("multiPoint") or {}
    enabled = {**everywhere, "enabled": [*entries(everywhere, "enabled"), *added]}
    return {**profile, "plugins": {**plugins, "multiPoint": enabled}}


def _names(part: Any) -> Iterator[str]:
    if isinstance(part, Mapping):
        if isinstance(part.get("name"), str):
            yield part["name"]
        for value in part.values():
            yield from _names(value)
    elif isinstance(part, list):
        for value in part:
            yield from _names(value)
