"""A cluster in virtual time that works while it is asked odd things, and is looked at meanwhile."""

import signal
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random
from types import FrameType

import yaml

from podium.api.kinds.builtin_kinds import KINDS
from podium.apiserver.requests import Request, Watching, encoded, handle
from podium.cluster.embedded.initial_objects import NodeShape, simulated_nodes
from podium.cluster.virtual import Cluster, ClusterOptions
from tests.apiserver.requests.client import events_of, last_events_of
from tests.apiserver.requests.samples import sample
from tests.fuzz.asked import Asked
from tests.fuzz.checking import offences
from tests.objects import Obj
from tests.replacing import replace

CORPUS = Path(__file__).with_name("corpus.yaml")
# What follows at once from one request; a workload of 2,147,483,647 pods brings about no end of it.
STEPS_MAX = 2_000
OBJECTS_MAX = 3_000
WATCHES_MAX = 6
# No request, and no step of a machine, comes near this much work; one that doesn't end does.
WORK_MAX_S = 20.0
FORMS = (
    "", "application/yaml", "application/json;as=Table;v=v1;g=meta.k8s.io",
    "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io",
)  # fmt: skip


class StalledError(Exception):
    """Something takes so long that it may never end."""


@dataclass(frozen=True)
class Failure:
    """What went wrong.

    Attributes:
        signature: the same for what has the same cause.
        text: all there is to say.
    """

    signature: str
    text: str


class World:
    """A cluster, and what is done to it.

    Args:
        seed: of all that is left to chance in it.
    """

    def __init__(self, seed: int) -> None:
        self.cluster = Cluster(ClusterOptions(seed=seed))
        self.cluster.load(simulated_nodes(3, NodeShape()))
        self.cluster.start()
        self._rng = Random(seed)
        self._watches: list[Watching] = []
        self._run(10.0)
        for obj in _first_objects():
            self._create(obj)
        self._run(10.0)

    @property
    def is_full(self) -> bool:
        return sum(len(self.cluster.store.list(kind).items) for kind in KINDS) > OBJECTS_MAX

    def of_kind(self, kind: str) -> Sequence[Obj]:
        return self.cluster.store.list(kind).items  # type: ignore[return-value]

    def any(self) -> Obj:
        """Any object of a kind that has some."""
        kinds = [kind for kind in KINDS if self.of_kind(kind)]
        return self._rng.choice(self.of_kind(self._rng.choice(kinds)))

    def ask(self, asked: Asked) -> int:
        """Ask something, and let time pass; the code of the answer.

        Raises:
            AssertionError: the answer is wrong.
            Exception: a bug of the server or of a machine.
        """
        with _limited():
            response = handle(self.cluster.server, asked.request(), self.cluster.driver.now_s)
            wrong = [*offences(asked, response)]
        assert not wrong, "; ".join(wrong)
        if isinstance(response.body, Watching):
            self._watch(response.body)
        elif response.code in (200, 201) and asked.method != "GET":
            self._look(asked)
        self._run(asked.pause_s)
        return response.code

    def finish(self) -> None:
        """Let it be for a while, and start every machine anew, so that all reads what there is."""
        self._run(60.0)
        cluster, driver = self.cluster, self.cluster.driver
        for one in (*cluster.schedulers.values(), *cluster.controllers.values()):
            if one.renew is not None:
                driver.restart(one, one.renew())
        self._run(60.0)
        self._read_watches()

    def _look(self, asked: Asked) -> None:
        """What has been written can be shown in all forms."""
        path = asked.path.partition("?")[0]
        for accept in FORMS:
            looked = replace(asked, method="GET", path=path, body=b"", headers={"Accept": accept})
            with _limited():
                response = handle(self.cluster.server, looked.request(), self.cluster.driver.now_s)
                wrong = [*offences(looked, response)]
            assert not wrong, f"GET {path} as {accept or 'JSON'}: {'; '.join(wrong)}"

    def _watch(self, watching: Watching) -> None:
        self._watches.append(watching)
        if len(self._watches) > WATCHES_MAX:
            last_events_of(self._watches.pop(0), self.cluster.driver.now_s)

    def _read_watches(self) -> None:
        for watching in self._watches:
            for event in events_of(watching, self.cluster.driver.now_s):
                assert encoded(event)
        self._watches = [one for one in self._watches if not one.stream.has_ended]

    def _run(self, duration_s: float) -> None:
        """Let time pass; what doesn't fit into so many steps is done later."""
        driver = self.cluster.driver
        end_s = driver.now_s + duration_s
        for _ in range(STEPS_MAX):
            next_s = driver.next_s()
            if next_s is None or next_s > end_s:
                driver.pass_time(end_s)
                break
            with _limited():
                driver.step()
        with _limited():
            self._read_watches()

    def _create(self, obj: Obj) -> None:
        kind = KINDS[obj["kind"]]
        root = f"/apis/{kind.api_version}" if kind.group else f"/api/{kind.version}"
        namespace = obj["metadata"].get("namespace", "default")
        place = f"/namespaces/{namespace}" if kind.namespaced else ""
        request = Request("POST", f"{root}{place}/{kind.plural}", {}, encoded(obj))
        response = handle(self.cluster.server, request, self.cluster.driver.now_s)
        assert response.code == 201, response.content()
        self._run(0.0)


def _first_objects() -> Iterator[Obj]:
    found: list[Obj] = [*yaml.safe_load_all(CORPUS.read_text(encoding="utf-8"))]
    yield from found
    there = {obj["kind"] for obj in found} | {"Node"}
    for kind in KINDS.values():
        if kind.name not in there:
            yield {"apiVersion": kind.api_version, "kind": kind.name, **sample(kind.name)}


@contextmanager
def _limited() -> Iterator[None]:
    """Stop what takes too much of the processor."""

    def stop(_number: int, _frame: FrameType | None) -> None:
        raise StalledError(f"more than {WORK_MAX_S} s of work")

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, WORK_MAX_S)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
