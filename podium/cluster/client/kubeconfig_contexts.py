"""The contexts of kubeconfigs, with their namespaces.

For completion in a shell, this reads and imports as little as possible. An unreadable file counts
as one without contexts; `podium.cluster.client.connection` reports why it is unreadable.
"""

import os
from collections.abc import Iterator
from pathlib import Path

import msgspec

FILES = "KUBECONFIG"
"""The environment variable that lists kubeconfigs."""

USUAL_FILE = "~/.kube/config"

_BYTES_MAX = 4 * 2**20


class _Place(msgspec.Struct):
    namespace: str = ""


class _Context(msgspec.Struct):
    name: str = ""
    context: _Place = msgspec.field(default_factory=_Place)


class _Kubeconfig(msgspec.Struct, rename={"current": "current-context"}):
    contexts: list[_Context] | None = None
    current: str | None = None


def context_names(kubeconfig: str | None) -> list[str]:
    """List the contexts of a kubeconfig, or of those that kubectl reads by default."""
    names = (context.name for config in _configs(kubeconfig) for context in config.contexts or ())
    return [*dict.fromkeys(names)]


def namespace_of(kubeconfig: str | None, context: str | None) -> str:
    """Return the namespace of a context (None for the current one); empty if none is set."""
    configs = [*_configs(kubeconfig)]
    name = context or next((config.current for config in configs if config.current), "")
    contexts = (one for config in configs for one in config.contexts or () if one.name == name)
    return next((one.context.namespace for one in contexts), "")


def _configs(kubeconfig: str | None) -> Iterator[_Kubeconfig]:
    # Slow to import, and needed for kubeconfigs only.
    import yaml

    named = kubeconfig or os.environ.get(FILES) or USUAL_FILE
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    for path in (Path(one).expanduser() for one in named.split(os.pathsep) if one):
        try:
            # Neither pipes nor devices, which may have no end.
            if path.is_file() and path.stat().st_size <= _BYTES_MAX:
                yield msgspec.convert(yaml.load(path.read_bytes(), loader), _Kubeconfig)
        except (OSError, ValueError, yaml.YAMLError, msgspec.ValidationError):
            continue
