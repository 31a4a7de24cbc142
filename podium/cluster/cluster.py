"""The composition: one store, one API server, one driver, and the machines that make a cluster."""

from collections.abc import Iterable, Mapping
from functools import partial
from random import Random
from typing import Any

from podium.apiserver.server import ApiOptions, ApiServer
from podium.cluster.loading import Loader
from podium.cluster.options import ClusterOptions, SchedulerSetup
from podium.cluster.setup import controllers
from podium.cluster.sleepers import Sleepers
from podium.controllers.scheduler.machine import SchedulerMachine
from podium.controllers.scheduler.metrics import SchedulerMetrics
from podium.node.simulated.kubelets import SimulatedKubelets
from podium.runtime.virtual import Handle, VirtualDriver
from podium.store.journal import FIRST_REVISION
from podium.store.store import Store

Object = Mapping[str, Any]

_DEFAULT_OPTIONS = ClusterOptions()


class Cluster:
    """A cluster, which does nothing before it is started.

    Attributes:
        options: how it is set up.
        store: the objects.
        server: the API, through which users act.
        driver: makes time pass.
        schedulers: each under the name of its first profile; empty before the start.
        controllers: those that run, by name; others sleep until something concerns them.
        kubelets: of all nodes; None before the start, and if nodes do nothing.

    Args:
        options: how it is set up.
        store: the objects, which may be there already; none unless given. Who goes on with them
            gets other uids and names than whoever made them, with the same seed, too.

    Raises:
        UnknownController: the options name one that there isn't.
        UnknownPlugin: the same of admission plugins.
    """

    def __init__(
        self, options: ClusterOptions = _DEFAULT_OPTIONS, store: Store | None = None
    ) -> None:
        self.options = options
        self.store = store or Store()
        rng = Random(options.seed)
        if self.store.revision != FIRST_REVISION:
            rng = Random(f"{options.seed}/{self.store.revision}")
        admission = ApiOptions(admission=options.admission)
        self.server = ApiServer(self.store, _fork(rng), admission)
        self.server.bootstrap(options.start_s)
        self.driver = VirtualDriver(
            self.server, options.start_s, _fork(rng), options.faults, options.latency
        )
        self.schedulers: dict[str, Handle] = {}
        self.controllers: dict[str, Handle] = {}
        self.kubelets: Handle | None = None
        self._loader_rng = _fork(rng)
        self._scheduler_seed = rng.getrandbits(64)
        self._makers = dict(controllers(options))

    def load(self, objects: Iterable[Object], *, defaulted: bool = False) -> list[str]:
        """Put objects into the store as they stand, as if they had been there all along.

        It is meant for the time before the start: what is loaded isn't validated, and may be
        unlike anything that the API would let in.

        Args:
            objects: from a cluster, or written by hand; `Loader` says what is filled in.
            defaulted: whether all of them have their defaults already.

        Returns:
            What is odd about them, in plain sentences.
        """
        options = self.options
        loader = Loader(self.store, self._loader_rng, self.driver.now_s, options.admission)
        return loader.load(objects, defaulted=defaulted)

    def start(self) -> None:
        """Start the nodes, then the controllers, then the schedulers."""
        if self.options.nodes is not None:
            make = partial(SimulatedKubelets, self.options.nodes)
            self.kubelets = self.driver.add(make(), renew=make, is_spared=True)
        sleepers = Sleepers(self.store, self.driver, self._start_controller)
        for name in self._makers:
            sleepers.start_or_sleep(name)
        for number, setup in enumerate(self.options.schedulers):
            renew = partial(_scheduler, setup, f"{self._scheduler_seed}/{number}")
            machine = renew()
            self.schedulers[machine.name] = self.driver.add(machine, renew=renew)

    def _start_controller(self, name: str) -> None:
        make = self._makers[name]
        self.controllers[name] = self.driver.add(make(), name=name, renew=make)


def _scheduler(setup: SchedulerSetup, seed: str) -> SchedulerMachine:
    return SchedulerMachine(
        setup.configuration,
        setup.options,
        features=setup.features,
        rng=Random(seed),
        metrics=SchedulerMetrics(setup.stopwatch),
        decision_s=setup.decision_s,
    )


def _fork(rng: Random) -> Random:
    """A generator of its own, so that what one part draws doesn't change the others."""
    return Random(rng.getrandbits(64))
