"""Nominations are those of pending pods, each to one node; a pod being bound counts there."""

from podium.machines.events import Event
from podium.scheduler.machine.scheduler_machine import SchedulerMachine
from tests.sim.checkers.checker import Checker


class Nominations(Checker):
    """Compares the nominator with the pending pods, and at rest with what is stored."""

    def stepped(self, who: str, scheduler: SchedulerMachine, event: Event) -> None:
        nominator, known = scheduler.scheduler.nominator, scheduler.context
        nominated = [
            pod
            for uid, pod in known.pending.items()
            if pod.nominated_node_name and uid not in known.placed and uid not in scheduler.bindings
        ]
        for pod in nominated:
            assert pod in nominator.on(pod.nominated_node_name), pod
        names = {*scheduler.scheduler.snapshot.row_of, *(p.nominated_node_name for p in nominated)}
        counted = [pod for name in names for pod in nominator.on(name)]
        assert len(counted) == len(nominated), (counted, nominated)
        assert bool(nominator) == bool(nominated)

    def at_rest(self) -> None:
        stored = {pod["metadata"]["uid"]: pod for pod in self.world.store.list("Pod").items}
        for name in self.world.schedulers:
            scheduler = self.world.scheduler(name)
            assert scheduler is not None
            for uid, pod in scheduler.context.pending.items():
                stated = (stored[uid].get("status") or {}).get("nominatedNodeName") or ""
                assert pod.nominated_node_name == stated, (pod, pod.nominated_node_name, stated)
