"""`podium up --detach`, which runs the same command in a background process without a terminal.

The background process reports the stages of its start through a pipe. If it ends before the last
stage, its output is the error message.
"""

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from select import select

from podium.api.process.private_files import owner_only
from podium.cluster.embedded.directory import DataDirectory
from podium.ui.inputs.input_error import InputError

READY, SETTLED = b"ready\n", b"settled\n"

DETACHED = "PODIUM_DETACHED"
"""The variable that names the pipe's descriptor to the process in the background."""


def usual_directory() -> Path:
    """Return the directory for a detached cluster if no data directory is given."""
    state = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    return Path(state) / "podium" / "up"


def detach(data_dir: Path | None, wait_s: float | None, *, reads_stdin: bool) -> DataDirectory:
    """Run this command in the background, and return when it is ready or has settled.

    The cluster is kept in `data_dir`, if given. `wait_s` is how many seconds to wait at most until
    it has settled; None doesn't wait.
    """
    directory = usual_directory() if data_dir is None else data_dir
    with (data_directory := DataDirectory(directory)):
        if data_dir is None:
            for path in directory.iterdir():
                if path.is_dir():
                    shutil.rmtree(path)
                elif path.name != "lock":
                    path.unlink()
    reader, writer = os.pipe()
    arguments = [*sys.argv[1:]]
    if data_dir is None:
        arguments += ["--data-dir", str(directory)]
    log = directory / "log"
    with open(log, "wb", opener=owner_only) as output:
        process = subprocess.Popen(
            [sys.executable, "-m", "podium", *arguments],
            stdin=None if reads_stdin else subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            env={**os.environ, DETACHED: str(writer)},
            pass_fds=(writer,),
            start_new_session=True,
        )
    os.close(writer)
    end_s = None if wait_s is None else time.monotonic() + wait_s
    try:
        _await(reader, READY, None, log, process)
        if end_s is not None:
            _await(reader, SETTLED, end_s, log, process)
    except KeyboardInterrupt:
        process.terminate()
        raise
    finally:
        os.close(reader)
    return data_directory


def _await(
    reader: int, stage: bytes, end_s: float | None, log: Path, process: subprocess.Popen[bytes]
) -> None:
    left_s = None if end_s is None else max(end_s - time.monotonic(), 0.0)
    if not select([reader], [], [], left_s)[0]:
        raise InputError(f"the cluster runs, but hasn't settled in time; see {log}")
    if os.read(reader, len(stage)) != stage:
        code = process.wait()
        said = log.read_text(encoding="utf-8", errors="replace").strip()
        why = "\n".join(line.removeprefix("error: ") for line in said.splitlines())
        raise InputError(why or f"the cluster has ended with code {code}")


class Stages:
    """Reports the stages of a background process's start to the process that started it."""

    def __init__(self) -> None:
        pipe = os.environ.pop(DETACHED, None)
        self._descriptor = None if pipe is None else int(pipe)

    @property
    def are_waited_for(self) -> bool:
        """Whether the process that started this one still waits for a stage."""
        return self._descriptor is not None

    def tell(self, stage: bytes) -> None:
        """Report a stage; the last stage closes the pipe."""
        if self._descriptor is None:
            return
        try:
            os.write(self._descriptor, stage)
        except BrokenPipeError:
            stage = SETTLED
        if stage == SETTLED:
            os.close(self._descriptor)
            self._descriptor = None


def is_detached() -> bool:
    """Return whether this is the background process of `--detach`."""
    return DETACHED in os.environ
