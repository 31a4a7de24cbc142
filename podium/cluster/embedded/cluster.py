"""An embedded cluster, with its store, state machines, clock and HTTP server."""

import asyncio
import os
import time
from collections.abc import Awaitable, Mapping, Sequence
from contextlib import AsyncExitStack, closing
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Self, TypeVar

import msgspec

from podium.api.errors import PodiumError
from podium.api.objects import Object, name
from podium.api.state_times import ahead_of
from podium.api.usage import Usage
from podium.apiserver.admission.plugin import AdmissionOptions
from podium.apiserver.admission.pod_plugins import ServiceAccount
from podium.apiserver.http.http_server import LOOPBACK
from podium.apiserver.rbac.authorizer import default_access
from podium.apiserver.store.history import FIRST_REVISION
from podium.apiserver.store.store import Store
from podium.cluster.drivers.machine_health import MachineHealth
from podium.cluster.embedded.backend import ClusterBackend
from podium.cluster.embedded.cluster_clock import REAL_TIME, STOPPED, ClockSpeed, ClusterClock
from podium.cluster.embedded.directory import DataDirectory
from podium.cluster.embedded.initial_objects import simulated, with_service_accounts
from podium.cluster.embedded.network import served
from podium.cluster.embedded.sqlite_journal import SqliteJournal
from podium.cluster.virtual import Cluster, ClusterOptions, SchedulerSetup
from podium.controllers.event_expiry import EventExpiry
from podium.kubelet.eviction.eviction_manager import EvictionConfig
from podium.kubelet.kubelet_config import read_eviction_config
from podium.kubelet.simulated.behaviour import DEFAULT_BEHAVIOUR, NodeSettings
from podium.kubelet.simulated.simulated_kubelets import SimulatedKubelets

T = TypeVar("T")

_NODE_LIFECYCLE = "node-lifecycle-controller"
# Up to this many nodes renew their Leases although only Podium's controller is known to read them.
_HEARTBEATS_MAX = 200
# By the clock, simulated kubelets handle all pods of this period together.
_GATHERS_S = 0.05


class EmbeddedOptions(msgspec.Struct, frozen=True, kw_only=True):
    """The options of an embedded cluster."""

    objects: Sequence[Object] = ()
    """Initial objects of a new cluster; nodes among them are simulated."""
    data_dir: Path | None = None
    """Directory in which the cluster is kept; None to keep nothing."""
    address: str = LOOPBACK
    """IP address to listen at; that of the loopback interface by default."""
    port: int | None = None
    """0 for any free port; None for 26443, or any free port if that is in use."""
    is_insecure: bool = False
    speed: ClockSpeed = REAL_TIME
    schedulers: tuple[SchedulerSetup, ...] = (SchedulerSetup(stopwatch=time.perf_counter),)
    controllers: frozenset[str] | None = None
    seed: int | None = None
    eviction: EvictionConfig = msgspec.field(default_factory=lambda: read_eviction_config({}))
    heals: bool = False
    """Whether unhealthy pods and nodes of `objects` become healthy at the start."""


class EmbeddedCluster:
    """Runs a cluster with its API over HTTP inside of `async with`.

    Attributes:
        taken_up: whether the cluster of the data directory is continued; `objects` aren't loaded.
        first_revision: revision of the store before anything acted in this process.
        notes: warnings about the loaded objects, as sentences.
    """

    def __init__(self, options: EmbeddedOptions) -> None:
        self._sees_silence = options.controllers is None or _NODE_LIFECYCLE in options.controllers
        if options.speed.jumps and not self._sees_silence:
            raise PodiumError(
                f"--speed max: needs {_NODE_LIFECYCLE}, as other controllers have other clocks"
            )
        self.options = options
        self.notes: list[str] = []
        self._seed = int.from_bytes(os.urandom(8)) if options.seed is None else options.seed
        self._stack = AsyncExitStack()
        self._journal: SqliteJournal | None = None

    async def __aenter__(self) -> Self:
        try:
            await self._start()
        except BaseException:
            await self._stack.aclose()
            raise
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._stack.aclose()

    async def alongside(self, awaited: Awaitable[T]) -> T:
        """Await something while the cluster runs; raises PodiumError if the cluster fails first."""
        task = asyncio.ensure_future(awaited)
        try:
            await asyncio.wait({task, self._ticking}, return_when=asyncio.FIRST_COMPLETED)
            if not task.done():
                # The clock ends only with an error.
                self._ticking.result()
            return await task
        finally:
            task.cancel()

    async def _start(self) -> None:
        options, stack = self.options, self._stack
        path = options.data_dir
        if path is None:
            path = Path(stack.enter_context(TemporaryDirectory(prefix="podium-")))
        self.directory = stack.enter_context(DataDirectory(path))
        if options.data_dir is not None:
            self._journal = stack.enter_context(closing(self.directory.open_journal()))
        store = Store(journal=self._journal)
        self.taken_up = store.revision != FIRST_REVISION
        # After a kill, the initial objects are all there or none of them.
        with store.transaction():
            self.cluster = cluster = Cluster(self._cluster_options(store), store)
            start_s = cluster.options.start_s
            if not self.taken_up:
                self.notes = cluster.load(with_service_accounts(map(simulated, options.objects)))
                self.notes += ahead_of(start_s, options.objects, "the cluster starts before it")
            cluster.server.bootstrap(start_s, default_access())
        driver = cluster.driver
        # With a stopped clock, in a test, a bug is an error; otherwise the cluster lives on.
        driver.health = None if options.speed == STOPPED else MachineHealth()
        self.first_revision = store.revision
        cluster.start()
        cluster.server.serve_metrics(MeteredUsage(cluster))
        driver.add(EventExpiry(), renew=EventExpiry, is_spared=True)
        water = self.directory.high_water()
        if options.speed.factor:
            # Loading took a while.
            driver.pass_time(time.time())
        self.clock = ClusterClock(
            driver,
            options.speed,
            lambda: store.revision,
            passed=lambda now_s: water.rise(now_s, time.time()),
        )
        self.backend = ClusterBackend(cluster, self.clock, self._journal)
        self._ticking = ticking = asyncio.create_task(self.clock.run())
        # Callbacks run in reverse order: cancel, then wait.
        stack.push_async_callback(asyncio.wait, {ticking})
        stack.callback(ticking.cancel)
        await self.alongside(self.clock.advance(0))
        self.served = await stack.enter_async_context(
            served(
                self.backend,
                cluster,
                self.directory,
                address=options.address,
                port=options.port,
                is_insecure=options.is_insecure,
                rng=Random(self._seed),
            )
        )

    def _cluster_options(self, store: Store) -> ClusterOptions:
        options = self.options
        is_by_the_clock = bool(options.speed.factor) and not options.speed.jumps
        return ClusterOptions(
            seed=self._seed,
            start_s=max(time.time(), self.directory.high_water().time_s),
            schedulers=options.schedulers,
            admission=AdmissionOptions(enabled=frozenset({ServiceAccount.__name__})),
            controllers=options.controllers,
            heals=options.heals,
            nodes=NodeSettings(
                behaviour=DEFAULT_BEHAVIOUR,
                seed=self._seed,
                eviction=options.eviction,
                writes_heartbeats=self._writes_heartbeats(store),
                simulates_all=False,
                gathers_s=_GATHERS_S if is_by_the_clock else 0.0,
            ),
        )

    def _writes_heartbeats(self, store: Store) -> bool:
        """Return whether simulated nodes renew their Leases, for controllers other than Podium's.

        That takes a write every ten seconds for each node, too many writes with thousands of nodes.
        """
        speed = self.options.speed
        if speed.jumps or not speed.factor:
            return not self._sees_silence
        objects = store.list("Node").items if self.taken_up else self.options.objects
        nodes = sum(obj.get("kind") == "Node" for obj in objects)
        return not self._sees_silence or nodes * speed.factor <= _HEARTBEATS_MAX


class MeteredUsage:
    """Usage of simulated nodes and their pods; implements `podium.api.usage.UsageReader`."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster

    def node(self, node: Object, now_s: float) -> Usage | None:
        kubelets = self._kubelets()
        return None if kubelets is None else kubelets.node_usage(name(node), now_s)

    def pod(self, pod: Object, now_s: float) -> Mapping[str, Usage] | None:
        kubelets = self._kubelets()
        return None if kubelets is None else kubelets.pod_usage(pod, now_s)

    def _kubelets(self) -> SimulatedKubelets | None:
        handle = self._cluster.kubelets
        machine = None if handle is None else handle.machine
        return machine if isinstance(machine, SimulatedKubelets) else None
