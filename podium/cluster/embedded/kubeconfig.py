"""Kubeconfigs: an embedded cluster's own, its context in the user's, and those of nodes."""

import os
import time
from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import yaml

from podium.api.codec.yaml_text import write_yaml
from podium.api.errors import PodiumError
from podium.api.process.private_files import private_directory, read_private, write_private
from podium.api.selectors.labels import validate_subdomain
from podium.apiserver.http.users import kept_tokens, node_token

NAME = "podium"
"""Name of the context, and of its cluster and user."""

Config = dict[str, Any]

_LISTS = ("clusters", "users", "contexts")
_CURRENT = "current-context"
_EMPTY: Mapping[str, Any] = {"apiVersion": "v1", "kind": "Config", "preferences": {}}
_PATIENCE_S = 5.0
_BEFORE = "podium.dev/before"
"""The extension of the context that holds the current context before it."""


def kubeconfig(url: str, token: str, certificate_authority: bytes | None) -> dict[str, Any]:
    """Return a kubeconfig (Config v1) with one context; the authority to trust is PEM."""
    cluster = {"server": url}
    if certificate_authority is not None:
        cluster["certificate-authority-data"] = b64encode(certificate_authority).decode()
    return {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": NAME, "cluster": cluster}],
        "users": [{"name": NAME, "user": {"token": token}}],
        "contexts": [{"name": NAME, "context": {"cluster": NAME, "user": NAME}}],
        "current-context": NAME,
    }


def write_kubeconfig(path: Path, url: str, token: str, certificate_authority: bytes | None) -> None:
    """Write the result of `kubeconfig`, readable by its owner only; raises FileError."""
    content = kubeconfig(url, token, certificate_authority)
    write_private(path, write_yaml(content, sort_keys=False).encode())


def usual_kubeconfig() -> Path:
    """Return the file that kubectl writes: the first one in KUBECONFIG, or `~/.kube/config`."""
    named = [path for path in os.environ.get("KUBECONFIG", "").split(os.pathsep) if path]
    return Path(named[0] if named else "~/.kube/config").expanduser()


@contextmanager
def merged(own: Path, users: Path) -> Iterator[None]:
    """Add the context of a cluster to the user's kubeconfig, as the current one, inside of `with`.

    At the end the earlier context is current again, unless the user has chosen another meanwhile.
    """
    ours = _read(own)

    def enter(config: Config) -> None:
        before = str(config.get(_CURRENT) or "")
        # The context of a killed cluster notes which one was current before it.
        before = _before(config) if before == NAME else before
        _leave_out(config)
        for part in _LISTS:
            config[part] = [*config[part], *ours[part]]
        note = {"name": _BEFORE, "extension": {_CURRENT: before}}
        for context in _own_contexts(config):
            context["context"] = {**context["context"], "extensions": [note]}
        config[_CURRENT] = NAME

    _change(users, enter)
    try:
        yield
    finally:
        _change(users, _leave)


def unmerge(own: Path, users: Path) -> None:
    """Remove a killed cluster's context from the user's kubeconfig, if the cluster's own exists."""

    def servers(config: Config) -> list[Any]:
        clusters = config.get("clusters") or ()
        return [cluster.get("cluster") for cluster in clusters if cluster.get("name") == NAME]

    if own.exists() and users.exists() and servers(_read(own)) == servers(_read(users)):
        _change(users, _leave)


def _own_contexts(config: Config) -> Iterator[Config]:
    return (context for context in config.get("contexts") or () if context.get("name") == NAME)


def _before(config: Config) -> str:
    for context in _own_contexts(config):
        for extension in (context.get("context") or {}).get("extensions") or ():
            if extension.get("name") == _BEFORE:
                return str(extension["extension"].get(_CURRENT) or "")
    return ""


def _leave(config: Config) -> None:
    before = _before(config)
    _leave_out(config)
    if config.get(_CURRENT) == NAME:
        config[_CURRENT] = before


def _leave_out(config: Config) -> None:
    for part in _LISTS:
        config[part] = [one for one in config.get(part) or () if one.get("name") != NAME]


def _change(path: Path, change: Callable[[Config], None]) -> None:
    with _locked(path):
        config = _read(path) if path.exists() else dict(_EMPTY)
        change(config)
        # A symbolic link stays one.
        write_private(path.resolve(), write_yaml(config, sort_keys=False).encode())


def _read(path: Path) -> Config:
    try:
        config = yaml.safe_load(path.read_bytes())
    except (OSError, ValueError, yaml.YAMLError) as error:
        raise PodiumError(f"{path}: can't be read: {error}") from None
    config = dict(_EMPTY) if config is None else config
    lists = [config.get(part) or [] for part in _LISTS] if isinstance(config, dict) else [None]
    if not all(isinstance(one, list) and all(isinstance(e, dict) for e in one) for one in lists):
        raise PodiumError(f"{path}: isn't a kubeconfig")
    return dict(config)


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    lock = path.with_name(f"{path.name}.lock")
    end_s = time.monotonic() + _PATIENCE_S
    while True:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            lock.touch(exist_ok=False)
            break
        except FileExistsError:
            if time.monotonic() >= end_s:
                raise PodiumError(f"{path}: another process writes it, by {lock}") from None
            time.sleep(0.05)
        except OSError as error:
            raise PodiumError(f"{path}: {error.strerror}") from None
    try:
        yield
    finally:
        lock.unlink(missing_ok=True)


def write_node_kubeconfig(data_dir: Path, node: str, output: Path | None = None) -> Path:
    """Write the kubeconfig of a node, readable by its owner only, and return its path.

    The default `output` is `nodes/NAME.kubeconfig` in the data directory.
    """
    if wrong := validate_subdomain(node):
        raise PodiumError(f"{node}: is no name of a node: {wrong[0]}")
    content = read_private(data_dir / "kubeconfig")
    if content is None:
        raise PodiumError(f"{data_dir}: no cluster runs there")
    config = yaml.safe_load(content)
    token = node_token(kept_tokens(data_dir / "tokens").nodes, node)
    config["users"] = [{**user, "user": {"token": token}} for user in config["users"]]
    if output is None:
        private_directory(data_dir / "nodes")
        output = data_dir / "nodes" / f"{node}.kubeconfig"
    write_private(output, write_yaml(config, sort_keys=False).encode())
    return output
