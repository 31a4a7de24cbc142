"""The decisions about one pod, all of each.

A pod that waits, or comes in the course of a plan, is explained when `planning.plan` decides it, in
the same play. A pod that has a place, and keeps it, is taken off it first.
"""

from difflib import get_close_matches
from typing import Any

from podium.api.errors import PodiumError
from podium.api.objects import Object, controller_of, is_terminating, key, uid
from podium.api.pods import is_finished, node_name_of, scheduler_name_of
from podium.api.priority import preemption_policy
from podium.core.decision import Decision
from podium.core.explanation import Explanation, explain, failure_message
from podium.explaining.obstacles import obstacles
from podium.explaining.remedies import Remedy, remedies
from podium.plan.blockers import blockers
from podium.plan.completeness import completeness_warnings, limits_of_the_model
from podium.plan.explanation import DecisionView, NodeScore, PodExplanation, PreemptionView
from podium.plan.freed_ports import freed_ports
from podium.plan.play import Play
from podium.plan.request import Request
from podium.plugins.inter_pod_affinity import InterPodAffinity

_ALL = 1 << 62
# Their pods come again under the same names.
_KEEPING_NAMES = frozenset({"StatefulSet"})


class ExplainError(PodiumError):
    """The pod can't be explained."""


def explain_pod(request: Request, pod_key: str) -> PodExplanation:
    """Explain the decisions about a pod.

    Args:
        request: state and changes.
        pod_key: `namespace/name`.

    Raises:
        ExplainError: there is no such pod, or nobody decides about it.
        TargetError: something to delete isn't there.
    """
    play = Play(request)
    pods = play.cluster.store.list("Pod").items
    pod = next((one for one in pods if key(one) == pod_key), None)
    play.start()
    _check(pod, play, request)
    watcher = _Watcher(play, pod_key)
    was_on = "" if pod is None else node_name_of(pod)
    if not was_on or (controller_of(pod or {}) or {}).get("kind") in _KEEPING_NAMES:
        _watch(play, request, watcher)
    if pod is not None and was_on and not watcher.views:
        watcher = _decided_alone(request, pod, pod_key)
    else:
        was_on = ""
    subject = watcher.pod
    if subject is None:
        raise ExplainError(_why_missing(play, pod_key))
    model = limits_of_the_model([subject], has_gangs=play.has_gangs)
    warnings = completeness_warnings(play.state.values(), play.applied.values())
    return PodExplanation(
        **play.owners().row_of(subject),
        preemption_policy=preemption_policy(subject),
        scheduler_name=scheduler_name_of(subject),
        was_on=was_on,
        decisions=tuple(watcher.views),
        remedies=tuple(watcher.remedies),
        warnings=(*play.notes, *warnings, *model.warnings),
        notes=tuple(model.notes),
    )


class _Watcher:
    """Takes down the decisions about one pod that come to something new.

    Attributes:
        views: of the decisions, in order.
        pod: as it was decided about last; None before.
        remedies: what would give it a place, if it has none in the end.
    """

    def __init__(self, play: Play, pod_key: str) -> None:
        self.views: list[DecisionView] = []
        self.pod: Object | None = None
        self.remedies: list[Remedy] = []
        self._play = play
        self._pod_key = pod_key
        self.place = tuple(pod_key.split("/", 1))

    def __call__(self, decision: Decision) -> None:
        if decision.pod.key == self._pod_key:
            view = self._view(decision)
            self.pod = decision.pod.obj
            if not self.views or _gist(view) != _gist(self.views[-1]):
                self.views.append(view)
        self._play.preemptions.record(decision)

    def _view(self, decision: Decision) -> DecisionView:
        scheduler = self._play.scheduler
        explanation = explain(decision, scheduler.snapshot)
        closed = [
            node
            for node, status in explanation.filter.items()
            if status.plugin == InterPodAffinity.name and "anti-affinity" in status.message
        ]
        snapshot = scheduler.snapshot
        return DecisionView(
            node=decision.node_name,
            error=decision.error,
            message="" if decision.node_name else failure_message(decision, snapshot),
            gate=decision.gate,
            pre_filter=decision.pre_filter,
            is_nominated_only=decision.nominated_only,
            filter=explanation.filter,
            obstacles=obstacles(decision, scheduler, explanation.filter),
            feasible=explanation.feasible,
            scored=tuple(
                NodeScore(node, explanation.scores[node], explanation.totals[node])
                for node in explanation.feasible
                if node in explanation.scores
            ),
            best=explanation.best,
            preemption=self._preemption(decision, explanation),
            blockers=tuple(blockers(snapshot, scheduler.listers, decision.pod, closed)),
            freed_ports=tuple(freed_ports(snapshot, decision.pod)),
            at_s=round(self._play.passed_s, 3),
        )

    def _preemption(self, decision: Decision, explanation: Explanation) -> PreemptionView | None:
        preemption = decision.preemption
        if preemption is None:
            return None
        outcome = None
        if preemption.node_name:
            outcome = self._play.preemptions.read(decision.pod, preemption, _ALL)
        candidates = () if outcome is None else (outcome.chosen, *outcome.alternatives)
        return PreemptionView(
            preemption.eligible,
            preemption.message,
            preemption.node_name,
            candidates,
            explanation.rejected,
            outcome,
        )


def _gist(view: DecisionView) -> tuple[Any, ...]:
    """What makes a decision worth telling beside another one."""
    outcome = None if view.preemption is None else view.preemption.outcome
    return view.node, view.message, view.error, outcome and outcome.chosen


def _watch(play: Play, request: Request, watcher: _Watcher) -> None:
    """Play the plan, and have what is decided about the pod taken down."""
    play.scheduler.watch = watcher
    play.run(request.until_s)
    pod = play.cluster.store.get("Pod", watcher.place[0], watcher.place[-1])
    if pod is None or node_name_of(pod):
        return
    if not watcher.views:
        # Who is held back by a gate isn't decided about, but can be.
        watcher(play.scheduler.decide(play.scheduler.pending(pod), scheduler_name_of(pod)))
    classes = play.cluster.store.list("PriorityClass").items
    watcher.remedies = remedies(play.scheduler, pod, scheduler_name_of(pod), classes)


def _decided_alone(request: Request, pod: Object, pod_key: str) -> _Watcher:
    """Decide about a pod as if it weren't on its node, before anybody else is decided about."""
    play = Play(request)
    play.start()
    watcher = _Watcher(play, pod_key)
    machine, scheduler = play.machine, play.scheduler
    machine.handlers.settle_budgets()
    scheduler.snapshot.remove_pod(machine.context.placed[uid(pod)])
    watcher(scheduler.decide(scheduler.pending(_unbound(pod)), scheduler_name_of(pod)))
    return watcher


def _check(pod: Object | None, play: Play, request: Request) -> None:
    if pod is None:
        return
    if is_finished(pod):
        raise ExplainError(f"{key(pod)} has finished: there is nothing to schedule any more")
    if is_terminating(pod):
        is_deleted = any(is_terminating(one) for one in play.pods_before if key(one) == key(pod))
        why = "is being deleted and won't be scheduled" if is_deleted else "is deleted"
        raise ExplainError(f"{key(pod)} {why}")
    profiles = play.scheduler.pipelines
    if scheduler_name_of(pod) not in profiles:
        names = ", ".join(profiles)
        raise ExplainError(
            f"{key(pod)} asks for the scheduler {scheduler_name_of(pod)}; the profiles are {names}"
        )


def _why_missing(play: Play, pod_key: str) -> str:
    for rejected in play.rejected:
        if rejected.object == f"Pod {pod_key}":
            return rejected.message
    place, _, called = pod_key.partition("/")
    if ("Pod", place, called) in play.deleted:
        return f"{pod_key} is deleted"
    keys = [key(pod) for pod in (*play.pods_before, *play.cluster.store.list("Pod").items)]
    if pod_key in keys:
        return f"{pod_key} isn't decided about while the plan is played"
    pods = {one.partition("/")[2]: one for one in keys}
    similar = get_close_matches(pod_key.partition("/")[2], pods, n=5, cutoff=0.7)
    hint = f"; similar are {', '.join(pods[one] for one in similar)}" if similar else ""
    return f"there is no pod {pod_key}{hint}"


def _unbound(pod: Object) -> Object:
    """The pod as it was before it had a place."""
    spec = {field: value for field, value in pod["spec"].items() if field != "nodeName"}
    return {**pod, "spec": spec, "status": {"phase": "Pending"}}
