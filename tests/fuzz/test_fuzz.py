"""Odd requests by the thousand: no answer is a fault of the server, and no machine breaks."""

import gc
import os
from pathlib import Path

import pytest

from podium.apiserver.requests import Response
from tests.fuzz import stories
from tests.fuzz.asked import Asked
from tests.fuzz.checking import offences
from tests.fuzz.stories import replay, shortened, tell, written
from tests.fuzz.world import World

LENGTH = 150
# Worlds that have gone leave caches behind, which are full some day.
WARMING_SEEDS, MEASURED_SEEDS = range(1_000, 1_020), range(1_020, 1_060)
GROWTH_MAX_BYTES = 48 * 2**20


def play(seed: int, directory: Path) -> list[Asked]:
    told, failure = tell(seed, LENGTH)
    if failure is not None:
        path = directory / f"{seed}.json"
        path.write_text(written(seed, shortened(seed, told, failure)), encoding="utf-8")
        again = f"Again: .venv/bin/python -m tests.fuzz {path}"
        pytest.fail(f"{failure.text}\n{path.read_text(encoding='utf-8')[:5_000]}\n{again}")
    return told


@pytest.mark.seeds(3, 670)
def test_story(seed: int, tmp_path: Path) -> None:
    play(seed, tmp_path)


def test_a_seed_repeats_a_story() -> None:
    assert tell(7, 40) == tell(7, 40)


@pytest.mark.soak
def test_memory_stays_flat(tmp_path: Path) -> None:
    for seed in WARMING_SEEDS:
        play(seed, tmp_path)
    before = _resident_bytes()
    for seed in MEASURED_SEEDS:
        play(seed, tmp_path)
    assert _resident_bytes() - before < GROWTH_MAX_BYTES


def _resident_bytes() -> int:
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def test_what_fails_is_shortened_and_can_be_told_again(monkeypatch: pytest.MonkeyPatch) -> None:
    def ask(world: World, asked: Asked) -> int:
        if asked.method == "DELETE":
            raise ZeroDivisionError(asked.path)
        return 200

    monkeypatch.setattr(stories.World, "ask", ask)
    told, failure = tell(1, LENGTH)
    assert failure is not None
    assert failure.signature.startswith("ZeroDivisionError")
    short = shortened(1, told, failure)
    assert [one.method for one in short] == ["DELETE"]
    seed, again = stories.read(written(1, short))
    assert again == short
    repeated = replay(seed, again)
    assert repeated is not None
    assert repeated.signature == failure.signature


STATUS = {"kind": "Status", "code": 422, "message": "x"}


@pytest.mark.parametrize(
    ("response", "wrong"),
    [
        (Response(200, {"kind": "Pod"}), []),
        (Response(200, b"{", (("Content-Type", "application/json"),)), ["can't be read"]),
        (Response(200, b'{"a":NaN}', (("Content-Type", "application/json"),)), ["NaN is no JSON"]),
        (Response(200, b"a: [", (("Content-Type", "application/yaml"),)), ["can't be read"]),
        (Response(422, {**STATUS}), ["doesn't name its field"]),
        (Response(422, {**STATUS, "details": {"causes": [{"field": "a"}]}}), []),
        (Response(409, STATUS), ["without its code"]),
        (Response(400, {**STATUS, "code": 400, "message": ""}), ["says nothing"]),
        (Response(500, {**STATUS, "code": 500, "reason": "InternalError"}), ["500: x"]),
        (Response(503, "gone", (("Content-Type", "text/plain"),)), ["503"]),
    ],
)
def test_the_checker_sees_what_is_wrong(response: Response, wrong: list[str]) -> None:
    found = list(offences(Asked("POST", "/"), response))
    assert len(found) == len(wrong)
    assert all(words in text for words, text in zip(wrong, found, strict=True))
