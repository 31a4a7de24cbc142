"""The cluster in virtual time: store, API server, driver, controllers, schedulers and nodes."""

from collections.abc import Iterable
from functools import partial
from random import Random

from podium.api.objects import Object
from podium.apiserver.server import ApiOptions, ApiServer
from podium.apiserver.store.history import FIRST_REVISION
from podium.apiserver.store.store import Store
from podium.cluster.drivers.machine_runner import MachineHandle
from podium.cluster.drivers.virtual import VirtualDriver
from podium.cluster.virtual.cluster_options import ClusterOptions, SchedulerSetup
from podium.cluster.virtual.controller_list import controller_makers
from podium.cluster.virtual.lazy_controllers import LazyControllers
from podium.cluster.virtual.loading.loader import Loader
from podium.kubelet.simulated.simulated_kubelets import SimulatedKubelets
from podium.machines.reconciler.reconciler import Reconciler
from podium.scheduler.machine.scheduler_machine import SchedulerMachine

_DEFAULT_OPTIONS = ClusterOptions()


class Cluster:
    """A whole cluster in virtual time; nothing runs before `start`.

        cluster = Cluster(ClusterOptions(seed=7))
        cluster.load(objects)
        cluster.start()
        cluster.driver.advance(60)

    Attributes:
        schedulers: handles of the schedulers, by the name of each one's first profile.
        kubelets: handle of all nodes' kubelets; None before the start, or if nodes do nothing.

    Args:
        store: store of an earlier cluster to continue. New uids and names then differ from those of
            the earlier cluster, even if the seed is equal.
    """

    def __init__(
        self, options: ClusterOptions = _DEFAULT_OPTIONS, store: Store | None = None
    ) -> None:
        self.options = options
        self.store = store or Store()
        # A loaded state may have the uids that a cluster of this seed has drawn.
        rng = Random(f"settled/{options.seed}" if options.settled else options.seed)
        salt = str(options.seed or "")
        if self.store.revision != FIRST_REVISION:
            salt = f"{options.seed}/{self.store.revision}"
            rng = Random(salt)
        api_options = ApiOptions(
            admission=options.admission, names_salt=salt, kinds=options.optional_kinds
        )
        self.server = ApiServer(self.store, _fork(rng), api_options)
        self.server.bootstrap(options.start_s)
        self.driver = VirtualDriver(
            self.server,
            options.start_s,
            _fork(rng),
            options.faults,
            options.latency,
            options.event_reasons,
        )
        self.schedulers: dict[str, MachineHandle] = {}
        self.controllers: dict[str, MachineHandle] = {}
        self.kubelets: MachineHandle | None = None
        self._loader_rng = _fork(rng)
        self._loaded: set[str] | None = set() if options.settled else None
        self._goes_on = False
        self._scheduler_seed = rng.getrandbits(64)
        self._makers = dict(controller_makers(options))

    def load(self, objects: Iterable[Object], *, defaulted: bool = False) -> list[str]:
        """Put objects into the store before the start, as if they had always been there.

        They aren't validated; `podium.cluster.virtual.loading.loader` documents what is filled in.
        With `defaulted`, all objects have the API's default values already.
        """
        loader = Loader(self.store, self._loader_rng, self.driver.now_s, self.options)
        notes = loader.load(objects, defaulted=defaulted)
        self._goes_on = True
        if self._loaded is not None:
            self._loaded |= loader.exported
        return notes

    def adopt(self, loaded: "Cluster") -> None:
        """Take over the loaded objects of another cluster, as if they had been loaded here.

        The other cluster was never started, and has equal options for loading: seed, start,
        admission, behaviour of pods, `settled` and `heals`.
        """
        self.store.adopt(loaded.store)
        self._goes_on = loaded._goes_on
        self._loader_rng.setstate(loaded._loader_rng.getstate())
        self._loaded = None if loaded._loaded is None else {*loaded._loaded}

    def start(self) -> None:
        self.start_controllers()
        self.start_schedulers()

    def start_controllers(self) -> None:
        """Start the kubelets and the controllers, without the schedulers."""
        if self.options.nodes is not None:
            make = partial(SimulatedKubelets, self.options.nodes)
            self.kubelets = self.driver.add(make(), renew=make, is_spared=True)
        self._sleepers = LazyControllers(self.store, self.driver, self._start_controller)
        for name in self._makers:
            self._sleepers.start_or_sleep(name)
        # A controller that starts later does so for a new object.
        self._loaded = None

    def wake_controllers(self, names: Iterable[str]) -> None:
        """Start controllers now that otherwise start with the first object that concerns them."""
        for name in names:
            self._sleepers.rouse(name)

    def start_schedulers(self) -> None:
        """Start the schedulers, which first schedule the pods that are pending now."""
        for number, setup in enumerate(self.options.schedulers):
            renew = partial(_scheduler, setup, f"{self._scheduler_seed}/{number}")
            # A scheduler that is restarted takes nothing over.
            machine = renew(takes_over=self._goes_on)
            self.schedulers[machine.name] = self.driver.add(machine, renew=renew)

    def _start_controller(self, name: str) -> None:
        make = self._makers[name]
        machine = make()
        if self._loaded is not None and isinstance(machine, Reconciler):
            machine.leave(self._loaded)
        self.controllers[name] = self.driver.add(machine, name=name, renew=make)


def _scheduler(setup: SchedulerSetup, seed: str, *, takes_over: bool = False) -> SchedulerMachine:
    metrics = None
    if setup.stopwatch is not None:
        # Slow to import, and most clusters have no metrics.
        from podium.scheduler.prometheus_metrics import SchedulerMetrics

        metrics = SchedulerMetrics(setup.stopwatch)
    return SchedulerMachine(
        setup.configuration,
        setup.options,
        features=setup.features,
        rng=Random(seed),
        metrics=metrics,
        takes_over=takes_over,
    )


def _fork(rng: Random) -> Random:
    """Make a separate random generator, whose draws don't affect other parts of the cluster."""
    return Random(rng.getrandbits(64))
