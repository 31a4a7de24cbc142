"""A process that writes until it is killed, and says of each write when it is done.

What it writes depends on its seed and on what is stored already, so that others can find out what
it must have written.
"""

import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from random import Random

from podium.apiserver.store.store import Store
from podium.cluster.embedded.sqlite_journal import SqliteJournal
from tests.apiserver.store.objects import made

# So few that compactions happen all the time.
HISTORY_MAX = 40


def write_on(store: Store, seed: int) -> Iterator[int]:
    """Change objects for ever; after each commit, the revision it led to."""
    rng = Random(f"{seed} {store.revision}")
    while True:
        if rng.random() < 0.5:
            _write(store, rng)
        else:
            with store.transaction():
                for _ in range(rng.randint(2, 6)):
                    _write(store, rng)
        yield store.revision


def _write(store: Store, rng: Random) -> None:
    kind = rng.choice(["Pod", "Node"])
    namespace = rng.choice(["a", "b"]) if kind == "Pod" else ""
    name = f"n{rng.randrange(20)}"
    obj = made(name, namespace, content=rng.random(), padding="x" * rng.randrange(3000))
    if store.get(kind, namespace, name) is None:
        store.create(kind, obj)
    elif rng.random() < 0.4:
        store.delete(kind, namespace, name)
    else:
        store.update(kind, obj)


def main(path: Path, seed: int) -> None:
    with closing(SqliteJournal(path, durability="process", history_max=HISTORY_MAX)) as journal:
        for revision in write_on(Store(journal=journal), seed):
            sys.stdout.write(f"{revision}\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
