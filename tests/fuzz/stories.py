"""Stories: requests one after another in a world of their own, played, shortened and kept."""

import json
import traceback
from collections.abc import Iterable, Sequence
from pathlib import Path
from random import Random

from podium.cluster.drivers.machine_health import MachineError
from tests.fuzz.asked import Asked
from tests.fuzz.asking import Asker
from tests.fuzz.world import Failure, World

TRIES_MAX = 60


def tell(seed: int, length: int) -> tuple[list[Asked], Failure | None]:
    """Make a story up as it happens; the requests, and what went wrong with the last one."""
    told: list[Asked] = []
    try:
        world = World(seed)
        asker = Asker(Random(f"fuzz/{seed}"), world)
        while len(told) < length and not (len(told) % 50 == 0 and world.is_full):
            asked = asker.next()
            told.append(asked)
            world.ask(asked)
        world.finish()
    except Exception as error:  # noqa: BLE001 - whatever it is, it is what is looked for
        return told, failure_of(error)
    return told, None


def replay(seed: int, told: Iterable[Asked]) -> Failure | None:
    """What goes wrong when a story is told again."""
    try:
        world = World(seed)
        for asked in told:
            world.ask(asked)
        world.finish()
    except Exception as error:  # noqa: BLE001 - as above
        return failure_of(error)
    return None


def shortened(seed: int, told: Sequence[Asked], failure: Failure) -> list[Asked]:
    """Less of a story that fails in the same way."""
    kept, tries = list(told), 0
    size = max(len(kept) // 2, 1)
    while tries < TRIES_MAX:
        for start in range(0, len(kept), size):
            shorter = kept[:start] + kept[start + size :]
            tries += 1
            again = replay(seed, shorter)
            if again is not None and again.signature == failure.signature:
                kept = shorter
                break
        else:
            if size == 1:
                break
            size = max(size // 2, 1)
    return kept


def failure_of(error: Exception) -> Failure:
    """An exception, told apart from others by where it was raised."""
    cause = error.cause if isinstance(error, MachineError) else error
    frames = traceback.extract_tb(cause.__traceback__)
    ours = [one for one in frames if "/podium/" in one.filename] or list(frames)
    where = f"{Path(ours[-1].filename).name}:{ours[-1].name}"
    detail = str(error).split("\n", 1)[0][:80] if isinstance(error, AssertionError) else ""
    text = "".join(traceback.format_exception(error))
    return Failure(f"{type(cause).__name__} {where} {detail}", text)


def written(seed: int, told: Sequence[Asked]) -> str:
    """A story as JSON, to be played again by `python -m tests.fuzz FILE`."""
    return json.dumps({"seed": seed, "requests": [one.to_json() for one in told]}, indent=1)


def read(text: str) -> tuple[int, list[Asked]]:
    """The seed and the requests of a story that was written down."""
    told = json.loads(text)
    return told["seed"], [Asked.from_json(one) for one in told["requests"]]
