"""A copy of the checkout in which mutations are tried: whether tests notice them."""

import os
import re
import resource
import shutil
import signal
import subprocess
import sys
from collections.abc import Sequence
from importlib.util import cache_from_source
from pathlib import Path

from tests.mutants.mutations import Mutation

# An endless loop may take memory until the machine has none left.
MEMORY_MAX_BYTES = 8 << 30
_COPIED = ("podium", "tests")
_FAILED = re.compile(r"^(?:FAILED|ERROR) (\S+?\.py(?:::.*?)?)(?: - .*)?$", re.MULTILINE)


class Trials:
    """Tries mutations one at a time in a copy of a checkout, with the tests that concern them.

    Args:
        root: the checkout; it is only read.
        to: an empty directory for the copy.
        limit_s: for each list of `concerned_tests`, in seconds; tests that take longer notice the
            mutation.
    """

    def __init__(self, root: Path, to: Path, limit_s: float) -> None:
        self._root = to / root.name
        self._limit_s = limit_s
        self._unchanged: dict[tuple[str, ...], bool] = {}
        self._root.mkdir()
        for entry in root.iterdir():
            copy = self._root / entry.name
            if entry.name in _COPIED:
                shutil.copytree(entry, copy, ignore=shutil.ignore_patterns("__pycache__"))
            elif entry.name != ".git":
                copy.symlink_to(entry)
        # Recorded decisions lie beside the checkout.
        if (root.parent / "shared").is_dir():
            (to / "shared").symlink_to(root.parent / "shared")

    def noticed_by(self, mutation: Mutation) -> str:
        """What notices a mutation: a test, or the time limit; empty if nothing does.

        Raises:
            RuntimeError: the tests fail, or take too long, without any mutation.
        """
        path = self._root / mutation.path
        for tests in concerned_tests(mutation.path, self._root):
            source = path.read_text(encoding="utf-8")
            _write(path, mutation.applied(source))
            try:
                failed = self._failure(tests)
            finally:
                _write(path, source)
            if failed is not None:
                suspects = (failed,) if failed else (*tests,)
                if suspects not in self._unchanged:
                    self._unchanged[suspects] = self._failure(suspects) is None
                if not self._unchanged[suspects]:
                    raise RuntimeError(f"without any mutation: {' '.join(suspects)} fail")
                return failed or f"the limit of {self._limit_s:g} s"
        return ""

    def _failure(self, tests: Sequence[str]) -> str | None:
        """The first test that fails; empty if they don't end in time, None if all pass."""
        command = (sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *tests)
        with subprocess.Popen(
            command,
            cwd=self._root,
            env={**os.environ, "PYTHONPATH": str(self._root)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
            preexec_fn=_limit_memory,
        ) as run:
            try:
                output, _ = run.communicate(timeout=self._limit_s)
            except subprocess.TimeoutExpired:
                return ""
            finally:
                _end(run.pid)
        if run.returncode == 0:
            return None
        found = _FAILED.search(output)
        return found[1] if found else " ".join(tests[:1])


def concerned_tests(path: str, root: Path) -> list[list[str]]:
    """The tests that concern a module, the nearest first: those beside it, those of its package.

    The nearest are the test file that mirrors the module, and all files that import the module.

    Args:
        path: of the module, from the top of the checkout.
        root: the checkout.
    """
    module = Path(path).relative_to("podium").with_suffix("")
    dotted = re.compile(rf"\bpodium\.{re.escape('.'.join(module.parts))}\b")
    files = {file: file.relative_to(root).as_posix() for file in root.glob("tests/**/test_*.py")}
    mirror = f"tests/{module.parent}/test_{module.name}.py"
    beside = sorted(
        name
        for file, name in files.items()
        if name == mirror or dotted.search(file.read_text(encoding="utf-8"))
    )
    beside.sort(key=lambda name: name != mirror)
    rooms = [f"tests/{parent}/" for parent in module.parents if parent.name]
    wider = [sorted(n for n in files.values() if n.startswith(room)) for room in rooms]
    stages, seen = [], set[str]()
    for stage in (beside, *wider):
        if fresh := [name for name in stage if name not in seen]:
            stages.append(fresh)
            seen.update(fresh)
    return stages


def _write(path: Path, source: str) -> None:
    path.write_text(source, encoding="utf-8")
    # What was compiled of a file of this size in this second would pass for current.
    Path(cache_from_source(str(path))).unlink(missing_ok=True)


def _limit_memory() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_MAX_BYTES, MEMORY_MAX_BYTES))


def _end(group: int) -> None:
    try:
        os.killpg(group, signal.SIGKILL)
    except ProcessLookupError:
        return
