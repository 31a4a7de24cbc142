"""A small cluster in virtual time: API server, schedulers, kubelets, a user, and checkers.

    world = World(seed=7, settings=Settings())
    world.user.keep_busy(duration_s=60)
    world.run()

Everything follows from the seed. Checkers look on after every step; `run` ends with the cluster at
rest, where they look more closely.
"""

from collections import deque
from collections.abc import Callable
from functools import partial
from hashlib import sha256
from random import Random

from podium.apiserver.server import ApiServer
from podium.apiserver.store.store import Store
from podium.cluster.drivers.driver_events import Called, DriverEvent, Hook, Started, Stepped
from podium.cluster.drivers.faults import NO_FAULTS
from podium.cluster.drivers.virtual import MachineHandle, VirtualDriver
from podium.controllers.disruption import DisruptionController
from podium.controllers.pod_gc import PodGCController
from podium.kubelet.simulated.behaviour import Behaviour, NodeSettings, fixed
from podium.kubelet.simulated.simulated_kubelets import SimulatedKubelets
from podium.machines.events import Change, FirstList
from podium.machines.machine import Machine
from podium.scheduler.config.document import KubeSchedulerConfiguration
from podium.scheduler.config.load import default_configuration
from podium.scheduler.config.scheduler_options import SchedulerOptions
from podium.scheduler.machine.scheduler_machine import SchedulerMachine
from tests.sim.checkers import Checker, Told, all_checkers
from tests.sim.settings import Settings
from tests.sim.user import User

START_S = 1_767_225_600.0
# After this time every pod is tried again that has waited for an event in vain.
LEFTOVERS_S = 330.0
# Longer than anything that waits: backoffs, grace periods, pods of nodes that have gone.
QUIET_S = 60.0
REST_S_MAX = 1_800.0
TAIL_LENGTH = 60


class World:
    """The cluster."""

    def __init__(self, seed: int, settings: Settings) -> None:
        rng = Random(seed)
        self.settings = settings
        self.store = Store()
        self.server = ApiServer(self.store, fork(rng))
        self.server.bootstrap(START_S)
        self.driver = VirtualDriver(
            self.server, START_S, fork(rng), settings.faults, settings.latency
        )
        self.tail: deque[DriverEvent] = deque(maxlen=TAIL_LENGTH)
        self.told: dict[str, Told] = {}
        self._digest = sha256()
        self._last_call_s = START_S
        self._observe(self._note)
        self.schedulers: dict[str, MachineHandle] = {}
        self.checkers: list[Checker] = all_checkers(self)
        for checker in self.checkers:
            self._observe(checker.after)
        self.user = User(
            self.server,
            self.driver,
            fork(rng),
            settings.schedulers,
            changes_nodes=settings.changes_nodes,
        )
        self.user.set_up()
        self._start_machines()

    def run(self) -> None:
        """Let the user's plans happen, then everything come to rest without faults."""
        self.driver.run_until(self.user.busy_until_s)
        self.driver.faults = NO_FAULTS
        self._settle()
        for checker in self.checkers:
            checker.at_rest()
        self.driver.advance(LEFTOVERS_S)
        self._settle()
        for checker in self.checkers:
            checker.long_at_rest()

    def _settle(self) -> None:
        """Let time pass until nobody has called anything for long, but for recording events."""
        end_s = self.driver.now_s + REST_S_MAX
        self._last_call_s = self.driver.now_s
        while self.driver.now_s < self._last_call_s + QUIET_S:
            assert self.driver.now_s < end_s, "the cluster doesn't come to rest"
            self.driver.advance(QUIET_S / 10)

    def scheduler(self, name: str) -> SchedulerMachine | None:
        """A scheduler that runs; None while it is crashed, or if there is none of that name."""
        handle = self.schedulers.get(name)
        machine = None if handle is None else handle.machine
        assert machine is None or isinstance(machine, SchedulerMachine)
        return machine

    def configuration_of(self, scheduler_name: str) -> KubeSchedulerConfiguration:
        """The default configuration under another name."""
        configuration = default_configuration()
        profiles = tuple(
            profile.model_copy(update={"scheduler_name": scheduler_name})
            for profile in configuration.profiles
        )
        return configuration.model_copy(update={"profiles": profiles})

    def digest(self) -> str:
        """A fingerprint of everything that was called."""
        return self._digest.hexdigest()

    def _start_machines(self) -> None:
        for make in (_kubelets, PodGCController):
            self.driver.add(make(), renew=make)
        self.driver.add(DisruptionController(), renew=DisruptionController)
        for name in self.settings.schedulers:
            make: Callable[[], Machine] = partial(
                SchedulerMachine,
                self.configuration_of(name),
                # Two schedulers that share all nodes get in each other's way, and mayn't rest.
                SchedulerOptions(livelock_backoff_s="0s"),
                features=self.settings.features,
            )
            self.schedulers[name] = self.driver.add(make(), name=name, renew=make)

    def _observe(self, hook: Hook) -> None:
        self.driver.hooks.append(hook)
        self.driver.step_hooks.append(hook)

    def _note(self, happening: DriverEvent) -> None:
        self.tail.append(happening)
        if isinstance(happening, Started):
            self.told[happening.who] = Told()
        elif isinstance(happening, Stepped) and happening.who in self.settings.schedulers:
            event, told = happening.event, self.told[happening.who]
            if isinstance(event, Change):
                told.take_in(event)
            elif isinstance(event, FirstList):
                for obj in event.objects.values():
                    told.take_in(Change(event.kind, None, obj))
        elif isinstance(happening, Called):
            called = (happening.at_s, happening.who, happening.effect, happening.error)
            self._digest.update(repr(called).encode())
            if getattr(happening.effect, "kind", "") != "Event":
                self._last_call_s = happening.at_s


def _kubelets() -> SimulatedKubelets:
    return SimulatedKubelets(NodeSettings(behaviour=Behaviour(startup=fixed(1.0))))


def fork(rng: Random) -> Random:
    """A generator of its own, so that what one part draws doesn't change the others."""
    return Random(rng.getrandbits(64))
