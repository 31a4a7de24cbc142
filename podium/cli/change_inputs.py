"""What the command line wants to be changed, read in the order in which it says so."""

import sys
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from podium.api.errors import PodiumError
from podium.api.objects import Object, annotations, name
from podium.api.well_known import HELM_HOOK
from podium.cli.common_options import InputError
from podium.cli.rendered_manifests import charted, kustomized
from podium.cli.request_options import RequestOptions
from podium.manifests import File, Loaded, read_sources
from podium.manifests.problems import describe
from podium.plan.changes import PARSERS, Apply, Change

_COPIES_MAX = 10_000
_SOURCES = ("apply", "kustomize", "helm")
_ADD_NODE = "add_node"
_NAMES = (*_SOURCES, _ADD_NODE, *PARSERS)


@dataclass(frozen=True, slots=True)
class ReadChanges:
    """What is to be changed.

    Attributes:
        changes: in order.
        loaded: the objects that are applied, with where they stood.
        warnings: what is strange about them.
        notes: what else is worth knowing about them.
    """

    changes: list[Change] = field(default_factory=list)
    loaded: list[Loaded] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def read_changes(options: RequestOptions, state: Iterable[Object]) -> ReadChanges:
    """Read all changes; raises PodiumError for whatever is wrong with them."""
    for option, given in (("--values", options.values), ("--set", options.set_values)):
        if given and not options.helm:
            raise InputError(f"{option}: is for --helm, which isn't given")
    nodes = {name(one): one for one in state if one.get("kind") == "Node"}
    found, errors = ReadChanges(), list[PodiumError]()
    # Neighbours among the sources are applied as one, as by one call of kubectl.
    for number, group in groupby(enumerate(_in_order(options)), key=_group):
        asked = [one for _, one in group]
        try:
            if number < 0:
                _read_sources(options, asked, found)
            for option, text in asked if number >= 0 else ():
                found.changes.append(_change(options, option, text, nodes))
        except PodiumError as error:
            errors.append(error)
    if errors:
        raise InputError("\n".join(map(str, errors)))
    return found


def _group(numbered: tuple[int, tuple[str, str]]) -> int:
    number, (option, _) = numbered
    return -1 if option in _SOURCES else number


def _change(options: RequestOptions, option: str, text: str, nodes: dict[str, Object]) -> Change:
    if option == _ADD_NODE:
        return Apply(_new_nodes(options, text, nodes))
    return PARSERS[option](text, options.namespace)


def _in_order(options: RequestOptions) -> list[tuple[str, str]]:
    """Each change as option and text, in the order in which they stood."""
    given = {option: deque(getattr(options, option) or ()) for option in _NAMES}
    stood = [option for option in options.order if option in given]
    return [(option, given[option].popleft()) for option in stood]


def _read_sources(
    options: RequestOptions, asked: Sequence[tuple[str, str]], found: ReadChanges
) -> None:
    sources = [_source(options, *one) for one in asked]
    read = read_sources(
        sources,
        sys.stdin.buffer,
        namespace=options.namespace,
        validation=options.validate,
        is_applied=True,
    )
    if read.empty and not options.allow_empty:
        why = "nothing to apply is in it; --allow-empty lets that pass"
        names = (
            one if one.startswith("-") and one != "-" else f"--apply {one}" for one in read.empty
        )
        raise InputError("\n".join(f"{one}: {why}" for one in names))
    # kubectl knows no hooks: what isn't rendered here is applied like anything else.
    rendered = {
        one.name
        for (option, _), one in zip(asked, sources, strict=True)
        if option == "helm" and isinstance(one, File)
    }
    hooks, kept = list[Loaded](), list[Loaded]()
    for one in read.objects:
        is_hook = one.source.file in rendered and HELM_HOOK in annotations(one.obj)
        (hooks if is_hook else kept).append(one)
    if kept:
        found.changes.append(Apply(tuple(one.obj for one in kept)))
    found.loaded.extend(kept)
    found.warnings.extend(read.warnings)
    found.notes.extend(read.notes)
    if hooks:
        names = (f"{describe(one.obj)} ({annotations(one.obj)[HELM_HOOK]})" for one in hooks)
        found.notes.append(f"left out, as Helm runs them as hooks: {', '.join(names)}")


def _source(options: RequestOptions, option: str, text: str) -> str | File:
    if option == "kustomize":
        return kustomized(text)
    if option == "helm":
        return charted(text, options.values or (), options.set_values or (), options.namespace)
    return text


def _new_nodes(options: RequestOptions, text: str, nodes: dict[str, Object]) -> tuple[Object, ...]:
    """The nodes that are added; they are there from now on."""
    from podium.explaining.extra_nodes import node_like

    what, star, number = text.rpartition("*")
    what, count = (what, number) if star else (text, "1")
    if not count.isascii() or not count.isdigit() or not 1 <= int(count[:6]) <= _COPIES_MAX:
        rule = f"must be FILE or NODE, with *COUNT from 1 to {_COPIES_MAX}"
        raise InputError(f"--add-node {text}: {rule}")
    called = what.removeprefix("node/")
    if called in nodes:
        likes, is_copied = [nodes[called]], True
    else:
        likes, is_copied = _nodes_of_file(options, what, nodes), int(count) > 1
    made = []
    for like in likes:
        if not is_copied and name(like) in nodes:
            raise InputError(f"--add-node {text}: the state has a Node {name(like)} already")
        for _ in range(int(count)):
            new = node_like(like, _unused(name(like), nodes)) if is_copied else like
            nodes[name(new)] = new
            made.append(new)
    return tuple(made)


def _nodes_of_file(options: RequestOptions, path: str, nodes: Mapping[str, Object]) -> list[Object]:
    read = read_sources([path], validation=options.validate, is_applied=True)
    others = [describe(one.obj) for one in read.objects if one.obj["kind"] != "Node"]
    if others or not read.objects:
        what = f"has {', '.join(others)}" if others else "has none"
        raise InputError(f"--add-node {path}: must be a file of nodes, but {what}")
    return [one.obj for one in read.objects]


def _unused(like: str, nodes: Mapping[str, Object]) -> str:
    number = 1
    while f"{like}-{number}" in nodes:
        number += 1
    return f"{like}-{number}"
