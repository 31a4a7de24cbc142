"""A cluster beside a test: in a thread of its own, with a clock that the test moves."""

import asyncio
import concurrent.futures
import threading
import time
from collections.abc import Callable, Coroutine, Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

from podium.api.errors import PodiumError
from podium.api.objects import DEFAULT_NAMESPACE, Object
from podium.apiserver.registry import BUILT_IN, Registry
from podium.cluster import SchedulerSetup
from podium.cluster.controller_list import chosen_controllers
from podium.embedded.cluster import EmbeddedCluster, EmbeddedOptions
from podium.embedded.cluster_clock import STOPPED, parse_speed
from podium.embedded.defaults import ALL_CONTROLLERS, NodeShape
from podium.embedded.in_process_client import InProcessClient, UnknownKindError
from podium.embedded.initial_objects import KnownKinds, read_manifests, simulated_nodes
from podium.embedded.node_credentials import write_node_kubeconfig

Source = str | Path | Object
T = TypeVar("T")


class StoppedClusterError(PodiumError):
    """The cluster doesn't run: it hasn't been started yet, has ended, or has failed."""


class Cluster:
    """A cluster with the real API, from `with` to its end.

    Its clock stands still, unless it is given a speed: what happens at once happens by itself,
    everything else when `advance` is called.

    Args:
        nodes: how many simulated nodes there are, `podium-1` and so on.
        node_cpu: the CPU of each.
        node_memory: the memory of each.
        manifests: what is there at the start: files, directories, or objects.
        speed: how time passes: `1x`, `10x` or `max`; None if it stands still.
        data_dir: where the cluster keeps what it has; None to keep nothing.
        scheduler: whether pods are scheduled.
        controllers: which controllers run, as for `podium up --controllers`.
        insecure_http: whether the API speaks plain HTTP.
        seed: of names, uids, and everything else that is left to chance.

    Raises:
        PodiumError: something about that is wrong, or, on entering, the cluster can't start.
    """

    def __init__(
        self,
        *,
        nodes: int = 3,
        node_cpu: str = "4",
        node_memory: str = "16Gi",
        manifests: Iterable[Source] = (),
        speed: str | None = None,
        data_dir: Path | None = None,
        scheduler: bool = True,
        controllers: Iterable[str] = (ALL_CONTROLLERS,),
        insecure_http: bool = False,
        seed: int = 0,
    ) -> None:
        simulated = simulated_nodes(nodes, NodeShape(cpu=node_cpu, memory=node_memory))
        self._options = EmbeddedOptions(
            objects=[*simulated, *_objects(manifests)],
            data_dir=data_dir,
            port=0,
            is_insecure=insecure_http,
            pace=STOPPED if speed is None else parse_speed(speed),
            schedulers=(SchedulerSetup(stopwatch=time.perf_counter),) if scheduler else (),
            controllers=chosen_controllers(controllers),
            seed=seed,
        )
        self._embedded: EmbeddedCluster | None = None
        self._started: concurrent.futures.Future[None] = concurrent.futures.Future()
        self._ended: BaseException | None = None
        self._thread = threading.Thread(target=self._run, name="podium", daemon=True)

    @property
    def kubeconfig(self) -> Path:
        """The file that tells kubectl and other clients how to reach the cluster."""
        return self._running().directory.kubeconfig

    def node_kubeconfig(self, name: str) -> Path:
        """The file that lets `podium node` be a node of the cluster, and nothing else."""
        return write_node_kubeconfig(self._running().directory.path, name)

    @property
    def url(self) -> str:
        """Where the API is."""
        return self._running().url

    @property
    def now_s(self) -> float:
        """What time it is in the cluster, in seconds since the epoch."""
        return self._call(self._running().backend.now_s)

    def advance(self, duration_s: float) -> None:
        """Move the clock on; returns when all that is due by then has happened.

        Clients in other threads or processes aren't waited for.

        Args:
            duration_s: how far, in seconds.

        Raises:
            ValueError: the clock would go back.
        """
        if not duration_s >= 0:
            raise ValueError(f"duration_s: {duration_s}: a clock can't go back; must be 0 or more")
        self._await(self._running().pacer.advance(duration_s))

    def apply(self, *sources: Source) -> list[Object]:
        """Apply manifests: files, directories, or objects; the objects as they are then.

        Raises:
            Refused: the API turns one down.
        """
        objects = _objects(sources, self._call(lambda: self._running().cluster.server.kinds))
        return self._call(lambda: self._acting(lambda actor: actor.apply(objects)))

    def get(self, kind: str, name: str, namespace: str = DEFAULT_NAMESPACE) -> Object:
        """An object, such as `get("Pod", "web")`.

        Raises:
            Refused: there is none of that name.
        """
        return self._call(lambda: self._acting(lambda actor: actor.get(kind, name, namespace)))

    def list(self, kind: str, namespace: str | None = None) -> list[Object]:
        """All objects of a kind, or those of a namespace, by namespace and name."""
        return self._call(lambda: self._acting(lambda actor: actor.list(kind, namespace)))

    def delete(
        self,
        kind: str,
        name: str,
        namespace: str = DEFAULT_NAMESPACE,
        *,
        grace_period_s: int | None = None,
    ) -> None:
        """Delete an object; a pod has its grace period, for which the clock must move on.

        Raises:
            Refused: there is none of that name.
        """
        self._call(
            lambda: self._acting(lambda actor: actor.delete(kind, name, namespace, grace_period_s))
        )

    def __enter__(self) -> Self:
        self._thread.start()
        try:
            self._started.result()
        except BaseException:
            self._thread.join()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._ended is None:
            self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join()
        self._embedded = None
        if self._ended is not None and error is None:
            raise self._ended

    def _run(self) -> None:
        try:
            asyncio.run(self._live())
        except BaseException as error:  # noqa: BLE001 - whoever uses the cluster gets it
            if self._started.done():
                self._ended = error
            else:
                self._started.set_exception(error)

    async def _live(self) -> None:
        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        async with EmbeddedCluster(self._options) as embedded:
            self._embedded = embedded
            self._started.set_result(None)
            await embedded.alongside(self._stop.wait())

    def _running(self) -> EmbeddedCluster:
        if self._embedded is None or self._ended is not None:
            raise StoppedClusterError("the cluster doesn't run") from self._ended
        return self._embedded

    def _acting(self, act: Callable[[InProcessClient], T]) -> T:
        embedded = self._running()
        embedded.pacer.catch_up()
        try:
            return act(InProcessClient(embedded.cluster))
        finally:
            embedded.backend.acted()

    def _call(self, function: Callable[[], T]) -> T:
        async def call() -> T:
            return function()

        return self._await(call())

    def _await(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """What comes of it in the cluster's thread."""
        try:
            self._running()
            future = asyncio.run_coroutine_threadsafe(coroutine, self._loop)
        except BaseException:
            coroutine.close()
            raise
        try:
            return future.result()
        except concurrent.futures.CancelledError:
            self._thread.join()
            raise StoppedClusterError(f"the cluster has stopped: {self._ended}") from self._ended


def _objects(sources: Iterable[Source], kinds: Registry = BUILT_IN) -> list[Object]:
    found: list[Object] = []
    known = KnownKinds(kinds.of)
    for source in sources:
        if isinstance(source, Mapping):
            if known(source) is None:
                called = f"apiVersion {source.get('apiVersion')}, kind {source.get('kind')}"
                names = ", ".join(kind.key for kind in kinds)
                raise UnknownKindError(f"{called}: isn't served; the kinds are {names}")
            found.append(source)
        else:
            manifests = read_manifests([str(source)], serves=known)
            found += [loaded.obj for loaded in manifests.objects]
    return found
