"""The contexts of kubeconfigs: what they are called, and where objects are that don't say.

Reading no more than that, and importing little, it is for whoever waits at a prompt, too. What
can't be read has no contexts: whoever connects tells why.
"""

import os
from collections.abc import Iterator
from pathlib import Path

import msgspec

FILES = "KUBECONFIG"
"""The variable that names kubeconfigs."""

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
    """Names of the contexts of a kubeconfig, by default of those that kubectl reads."""
    names = (one.name for config in _configs(kubeconfig) for one in config.contexts or ())
    return [*dict.fromkeys(names)]


def namespace_of(kubeconfig: str | None, context: str | None) -> str:
    """The namespace of a context, or else of the current one; empty if it has none."""
    configs = [*_configs(kubeconfig)]
    name = context or next((config.current for config in configs if config.current), "")
    found = (one for config in configs for one in config.contexts or () if one.name == name)
    return next((one.context.namespace for one in found), "")


def _configs(kubeconfig: str | None) -> Iterator[_Kubeconfig]:
    # Takes its time to import, and only kubeconfigs need it.
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
