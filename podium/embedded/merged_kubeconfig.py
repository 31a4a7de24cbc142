"""A cluster's context among those of the user's own kubeconfig, while the cluster runs."""

import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import yaml

from podium.api.errors import PodiumError
from podium.apiserver.decoding.yaml_writing import write_yaml
from podium.server.files import write_private
from podium.server.kubeconfig import NAME

Config = dict[str, Any]

_LISTS = ("clusters", "users", "contexts")
_CURRENT = "current-context"
_EMPTY: Mapping[str, Any] = {"apiVersion": "v1", "kind": "Config", "preferences": {}}
_PATIENCE_S = 5.0


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

    Args:
        own: the kubeconfig of the cluster.
        users: the file that it goes to.

    Raises:
        KubeconfigError: that file can't be read, isn't a kubeconfig, or somebody else holds it.
        FileError: it can't be written.
    """
    ours = _read(own)
    before = ""

    def enter(config: Config) -> None:
        nonlocal before
        before = str(config.get(_CURRENT) or "")
        _leave_out(config)
        for part in _LISTS:
            config[part] = [*(config.get(part) or ()), *ours[part]]
        config[_CURRENT] = NAME

    def leave(config: Config) -> None:
        _leave_out(config)
        if config.get(_CURRENT) == NAME:
            config[_CURRENT] = "" if before == NAME else before

    _change(users, enter)
    try:
        yield
    finally:
        _change(users, leave)


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
    """Keep kubectl from writing the file meanwhile, by the lock that it looks for."""
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
