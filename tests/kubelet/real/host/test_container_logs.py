"""What is told of a container's log, and which run's log it is."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from podium.kubelet.real.host.container_logs import LogOptions, log_text
from podium.kubelet.real.host.kubelet_server import NoLogError, wanted_attempt

STAMP = "2027-01-15T08:00:{:02}.500000000Z"
LINES = 20_000


def written(path: Path, first: int, last: int, tag: str = "F") -> None:
    with path.open("a") as file:
        file.writelines(
            f"{STAMP.format(number % 60)} stdout {tag} line {number}\n"
            for number in range(first, last)
        )


def told(path: Path, **options: Any) -> str:
    async def read() -> bytes:
        return b"".join(
            [piece async for piece in log_text(path, LogOptions(**options), lambda: False)]
        )

    return asyncio.run(read()).decode()


def test_a_log_is_told_without_times_and_streams(tmp_path: Path) -> None:
    written(tmp_path / "0.log", 0, 2)
    assert told(tmp_path / "0.log") == "line 0\nline 1\n"
    stamped = told(tmp_path / "0.log", timestamps=True)
    assert stamped == f"{STAMP.format(0)} line 0\n{STAMP.format(1)} line 1\n"


def test_what_was_never_written_is_empty(tmp_path: Path) -> None:
    assert told(tmp_path / "0.log", follow=True, tail_lines=3) == ""


@pytest.mark.parametrize("lines", [0, 1, 3, LINES - 1, LINES, LINES + 1])
def test_the_last_lines(tmp_path: Path, lines: int) -> None:
    written(tmp_path / "0.log", 0, LINES)
    expected = [f"line {number}" for number in range(max(LINES - lines, 0), LINES)]
    assert told(tmp_path / "0.log", tail_lines=lines).splitlines() == expected


def test_lines_since_a_time_and_no_more_than_so_many_bytes(tmp_path: Path) -> None:
    written(tmp_path / "0.log", 0, 5)
    assert told(tmp_path / "0.log", since=STAMP.format(3)) == "line 3\nline 4\n"
    assert told(tmp_path / "0.log", since=STAMP.format(3), tail_lines=1) == "line 4\n"
    assert told(tmp_path / "0.log", limit_bytes=9) == "line 0\nli"


def test_parts_of_a_line_are_one_line_with_one_time(tmp_path: Path) -> None:
    written(tmp_path / "0.log", 0, 1, "P")
    written(tmp_path / "0.log", 1, 3)
    stamped = told(tmp_path / "0.log", timestamps=True)
    assert stamped == f"{STAMP.format(0)} line 0line 1\n{STAMP.format(2)} line 2\n"


def test_following_goes_on_in_the_next_file_until_the_container_has_ended(tmp_path: Path) -> None:
    path, has_ended = tmp_path / "0.log", asyncio.Event()
    written(path, 0, 2)

    async def read() -> list[str]:
        found: list[str] = []
        options = LogOptions(follow=True)
        async for piece in log_text(path, options, lambda: not has_ended.is_set()):
            found += piece.decode().splitlines()
            if len(found) == 2:
                written(path, 2, 3)
                path.rename(tmp_path / "0.log.1")
                written(path, 3, 4)
            elif found[-1] == "line 3":
                written(path, 4, 5)
                has_ended.set()
        return found

    async def in_time() -> list[str]:
        return await asyncio.wait_for(read(), 20)

    assert asyncio.run(in_time()) == [f"line {number}" for number in range(5)]


def status(restarts: int, state: str, *, ended_before: bool = False, reason: str = "") -> Any:
    found = {
        "name": "c",
        "restartCount": restarts,
        "state": {state: {"reason": reason}},
        "lastState": {"terminated": {}} if ended_before else {},
    }
    return {"metadata": {"name": "p"}, "status": {"containerStatuses": [found]}}


def test_which_run_is_meant() -> None:
    running = status(2, "running", ended_before=True)
    assert [wanted_attempt(running, "c", one) for one in (False, True)] == [2, 1]
    crashed = status(2, "waiting", ended_before=True, reason="CrashLoopBackOff")
    assert [wanted_attempt(crashed, "c", one) for one in (False, True)] == [2, 2]
    assert wanted_attempt(status(0, "terminated"), "c", False) == 0


@pytest.mark.parametrize(
    ("pod", "previous", "why"),
    [
        (status(0, "running"), True, 'previous terminated container "c" in pod "p" not found'),
        (
            status(0, "waiting", reason="ContainerCreating"),
            False,
            'container "c" in pod "p" is waiting to start: ContainerCreating',
        ),
        ({"metadata": {"name": "p"}}, False, 'container "c" in pod "p" is not available'),
    ],
)
def test_there_is_no_log_yet(pod: Any, previous: bool, why: str) -> None:
    with pytest.raises(NoLogError, match=f"^{why}$"):
        wanted_attempt(pod, "c", previous)
