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

import pytest

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
        if run.returncode in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
            return None
        found = _FAILED.search(output)
        return found[1] if found else " ".join(tests[:1])


def concerned_tests(path: str, root: Path) -> list[list[str]]:
    """The test files that concern a module, in lists, the nearest first.

    First the one that mirrors the module, others of its name, and those that import the module;
    then those of the modules that import it; then those of its folder, and of the folders around
    that.

    Args:
        path: of the module, from the top of the checkout.
        root: the checkout.
    """
    sources = {file: file.read_text(encoding="utf-8") for file in root.glob("podium/**/*.py")}
    tests = {file: file.read_text(encoding="utf-8") for file in root.glob("tests/**/test_*.py")}

    def importers(imported: Path, files: dict[Path, str]) -> list[Path]:
        parts = imported.relative_to(root).with_suffix("").parts
        name = ".".join(part for part in parts if part != "__init__")
        dotted = re.compile(rf"\b{re.escape(name)}\b")
        return sorted(file for file in files if file != imported and dotted.search(files[file]))

    def nearest(module: Path) -> list[Path]:
        mirror = _mirror(root, module)
        namesakes = sorted(test for test in tests if test.name == mirror.name)
        namesakes.sort(key=lambda test: test != mirror)
        return [*namesakes, *importers(module, tests)]

    module = root / path
    above = [test for user in importers(module, sources) for test in nearest(user)]
    rooms = [parent for parent in _mirror(root, module).parents if root / "tests" in parent.parents]
    wider = [[test for test in sorted(tests) if room in test.parents] for room in rooms]
    lists, seen = [], set[Path]()
    for files in (nearest(module), above, *wider):
        if fresh := [file for file in dict.fromkeys(files) if file not in seen]:
            lists.append([file.relative_to(root).as_posix() for file in fresh])
            seen.update(fresh)
    return lists


def _mirror(root: Path, module: Path) -> Path:
    folder = module.relative_to(root / "podium").parent
    return root / "tests" / folder / f"test_{module.name}"


def _write(path: Path, source: str) -> None:
    path.write_text(source, encoding="utf-8")
    # What was compiled of a file of this size in this second would pass for current.
    Path(cache_from_source(str(path))).unlink(missing_ok=True)


def _limit_memory() -> None:
    # What is reserved and never written doesn't count: browsers reserve far more.
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY_MAX_BYTES, MEMORY_MAX_BYTES))


def _end(group: int) -> None:
    try:
        os.killpg(group, signal.SIGKILL)
    except ProcessLookupError:
        return
