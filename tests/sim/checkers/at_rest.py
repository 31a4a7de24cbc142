"""At rest nothing is half done, and no pending pod fits anywhere."""

from podium.api import objects as meta
from podium.api.kinds.builtin_kinds import KINDS
from podium.api.objects import Object
from podium.api.pods import is_finished, node_name_of, nominated_node_of, scheduler_name_of
from podium.api.policy.disruption_budgets import Budget
from podium.scheduler.scheduler import Scheduler
from tests.sim.checkers.checker import Checker

_LOOKED_UP = frozenset(KINDS) - {"Pod", "Node", "Event", "PodDisruptionBudget"}


class AtRest(Checker):
    """Looks at what is stored, and asks a scheduler that knows nothing of what went before.

    A pod may keep its nomination that was told to wait for a terminating pod on its node: of that
    pod's end nobody tells it, unless its plugins care, until all pods are tried again (v1.36).
    """

    def at_rest(self) -> None:
        for name in self.world.schedulers:
            scheduler = self.world.scheduler(name)
            assert scheduler is not None
            assert not list(scheduler.bindings), "bindings are under way"
            assert not len(scheduler.preemptions), "preemptions are under way"
            assert scheduler.context.dispatcher.is_idle(), "something is still to be written"
        terminating = [meta.key(pod) for pod in self._stored("Pod") if meta.is_terminating(pod)]
        assert not terminating, "pods that were deleted are still there"
        self._check_pending()

    def long_at_rest(self) -> None:
        nominated = [meta.key(pod) for pod in self._stored("Pod") if nominated_node_of(pod)]
        assert not nominated, "pods are nominated to nodes that have no room for them"
        self.at_rest()

    def _check_pending(self) -> None:
        for name in self.world.schedulers:
            pending = [
                pod
                for pod in self._stored("Pod")
                if not node_name_of(pod) and not is_finished(pod) and scheduler_name_of(pod) == name
            ]
            fresh = self._fresh_scheduler(name, pending)
            for pod in pending:
                if not nominated_node_of(pod):
                    self._check_pod(fresh, pod, name)

    def _check_pod(self, fresh: Scheduler, pod: Object, name: str) -> None:
        decision = fresh.decide(fresh.pending(pod), name)
        if decision.gate is not None:
            return
        assert not decision.node_name, f"{meta.key(pod)} fits on {decision.node_name}"
        preemption = decision.preemption
        where = "" if preemption is None else preemption.node_name
        assert not where, f"{meta.key(pod)} could preempt on {where}"

    def _fresh_scheduler(self, name: str, pending: list[Object]) -> Scheduler:
        fresh = Scheduler(self.world.configuration_of(name), every_node=True)
        others = [obj for kind in sorted(_LOOKED_UP) for obj in self._stored(kind)]
        placed = [pod for pod in self._stored("Pod") if node_name_of(pod)]
        fresh.load(self._stored("Node"), [*placed, *pending], others)
        fresh.budgets.replace(Budget.of(pdb) for pdb in self._stored("PodDisruptionBudget"))
        return fresh

    def _stored(self, kind: str) -> list[Object]:
        return list(self.world.store.list(kind).items)
