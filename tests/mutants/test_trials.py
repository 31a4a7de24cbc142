"""A mutation is tried in a copy, with the nearest tests first."""

from pathlib import Path

import pytest

from tests.mutants.__main__ import main
from tests.mutants.mutations import Mutation, mutations
from tests.mutants.trials import Trials, concerned_tests

CODE = """
def halves(pods: int) -> bool:
    rest = pods
    while rest > 1:
        rest -= 2
    return not rest
"""
TEST = """
from podium.room.halves import halves

def test_halves() -> None:
    assert halves(4)
"""
GREEDY = """
import mmap
import pytest

def test_memory() -> None:
    mmap.mmap(-1, 3 << 30, mmap.MAP_PRIVATE, mmap.PROT_READ).close()
    with pytest.raises(OSError, match="memory"):
        mmap.mmap(-1, 3 << 30, mmap.MAP_PRIVATE)
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    files = {
        "podium/__init__.py": "",
        "podium/ui/testing/pytest_plugin.py": "",
        "podium/room/halves.py": CODE,
        "tests/room/test_halves.py": TEST,
        "tests/room/test_other.py": "def test_nothing() -> None:\n    pass\n",
        "tests/elsewhere/test_user.py": TEST,
        "tests/elsewhere/test_more.py": "",
        "tests/elsewhere/test_halves.py": "",
        "podium/above/doubles.py": "from podium.room.halves import halves",
        "tests/above/test_doubles.py": "",
        "tests/elsewhere/test_above.py": "import podium.above.doubles",
        "pyproject.toml": "[tool.pytest.ini_options]\naddopts = ['--import-mode=importlib']\n",
    }
    for name, text in files.items():
        path = tmp_path / "checkout" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path / "checkout"


def trials(checkout: Path, limit_s: float = 60) -> Trials:
    copy = checkout.parent / "copy"
    copy.mkdir()
    return Trials(checkout, copy, limit_s)


def changing(old: str, new: str) -> Mutation:
    path = "podium/room/halves.py"
    (found,) = [m for m in mutations(path, CODE) if m.text == new and old in CODE[m.start : m.end]]
    return found


DRAWN = [changing("rest > 1", "rest >= 1"), changing("not rest", "rest")]


def test_the_nearest_tests_come_first(checkout: Path) -> None:
    assert concerned_tests("podium/room/halves.py", checkout) == [
        [
            "tests/room/test_halves.py",
            "tests/elsewhere/test_halves.py",
            "tests/elsewhere/test_user.py",
        ],
        ["tests/above/test_doubles.py", "tests/elsewhere/test_above.py"],
        ["tests/room/test_other.py"],
    ]


def test_a_mutation_is_noticed_by_a_test_and_the_checkout_stays_as_it_is(checkout: Path) -> None:
    tried = trials(checkout)
    by = "tests/room/test_halves.py::test_halves"
    assert tried.noticed_by(changing("not rest", "rest")) == by
    assert tried.noticed_by(changing("rest > 1", "rest >= 1")) == ""
    assert (checkout / "podium/room/halves.py").read_text() == CODE


def test_no_end_is_noticed_too(checkout: Path) -> None:
    limit = "the limit of 10 s"
    assert trials(checkout, 10).noticed_by(changing("rest -= 2", "pass")) == limit


def test_memory_is_limited_and_address_space_is_not(
    checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tests.mutants.trials.MEMORY_MAX_BYTES", 2 << 30)
    (checkout / "tests/room/test_halves.py").write_text(GREEDY)
    assert not trials(checkout).noticed_by(changing("rest > 1", "rest >= 1"))


def test_tests_that_fail_anyway_notice_nothing(checkout: Path) -> None:
    (checkout / "tests/room/test_halves.py").write_text(TEST.replace("4", "5"))
    with pytest.raises(RuntimeError, match="without any mutation: tests/room/test_halves"):
        trials(checkout).noticed_by(changing("rest > 1", "rest >= 1"))


def test_what_nothing_notices_is_printed_as_a_diff(
    checkout: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("tests.mutants.__main__.ROOT", checkout)
    monkeypatch.setattr("tests.mutants.__main__.drawn", lambda *_: DRAWN)
    main(["--seed", "7"])
    printed, noticed = capsys.readouterr()
    assert noticed == "podium/room/halves.py:6: noticed by tests/room/test_halves.py::test_halves\n"
    first, *_, last = printed.splitlines()
    assert first == "--- podium/room/halves.py:4"
    assert last == "1 of 2 mutations noticed (seed 7)"
