"""The words of questions: those of the command line, `--add-node` as `add_node`."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypedDict, get_args, get_type_hints

import msgspec

from podium.api.codec.field_validation import FieldValidation
from podium.api.errors import PodiumError
from podium.api.objects import Object
from podium.cluster.manifests import File
from podium.ui.inputs.request_options import ChangeOptions, RuleOptions, SourceOptions, filled

Source = str | Path | Object
"""A file, a directory, or an object."""

Sources = Source | Iterable[Source]
Texts = str | Path | Iterable[str | Path]
"""One or several of what an option of the command line takes."""

_SOURCES = ("apply",)
_KINDS = (ChangeOptions, SourceOptions, RuleOptions)
_HINTS = {name: hint for kind in _KINDS for name, hint in get_type_hints(kind).items()}
_ELSEWHERE = {"state", "kubeconfig", "context", "order"}
WORDS = frozenset(_HINTS.keys() - _ELSEWHERE)
_SEVERAL = frozenset(word for word in WORDS if list[str] in get_args(_HINTS[word]))


class WordError(PodiumError):
    """A question has an unknown word."""


class Rules(TypedDict, total=False):
    """What holds for a question, whatever is changed; see `podium plan --help`."""

    scheduler_config: str | Path
    plugin: Texts
    kubelet_config: str | Path
    namespace: str
    until: str
    max_pods: int
    repair: bool
    assume_healthy: bool


class Changes(Rules, total=False):
    """What is changed, in the order in which it stands, and by which rules."""

    apply: Sources
    kustomize: Texts
    helm: Texts
    values: Texts
    set_values: Texts
    delete: Texts
    add_node: Texts
    delete_node: Texts
    cordon: Texts
    uncordon: Texts
    drain: Texts
    scale: Texts
    restart: Texts
    pressure: Texts
    validate: str
    allow_empty: bool


def request_options(
    words: Mapping[str, Any],
) -> tuple[ChangeOptions, SourceOptions, RuleOptions]:
    """What a command line with these words would ask for; raises WordError."""
    if unknown := [one for one in words if one not in WORDS]:
        raise WordError(f"{', '.join(unknown)}: unknown; words are {', '.join(sorted(WORDS))}")
    given: dict[str, Any] = {}
    order: list[str] = []
    for word, value in words.items():
        if value is None:
            continue
        if word not in _SEVERAL:
            given[word] = str(value) if isinstance(value, Path) else value
            continue
        values = files_of(value) if word in _SOURCES else [*map(str, several(value))]
        given[word] = values
        order += [word] * len(values)
    if "validate" in given:
        given["validate"] = FieldValidation(given["validate"])
    given["order"] = tuple(order)
    return filled(ChangeOptions, given), filled(SourceOptions, given), filled(RuleOptions, given)


def files_of(sources: Sources) -> list[str | File]:
    """Sources as files: paths as they are, objects as files that are read already."""
    return [
        File(f"object {number}", msgspec.json.encode(one)) if isinstance(one, Mapping) else str(one)
        for number, one in enumerate(several(sources), 1)
    ]


def several(value: Any) -> Iterator[Any]:
    """Each of several, or the only one."""
    if isinstance(value, str | Path | Mapping):
        yield value
    else:
        yield from value
