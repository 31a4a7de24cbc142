"""Shell completion of names: contexts, and objects of the state to which the options refer.

The state is read from the files of the command line, or else from the running cluster. As users
wait at each TAB, only names are read, and little is imported. Files that can't be read or are too
large, and clusters that don't answer in time, offer no completions.
"""

from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import msgspec
import typer

from podium.api.objects import DEFAULT_NAMESPACE
from podium.ui.inputs.request_options import usual_namespace

JSON_BYTES_MAX = 256 * 2**20
YAML_BYTES_MAX = 4 * 2**20
CLUSTER_S_MAX = 2.0

_SUFFIXES = (".json", ".yaml", ".yml")


class _Metadata(msgspec.Struct):
    name: str = ""
    namespace: str = ""


class _Named(msgspec.Struct):
    kind: str = ""
    metadata: _Metadata = msgspec.field(default_factory=_Metadata)
    items: list["_Named"] = msgspec.field(default_factory=list)


def contexts(ctx: typer.Context) -> list[str]:
    """Offer the contexts of the kubeconfig."""
    # Imported when it is called, so that help, completion and the library start at once.
    from podium.cluster.client.kubeconfig_contexts import context_names

    return context_names(ctx.params.get("kubeconfig"))


def namespaces(ctx: typer.Context) -> list[str]:
    """Offer the Namespaces of the state, and the namespaces in which it has pods."""
    names = [*_objects(ctx, "Namespace")]
    used = {
        obj.metadata.namespace or (DEFAULT_NAMESPACE if obj.kind == "Pod" else "") for obj in names
    }
    there = {obj.metadata.name for obj in names if obj.kind == "Namespace"}
    return sorted(there | used - {""})


def nodes(ctx: typer.Context) -> list[str]:
    """Offer the names of the nodes."""
    return sorted({obj.metadata.name for obj in _objects(ctx, "Node") if obj.kind == "Node"})


def pods(ctx: typer.Context, incomplete: str) -> list[str]:
    """Offer pods, with their namespace if it isn't the current one; nodes for --eviction."""
    if ctx.params.get("eviction"):
        return nodes(ctx)
    given = (ctx.params.get(name) for name in ("state", "kubeconfig", "context"))
    here = ctx.params.get("namespace") or usual_namespace(*given)
    names = {
        (obj.metadata.namespace or here, obj.metadata.name)
        for obj in _objects(ctx, "Pod")
        if obj.kind == "Pod" and obj.metadata.name
    }
    return sorted(
        name if namespace == here and "/" not in incomplete else f"{namespace}/{name}"
        for namespace, name in names
    )


def speeds() -> list[str]:
    """Offer speeds of `podium up`."""
    return ["1x", "10x", "max"]


def commands(ctx: typer.Context) -> list[str]:
    """Offer the names of the commands."""
    group: Any = ctx.parent and ctx.parent.command
    return [*group.list_commands(ctx)]


def conditions(incomplete: str) -> list[str]:
    """Offer conditions of --fail-on, also after a comma."""
    from podium.whatif.plan.fail_on import CONDITIONS

    before, comma, _ = incomplete.rpartition(",")
    return [f"{before}{comma}{one}" for one in CONDITIONS]


def _objects(ctx: typer.Context, kind: str) -> Iterator[_Named]:
    """Yield all objects of the command line's files, or those of a kind in the running cluster."""
    if not ctx.params.get("state"):
        try:
            from podium.cluster.client.http_api import names_of
        except ImportError:
            return
        cluster = ctx.params.get("kubeconfig"), ctx.params.get("context")
        for namespace, name in names_of(kind, *cluster, CLUSTER_S_MAX):
            yield _Named(kind, _Metadata(name, namespace))
    paths = [Path(one) for option in ("state", "apply") for one in ctx.params.get(option) or ()]
    for path in paths:
        files = [path]
        if path.is_dir():
            files = sorted(one for one in path.rglob("*") if one.suffix in _SUFFIXES)
        for document in chain.from_iterable(map(_documents, files)):
            yield from document.items or [document]


def _documents(path: Path) -> list[_Named]:
    is_json = path.suffix == ".json"
    try:
        # Neither pipes nor devices, which may have no end.
        if not path.is_file():
            return []
        if path.stat().st_size > (JSON_BYTES_MAX if is_json else YAML_BYTES_MAX):
            return []
        content = path.read_bytes()
        if is_json:
            return [msgspec.json.decode(content, type=_Named)]
        # Imported when it is called, as JSON doesn't need it.
        import yaml

        try:
            documents = [*yaml.load_all(content, getattr(yaml, "CSafeLoader", yaml.SafeLoader))]
        except yaml.YAMLError:
            return []
        return [msgspec.convert(document, _Named) for document in documents if document is not None]
    except (OSError, ValueError, msgspec.MsgspecError):
        return []
