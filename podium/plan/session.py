"""Decisions of a plan one after the other, without time: victims are gone at once.

This is how single decisions are explained. What comes of them in the course of time, with pods that
come again and budgets that recover, is played (`podium.plan.playing`).
"""

from collections.abc import Mapping
from random import Random
from typing import Any

from podium.api.meta import uid
from podium.config.load import default_configuration
from podium.config.options import SchedulerOptions
from podium.core.pods import PodInfo, placed_pod
from podium.node.admission import objection
from podium.node.load import Load
from podium.plan.budgets import BudgetBook
from podium.plan.preparing import Prepared, Request
from podium.plan.queue import in_queue_order, scheduler_name
from podium.plan.run import Decided, Run, Watch
from podium.plan.state import node_name
from podium.plan.victims import CandidateReader
from podium.scheduler import Scheduler

Object = Mapping[str, Any]

_DECIDED_SEPARATELY = frozenset({"Node", "Pod", "PodDisruptionBudget"})


class Session:
    """A scheduler over a prepared state.

    Attributes:
        scheduler: over nodes and pods that have a place.
        reader: of preemption candidates.

    Args:
        prepared: the state, with the changes made.
        request: for the configuration.
        watch: told of every decision right after it was made, before anything changes.
    """

    def __init__(self, prepared: Prepared, request: Request, watch: Watch | None = None) -> None:
        loaded = request.configuration
        configuration = loaded.configuration if loaded else default_configuration()
        options = loaded.options if loaded else SchedulerOptions()
        self._prepared = prepared
        self.scheduler = Scheduler(configuration, options, rng=Random(request.seed))
        self._load()
        book = BudgetBook(prepared.before, prepared.after)
        self.scheduler.set_budgets(book.current())
        self.reader = CandidateReader(self.scheduler.snapshot, self.scheduler.budgets)
        self._run = Run(
            self.scheduler,
            book,
            self.reader,
            alternatives_max=request.alternatives_max,
            watch=watch,
        )

    @property
    def decided(self) -> Decided:
        """What has come of pods so far."""
        return self._run.decided

    def decide_all(self) -> None:
        """Place the new pods that name their nodes, then all others in queue order."""
        self._start_on_named_nodes()
        self._run.work_off(self._own())

    def decide_alone(self, pod_key: str) -> None:
        """Decide about one pod that waits, as if nobody was before it in the queue."""
        self._start_on_named_nodes()
        # All of them are made known: they may be nominated, and then count.
        self._run.work_off([pod for pod in self._own() if pod.key == pod_key])

    def _load(self) -> None:
        state = self._prepared.after
        new = {uid(pod) for pod in self._prepared.arrivals}
        placed = [pod for pod in state.pods if node_name(pod) and uid(pod) not in new]
        others = [obj for obj in state if obj["kind"] not in _DECIDED_SEPARATELY]
        self.scheduler.load(state.of_kind("Node"), placed, others)

    def _own(self) -> list[PodInfo]:
        """The pods that these profiles decide, in the order in which they leave the queue."""
        profiles = self.scheduler.pipelines
        infos = [
            self.scheduler.pending(pod)
            for pod in self._prepared.undecided()
            if scheduler_name(pod) in profiles
        ]
        # All profiles sort the queue in the same way: the configuration has to see to it.
        queue_sort = next(iter(profiles.values())).queue_sort
        return in_queue_order(infos, queue_sort)

    def _start_on_named_nodes(self) -> None:
        snapshot = self.scheduler.snapshot
        for obj in self._prepared.named():
            wanted = node_name(obj)
            pod, row = placed_pod(obj, snapshot.classes), snapshot.row_of.get(wanted)
            node = None if row is None else snapshot.nodes[row]
            if row is None or node is None:
                continue
            if objection(node, Load(snapshot.pods_on[row]), pod) is None:
                snapshot.add_pod(pod, wanted)
                self._run.decided.place(pod, wanted, by_node_name=True)
