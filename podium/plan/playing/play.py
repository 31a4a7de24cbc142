"""A prepared plan in a cluster of its own, from its beginning until it is over."""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any

from podium.api.meta import annotations, uid
from podium.api.times import timestamp
from podium.apiserver.admission.chain import PLUGINS
from podium.apiserver.admission.plugin import AdmissionOptions
from podium.cluster import Cluster, ClusterOptions, SchedulerSetup
from podium.config.load import Loaded as LoadedConfiguration
from podium.controllers.kit.pods import condition_of
from podium.controllers.scheduler.machine import SchedulerMachine
from podium.node.pressure.config import EvictionConfig
from podium.node.simulated.behaviour import CONDITIONS, DOWN, Behaviour
from podium.node.simulated.durations import ScriptedDuration
from podium.node.simulated.settings import NodeSettings
from podium.plan.budgets import BudgetBook
from podium.plan.playing.budget_keeping import BudgetKeeper
from podium.plan.playing.chronicle import Chronicle
from podium.plan.playing.decisions import Preempted
from podium.plan.playing.replacing import RECREATING, Replacements
from podium.plan.state import State
from podium.plan.victims import CandidateReader
from podium.scheduler import Scheduler

Object = Mapping[str, Any]
Progress = Callable[[float], None]
"""Is told how many seconds of a plan have passed."""

PROGRESS_EVERY_S = 0.1

# So long is a decision taken to last: no calls are still under way when the next one is made.
DECISION_S = 0.001

# Images aren't known, nor probes; so long after it is bound a new pod is taken to be ready, and a
# pod that has to go takes all of its grace period.
STARTUP_S = 2.0

_IDENTIFIED = RECREATING | {"Pod", "Deployment"}
# What is loaded has been admitted, and what comes in place of lost pods is like them.
_ADMISSION = AdmissionOptions(
    disabled=frozenset(plugin.name for plugin in PLUGINS if plugin.on_by_default)
)
_BEHAVIOUR = Behaviour(startup=ScriptedDuration(STARTUP_S, STARTUP_S))
_CONTROLLERS = frozenset(
    {"taint-eviction-controller", "persistentvolume-controller", "volume-provisioner"}
)
_HEALTHY = {"MemoryPressure": "False", "DiskPressure": "False", "PIDPressure": "False"}


class Play:
    """One run of a plan.

    Attributes:
        chronicle: what happened to pods.
        preempted: preemptions.
        replacements: which pods came in place of which.

    Args:
        state: with all changes made.
        coming: new pods and pods that wait, in order of arrival; they are in the state.
        lost: pods that the changes have taken off their nodes.
        book: of the budgets, before anything happens.
        configuration: the scheduler's; v1.36's default one if None.
        eviction: when nodes evict pods.
        start_s: the time at which it begins, in seconds since the epoch.
        seed: for what is left to chance; with 0 the first of equal nodes by name is taken.
        alternatives_max: how many candidates besides the chosen one each preemption reports.
    """

    def __init__(
        self,
        state: State,
        coming: Iterable[Object],
        lost: Iterable[Object],
        book: BudgetBook,
        configuration: LoadedConfiguration | None,
        *,
        eviction: EvictionConfig,
        start_s: float,
        seed: int,
        alternatives_max: int,
    ) -> None:
        self._coming = [_identified(pod) for pod in coming]
        self._lost = [_identified(pod) for pod in lost]
        self._start_s = start_s
        setup = SchedulerSetup(
            configuration=configuration.configuration if configuration else None,
            options=configuration.options if configuration else None,
            decision_s=DECISION_S,
        )
        options = ClusterOptions(
            seed=seed,
            start_s=start_s,
            schedulers=(setup,),
            controllers=_CONTROLLERS,
            provisioning_s=0.0,
            nodes=NodeSettings(seed=seed, behaviour=_BEHAVIOUR, eviction=eviction),
            admission=_ADMISSION,
        )
        self._cluster = Cluster(options)
        self._cluster.load(_loaded(state, self._coming, book), defaulted=True)
        self.chronicle = Chronicle(start_s)
        self.replacements = Replacements(self._lost)
        self._cluster.driver.add(BudgetKeeper(book, start_s))
        self._cluster.driver.add(self.chronicle)
        self._cluster.driver.add(self.replacements)
        self._cluster.start()
        if seed:
            self.scheduler.snapshot.tie_key = partial(_shuffled, seed)
        self.preempted = Preempted(
            CandidateReader(self.scheduler.snapshot, self.scheduler.budgets),
            alternatives_max,
            lambda: round(self.passed_s, 3),
        )
        self.scheduler.watch = self.preempted

    @property
    def scheduler(self) -> Scheduler:
        """Decides; of use also when the play is over."""
        (handle,) = self._cluster.schedulers.values()
        machine = handle.machine
        if not isinstance(machine, SchedulerMachine):
            raise TypeError("there is no scheduler")
        return machine.scheduler

    def run(self, until_s: float, progress: Progress | None = None) -> bool:
        """Let everything happen; whether it comes to its end, as nobody interrupts it by Ctrl-C.

        Args:
            until_s: for how long, in seconds.
            progress: is told from time to time how far it is.
        """
        try:
            self._begin()
            self._go_on(self._start_s + until_s, progress)
        except KeyboardInterrupt:
            return False
        finally:
            self.scheduler.watch = None
        return True

    @property
    def passed_s(self) -> float:
        """How long it has been played for, in seconds."""
        return self._cluster.driver.now_s - self._start_s

    def _begin(self) -> None:
        driver = self._cluster.driver
        driver.run_until(self._start_s)
        # Nodes refuse what they can't start before anybody decides about other pods.
        self._bring(pod for pod in self._coming if pod["spec"].get("nodeName"))
        driver.run_until(self._start_s)
        self._bring(pod for pod in self._coming if not pod["spec"].get("nodeName"))

    def _go_on(self, end_s: float, progress: Progress | None) -> None:
        driver = self._cluster.driver
        while (now_s := driver.now_s) < end_s:
            # Hours in which nothing happens are one piece.
            next_s = driver.next_s()
            piece_s = end_s if next_s is None else max(now_s + PROGRESS_EVERY_S, next_s)
            driver.run_until(min(end_s, piece_s))
            if progress is not None:
                progress(self.passed_s)

    def _bring(self, pods: Iterable[Object]) -> None:
        for pod in pods:
            metadata = {"creationTimestamp": timestamp(self._start_s), **pod["metadata"]}
            self._cluster.store.create("Pod", {**pod, "metadata": metadata})


def _loaded(state: State, coming: Iterable[Object], book: BudgetBook) -> Iterator[Object]:
    """The objects of a state as the cluster begins with them; those that come follow later."""
    later = {uid(pod) for pod in coming}
    for obj in state:
        match obj["kind"]:
            case "Pod" if uid(obj) in later:
                continue
            case "Node":
                yield _as_it_is(obj)
            case "PodDisruptionBudget":
                continue
            case kind if kind in _IDENTIFIED:
                yield _identified(obj)
            case _:
                yield obj
    for pdb, allowed in book.statuses():
        status = {**(pdb.get("status") or {}), "disruptionsAllowed": allowed}
        yield {**pdb, "status": status}


def _shuffled(seed: int, node_name: str) -> str:
    """Sorts nodes in an order that has nothing to do with their names."""
    return hashlib.sha256(f"{seed}/{node_name}".encode()).hexdigest()


def _identified(obj: Object) -> Object:
    """An object under the uid by which others refer to it."""
    if obj["metadata"].get("uid"):
        return obj
    return {**obj, "metadata": {**obj["metadata"], "uid": uid(obj)}}


def _as_it_is(node: Object) -> Object:
    """A node that stays as healthy or unhealthy as it is."""
    ready = condition_of(node, "Ready")
    scripted = annotations(node)
    script: dict[str, str] = {}
    if ready is not None and ready.get("status") == "Unknown":
        script[DOWN] = "true"
    odd = [
        f"{one['type']}={one['status']}"
        for one in (node.get("status") or {}).get("conditions") or ()
        if _HEALTHY.get(one["type"], "True" if one["type"] == "Ready" else one.get("status"))
        != one.get("status")
    ]
    if odd:
        script[CONDITIONS] = ",".join(odd)
    if not script or scripted.keys() & script.keys():
        return node
    return {**node, "metadata": {**node["metadata"], "annotations": {**scripted, **script}}}
