"""The kubeconfig of a cluster, by which kubectl finds and trusts it and is let in.

While the cluster runs, its context may stand among those of the user's own kubeconfig. A node's
kubeconfig is made beside the cluster, of the files in its data directory.
"""

import os
import time
from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import yaml

from podium.api.codec.yaml_writer import write_yaml
from podium.api.errors import PodiumError
from podium.api.process.private_files import private_directory, read_private, write_private
from podium.api.selectors.labels import validate_subdomain
from podium.apiserver.http.users import kept_tokens, node_token

NAME = "podium"
"""Of the context, and of the cluster and the user that it names."""

Config = dict[str, Any]

_LISTS = ("clusters", "users", "contexts")
_CURRENT = "current-context"
_EMPTY: Mapping[str, Any] = {"apiVersion": "v1", "kind": "Config", "preferences": {}}
_PATIENCE_S = 5.0
_BEFORE = "podium.dev/before"
"""The extension of our context that says what was current before it."""


def kubeconfig(url: str, token: str, certificate_authority: bytes | None) -> dict[str, Any]:
    """A kubeconfig (Config v1) with one context, and the certificate to trust if there is TLS."""
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
    """Write a `kubeconfig` that only its owner may read; raises FileError."""
    content = kubeconfig(url, token, certificate_authority)
    write_private(path, write_yaml(content, sort_keys=False).encode())


class KubeconfigError(PodiumError):
    """The user's kubeconfig can't be changed."""


def usual_kubeconfig() -> Path:
    """The file that kubectl writes to: the first that KUBECONFIG names, or else the usual one."""
    named = [one for one in os.environ.get("KUBECONFIG", "").split(os.pathsep) if one]
    return Path(named[0] if named else "~/.kube/config").expanduser()


@contextmanager
def merged(own: Path, users: Path) -> Iterator[None]:
    """Have the context of a cluster in the user's kubeconfig, and current, until the end of `with`.

    What had been current is so again then, unless the user has chosen something else meanwhile.

    Raises:
        KubeconfigError: that file can't be read, isn't a kubeconfig, or somebody else holds it.
        FileError: it can't be written.
    """
    ours = _read(own)

    def enter(config: Config) -> None:
        before = str(config.get(_CURRENT) or "")
        # What a killed cluster has left knows what was current before it.
        before = _before(config) if before == NAME else before
        _leave_out(config)
        for part in _LISTS:
            config[part] = [*config[part], *ours[part]]
        note = {"name": _BEFORE, "extension": {_CURRENT: before}}
        for one in _own_contexts(config):
            one["context"] = {**one["context"], "extensions": [note]}
        config[_CURRENT] = NAME

    _change(users, enter)
    try:
        yield
    finally:
        _change(users, _leave)


def unmerge(own: Path, users: Path) -> None:
    """Take out of the user's kubeconfig what a killed cluster has left in it.

    Nothing is done if the cluster's own kubeconfig isn't there. Errors are those of `merged`.
    """
    if own.exists() and users.exists() and _servers(_read(own)) == _servers(_read(users)):
        _change(users, _leave)


def _servers(config: Config) -> list[Any]:
    return [one.get("cluster") for one in config.get("clusters") or () if one.get("name") == NAME]


def _own_contexts(config: Config) -> Iterator[Config]:
    return (one for one in config.get("contexts") or () if one.get("name") == NAME)


def _before(config: Config) -> str:
    for context in _own_contexts(config):
        for one in (context.get("context") or {}).get("extensions") or ():
            if one.get("name") == _BEFORE:
                return str(one["extension"].get(_CURRENT) or "")
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
        # A link stays one.
        write_private(path.resolve(), write_yaml(config, sort_keys=False).encode())


def _read(path: Path) -> Config:
    try:
        found = yaml.safe_load(path.read_bytes())
    except (OSError, ValueError, yaml.YAMLError) as error:
        raise KubeconfigError(f"{path}: can't be read: {error}") from None
    found = dict(_EMPTY) if found is None else found
    lists = [found.get(part) or [] for part in _LISTS] if isinstance(found, dict) else [None]
    if not all(isinstance(one, list) and all(isinstance(e, dict) for e in one) for one in lists):
        raise KubeconfigError(f"{path}: isn't a kubeconfig")
    return dict(found)


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
                raise KubeconfigError(f"{path}: {lock} says that somebody writes it") from None
            time.sleep(0.05)
        except OSError as error:
            raise KubeconfigError(f"{path}: {error.strerror}") from None
    try:
        yield
    finally:
        lock.unlink(missing_ok=True)


class MissingCredentialsError(PodiumError):
    """A node can't be given credentials."""


def write_node_kubeconfig(data_dir: Path, node: str, output: Path | None = None) -> Path:
    """Write the kubeconfig of a node, readable by its owner alone.

    Args:
        output: where to; None for `nodes/NAME.kubeconfig` in the data directory.

    Raises:
        MissingCredentialsError: the name is none, or no cluster runs there.
        FileError: a file can't be read or written.
    """
    if wrong := validate_subdomain(node):
        raise MissingCredentialsError(f"{node}: is no name of a node: {wrong[0]}")
    content = read_private(data_dir / "kubeconfig")
    if content is None:
        raise MissingCredentialsError(f"{data_dir}: no cluster runs there")
    config = yaml.safe_load(content)
    token = node_token(kept_tokens(data_dir / "tokens").nodes, node)
    config["users"] = [{**user, "user": {"token": token}} for user in config["users"]]
    if output is None:
        private_directory(data_dir / "nodes")
        output = data_dir / "nodes" / f"{node}.kubeconfig"
    write_private(output, write_yaml(config, sort_keys=False).encode())
    return output
