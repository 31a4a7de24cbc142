"""A scheduler over a snapshot, without clock and API, which carries out decisions at once."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from random import Random

from msgspec.structs import replace

from podium.api.errors import InvalidValueError
from podium.api.objects import Object, key
from podium.api.pods import DEFAULT_SCHEDULER_NAME, is_finished, node_name_of
from podium.api.values.times import NANOS_PER_SECOND
from podium.scheduler.config.document import KubeSchedulerConfiguration
from podium.scheduler.config.scheduler_options import PreemptionScope, SchedulerOptions
from podium.scheduler.framework.cycle.binding import BindingCycle
from podium.scheduler.framework.cycle.decision import Decision
from podium.scheduler.framework.cycle.scheduling_cycle import SchedulingCycle, Timing
from podium.scheduler.framework.handle import Handle
from podium.scheduler.framework.pod_groups import PodGroups
from podium.scheduler.framework.status import Status
from podium.scheduler.framework.victim_history import VictimHistory
from podium.scheduler.plugin_registry import (
    build_pipelines,
    default_profiles,
    plugin_factories,
    resolve,
)
from podium.scheduler.preemption.policies.cross_node import reserved_rooms
from podium.scheduler.snapshot.listers import Listers
from podium.scheduler.snapshot.pod_info import PodInfo, pending_pod, placed_pod
from podium.scheduler.snapshot.snapshot import Snapshot


class Scheduler:
    """Nodes, pods, all objects that plugins read, and the scheduling cycle."""

    def __init__(
        self,
        configuration: KubeSchedulerConfiguration | None = None,
        options: SchedulerOptions | None = None,
        *,
        every_node: bool = False,
        rng: Random | None = None,
    ) -> None:
        """Create a scheduler without nodes and pods.

        Args:
            configuration: profiles and plugins; by default those of v1.36.
            every_node: ignore the configuration's limits on nodes and candidates.
            rng: chooses where a limited search for candidates starts; None searches all.
        """
        options = options or SchedulerOptions()
        self.handle = handle = Handle(
            Snapshot(),
            Listers(),
            history=VictimHistory(is_kept=options.remembers_victims),
            options=options,
            rng=None if every_node else rng,
            gangs=PodGroups(options.gangs) if options.gangs else None,
        )
        self.snapshot = handle.snapshot
        self.listers = handle.listers
        self.nominator = handle.nominator
        self.budgets = handle.budgets
        self.preempting = handle.preempting
        self.clock = handle.clock
        self.history = handle.history
        self.preferred = handle.preferred
        """Nodes to choose where several are best; without, the smallest name is chosen."""
        self.watch: Callable[[Decision], None] | None = None
        """Called with each decision, before anything of it is applied."""
        factories = plugin_factories()
        profiles = resolve(configuration, factories) if configuration else default_profiles()
        self.pipelines = build_pipelines(profiles, handle, factories, every_node=every_node)
        self.binding = {name: BindingCycle(p) for name, p in self.pipelines.items()}
        crosses_nodes = options.preemption_scope is PreemptionScope.CROSS_NODE
        during = partial(reserved_rooms, handle) if crosses_nodes else None
        self._cycle = SchedulingCycle(handle, self.pipelines, during)

    def load(
        self, nodes: Iterable[Object], pods: Iterable[Object], others: Iterable[Object] = ()
    ) -> list[PodInfo]:
        """Add objects but finished pods; return unbound ones in order; raises InvalidValueError."""
        self.snapshot.set_nodes(nodes)
        for obj in others:
            self.listers.set(obj)
        pending = []
        for obj in pods:
            if is_finished(obj):
                continue
            node_name = node_name_of(obj)
            try:
                if node_name:
                    self.snapshot.add_pod(placed_pod(obj, self.snapshot.classes), node_name)
                else:
                    pending.append(self.pending(obj))
            except InvalidValueError as error:
                raise error.under(f"Pod {key(obj)}") from None
        return pending

    def pass_time(self, now_s: float) -> None:
        self.clock.now_s = now_s
        self.snapshot.pass_time(int(now_s * NANOS_PER_SECOND))

    def measure(self, timing: Timing) -> None:
        self._cycle.timing = timing

    def pending(self, obj: Object) -> PodInfo:
        """Return a `PodInfo` for a pod to schedule; nominate the pod if its status says so."""
        pod = pending_pod(obj, self.snapshot.classes)
        if pod.nominated_node_name:
            self.nominator.nominate(pod, pod.nominated_node_name)
        return pod

    def decide(self, pod: PodInfo, scheduler_name: str = DEFAULT_SCHEDULER_NAME) -> Decision:
        decision = self._cycle.decide(pod, scheduler_name)
        if self.watch is not None:
            self.watch(decision)
        return decision

    def bind(self, pod: PodInfo, node_name: str) -> PodInfo:
        self.nominator.withdraw(pod)
        bound = PodInfo(pod.obj, self.snapshot.classes.placed(pod.cls))
        self.snapshot.add_pod(bound, node_name)
        return bound

    def commit(self, pod: PodInfo, node_name: str, scheduler_name: str) -> Status:
        """Assume a pod on the node of its decision and run its binding cycle at once.

        Pods that Permit plugins let wait are bound or removed when one of them decides so. Returns
        success if the pod is bound, and `Wait` if it stays assumed, as a Permit plugin waits.
        Otherwise it has been removed from the node again.
        """
        cycle, waiting = self.binding[scheduler_name], self.handle.waiting
        bound = self.bind(pod, node_name)

        def settle(status: Status) -> Status:
            if status.is_success:
                status = cycle.bind(pod, node_name)
            else:
                cycle.unreserve(pod, node_name)
            if not status.is_success:
                self.snapshot.remove_pod(bound)
            return status

        status = cycle.reserve(pod, node_name)
        if not status.is_success:
            self.snapshot.remove_pod(bound)
            return status
        permit = cycle.permit(pod, node_name)
        if permit.waits_s:
            waiting.add(pod, node_name, permit.waits_s, self.clock.now_s, settle)
        status = permit.status if permit.waits_s else settle(permit.status)
        waiting.settle()
        return status

    def preempt(self, decision: Decision) -> None:
        """Remove the victims of a decision, and nominate its pod or clear the pod's nomination."""
        post_filter = decision.post_filter
        if post_filter is None or post_filter.nominated_node_name is None:
            return
        self.history.preempted(post_filter.victims, self.clock.now_s, decision.pod.uid)
        for victim in post_filter.victims:
            self.snapshot.remove_pod(victim)
            self.history.gone(victim.uid)
        if post_filter.victims:
            for pod in self.nominator.lower_on(decision.pod, post_filter.nominated_node_name):
                self.nominator.withdraw(pod)
        self.nominator.nominate(decision.pod, post_filter.nominated_node_name)


@contextmanager
def without_preemption(scheduler: Scheduler) -> Iterator[None]:
    """Disable preemption in all profiles while the context is active."""
    kept = dict(scheduler.pipelines)
    for name, pipeline in kept.items():
        scheduler.pipelines[name] = replace(pipeline, post_filter=())
    try:
        yield
    finally:
        scheduler.pipelines.update(kept)
