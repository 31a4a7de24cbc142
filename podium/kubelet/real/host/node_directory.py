"""The directory of a node, used by one kubelet at a time.

| path | content |
| --- | --- |
| `pods/UID/volumes/NAME` | a volume of a pod |
| `pods/UID/containers/NAME` | the working directory of a container |
| `logs/NAMESPACE_POD_UID/CONTAINER/ATTEMPT.log` | the log of a run, in the format of CRI |
| `lock` | held by the kubelet that uses the directory |
"""

import fcntl
import os
import shutil
from collections.abc import Collection
from pathlib import Path
from typing import IO, Self

from podium.api.errors import PodiumError
from podium.api.objects import Object
from podium.api.process.private_files import owner_only

_PRIVATE = 0o700


class UnusableRootError(PodiumError):
    """A node's directory can't be used, or another kubelet uses it."""


class NodeDirectory:
    """A node's directory, locked for this process inside of `with`; raises UnusableRootError."""

    def __init__(self, root: Path) -> None:
        self.root = root.absolute()
        self._lock: IO[str] | None = None

    def __enter__(self) -> Self:
        try:
            for path in (self.root, self.root / "pods", self.logs):
                path.mkdir(mode=_PRIVATE, parents=True, exist_ok=True)
            lock = open(self.root / "lock", "a", encoding="utf-8", opener=owner_only)
        except OSError as error:
            raise UnusableRootError(f"{self.root}: {error.strerror or error}") from None
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            lock.close()
            raise UnusableRootError(f"{self.root}: another kubelet uses it") from None
        os.set_inheritable(lock.fileno(), False)
        self._lock = lock
        return self

    def __exit__(self, *_: object) -> None:
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    @property
    def logs(self) -> Path:
        return self.root / "logs"

    def volume(self, pod: Object, name: str) -> Path:
        return self._pod(pod) / "volumes" / name

    def container(self, pod: Object, name: str) -> Path:
        return self._pod(pod) / "containers" / name

    def pod_logs(self, pod: Object) -> Path:
        metadata = pod["metadata"]
        return self.logs / f"{metadata['namespace']}_{metadata['name']}_{metadata['uid']}"

    def log(self, pod: Object, name: str, attempt: int) -> Path:
        return self.pod_logs(pod) / name / f"{attempt}.log"

    def remove_pod(self, pod: Object, *, keeps_logs: bool) -> None:
        for path in (self._pod(pod), *(() if keeps_logs else (self.pod_logs(pod),))):
            shutil.rmtree(path, ignore_errors=True)

    def discard(self, kept: Collection[str]) -> None:
        """Remove all files of pods, except of those whose uids are in `kept`."""
        for path in (*(self.root / "pods").iterdir(), *self.logs.iterdir()):
            if path.name.rpartition("_")[2] not in kept:
                shutil.rmtree(path, ignore_errors=True)

    def _pod(self, pod: Object) -> Path:
        return self.root / "pods" / str(pod["metadata"]["uid"])
