"""Explanations of all decisions about one pod.

A pending pod, or a pod that is created during a plan, is explained by the decisions of the plan. A
pod that stays on its node is removed from it first, and then decided about.
"""

from dataclasses import replace
from difflib import get_close_matches

from podium.api.documents.report import pod_facts
from podium.api.errors import PodiumError
from podium.api.objects import (
    Object,
    condition_of,
    controller_key,
    controller_kind,
    is_terminating,
    key,
    metadata_of,
    name,
    status_of,
    uid,
    without,
)
from podium.api.pods import is_finished, node_name_of, scheduler_name_of
from podium.api.policy.disruption_budgets import CountedBudget, scale_finder
from podium.api.priority import preemption_policy
from podium.api.resources import stored_or_computed_qos
from podium.api.values.times import NANOS_PER_SECOND
from podium.cluster.virtual import Cluster
from podium.cluster.virtual.loading.unhealthy_objects import is_silent
from podium.kubelet.kubelets import Kubelets
from podium.kubelet.pod_status import REJECTED
from podium.scheduler.explain.remedies import Remedy, remedies
from podium.simulation.timeline.timeline_sentences import overslept
from podium.whatif.explain.decision_watcher import DecisionWatcher
from podium.whatif.explain.explanation import KubeletAdmission, PodExplanation, StoppedPod
from podium.whatif.plan.changes import ChangeTarget, parse_workload
from podium.whatif.plan.outcome.timeline import Timeline
from podium.whatif.plan.play import Play
from podium.whatif.plan.request import PlanRequest

_SIMILAR_MAX = 5
_WHY_IT_SLEEPS = (
    "kube-scheduler's queueing hints miss some events that help a pod; it looks every 30 s for "
    "pods that have waited for more than 5 minutes."
)


def explain_named(request: PlanRequest, named: str, namespace: str) -> PodExplanation:
    """Explain the decisions about a pod, or a pod of a workload; raises like `explain_pod`.

    `named` is `[NAMESPACE/]POD`, `pod/POD`, or `[NAMESPACE/]KIND/NAME` of a workload.
    """
    workload = parse_workload(named, namespace)
    if workload is not None:
        return explain_workload(request, workload)
    pod = named.removeprefix("pod/")
    return explain_pod(request, pod if "/" in pod else f"{namespace}/{pod}")


def explain_workload(request: PlanRequest, workload: ChangeTarget) -> PodExplanation:
    """Explain the decisions about one pod of a workload; raises like `explain_pod`.

    The pod is the first one that is pending in the end; if none is, the first one created during
    the plan; if none was, the oldest.
    """
    play = Play(request)
    play.run(request.until_s)
    owners, before = play.owners(), play.before.by_uid
    turns = {uid: turn for turn, uid in enumerate(Timeline(play).histories.by_uid)}
    ranked = []
    for pod in play.cluster.store.list("Pod").items:
        is_over = is_finished(pod) or is_terminating(pod)
        is_shown = not is_over or (uid(pod) not in before and _was_refused(pod))
        if is_shown and workload in owners.above(controller_key(pod)):
            age = metadata_of(pod).get("creationTimestamp") or ""
            # Of many that are refused, one after the other, only the first is there at the start.
            turn = turns[uid(pod)] if is_over else 0
            rank = is_over, bool(node_name_of(pod)), uid(pod) in before, turn, age, name(pod)
            ranked.append((*rank, key(pod)))
    if not ranked:
        raise PodiumError(f"{workload} has no pods, or isn't there")
    is_over, has_place, *_, chosen = min(ranked)
    which = "that waits" if not has_place else "that has its place"
    which = "that its node refuses" if is_over else which
    note = f"It is the first pod of {workload} {which}."
    explanation = explain_pod(request, chosen)
    return replace(explanation, notes=(note, *explanation.notes))


def explain_pod(request: PlanRequest, pod_key: str) -> PodExplanation:
    """Explain the decisions about a pod, `namespace/name`; raises PodiumError."""
    play = Play(request)
    pod = play.cluster.store.get("Pod", *pod_key.split("/", 1))
    if pod is not None and node_name_of(pod) and uid(pod) not in play.before.by_uid:
        admission = _kubelet_admission(play.cluster, pod)
        return PodExplanation(
            **play.owners().row_of(pod),
            preemption_policy=preemption_policy(pod),
            scheduler_name=scheduler_name_of(pod),
            bound_to=node_name_of(pod) if admission.admitted else "",
            admission=admission,
            decisions=(),
            warnings=(*play.notes, *request.missing()),
        )
    # The pods of a StatefulSet come again under the same names.
    comes_again = controller_kind(pod or {}) == "StatefulSet"
    if not comes_again:
        _check(pod, play)
    watcher = _watcher(play, pod_key)
    was_on, helpful = "" if pod is None else node_name_of(pod), list[Remedy]()
    if not was_on or comes_again:
        helpful = _watch(play, request, watcher, pod_key)
    if comes_again and not watcher.views:
        _check(pod, play)
    if pod is not None and was_on and not watcher.views:
        play = Play(request) if comes_again else play
        # Decide about the pod as if it weren't on its node, before any other pod is decided.
        watcher = _watcher(play, key(pod))
        machine, scheduler = play.machine, play.scheduler
        machine.handlers.settle_budgets()
        scheduler.snapshot.remove_pod(machine.context.placed[uid(pod)])
        spec, status = without(pod["spec"], "nodeName"), {"phase": "Pending"}
        pending = scheduler.pending({**pod, "spec": spec, "status": status})
        watcher(scheduler.decide(pending, scheduler_name_of(pod)))
    else:
        was_on = ""
    subject = watcher.pod
    if subject is None:
        raise PodiumError(_why_missing(play, pod_key))
    notes = play.notes_on_the_model([subject])
    return PodExplanation(
        **play.owners().row_of(subject),
        preemption_policy=preemption_policy(subject),
        scheduler_name=scheduler_name_of(subject),
        bound_to=was_on,
        decisions=tuple(watcher.views),
        sleep="" if was_on else _sleep(play, request, pod, watcher),
        remedies=tuple(helpful),
        warnings=(*play.notes, *request.missing()),
        notes=tuple(notes),
    )


def _watcher(play: Play, pod_key: str) -> DecisionWatcher:
    return DecisionWatcher(play.scheduler, play.preemptions, lambda: play.passed_s, pod_key)


def _watch(
    play: Play, request: PlanRequest, watcher: DecisionWatcher, pod_key: str
) -> list[Remedy]:
    # A pod that waits for an event since before the plan isn't decided at the start: record why
    # it has no place.
    machine, scheduler, store = play.machine, play.scheduler, play.cluster.store
    for queued, _ in machine.queue.waiting_for_events():
        if queued.pod.key == pod_key:
            machine.handlers.settle_budgets()
            decision = scheduler.decide(queued.pod, queued.scheduler_name)
            preempts = decision.post_filter is not None and decision.post_filter.victims
            if not decision.node_name and not preempts:
                watcher(decision)
    play.run(request.until_s, watch=watcher)
    pod = store.get("Pod", *pod_key.split("/", 1))
    if pod is None or node_name_of(pod):
        return []
    if not watcher.views:
        # A pod that a gate holds back isn't decided, but can be.
        watcher(scheduler.decide(scheduler.pending(pod), scheduler_name_of(pod)))
    gangs = scheduler.handle.gangs
    if gangs is not None and gangs.gang_of(pod) is not None:
        # What would help the pod alone doesn't help its gang.
        return []
    now_ns = int(play.cluster.driver.now_s * NANOS_PER_SECOND)

    def budget_of(budget_key: str) -> CountedBudget | None:
        namespace, _, budget_name = budget_key.partition("/")
        budget = store.get("PodDisruptionBudget", namespace, budget_name)
        pods, scale_of = store.list("Pod", namespace).items, scale_finder(store.get)
        return None if budget is None else CountedBudget.of(budget, pods, scale_of, now_ns)

    classes = store.list("PriorityClass").items
    return remedies(scheduler, pod, scheduler_name_of(pod), classes, budget_of)


def _sleep(play: Play, request: PlanRequest, pod: Object | None, watcher: DecisionWatcher) -> str:
    subject = uid(watcher.pod or {})
    history = Timeline(play).histories.by_uid.get(subject)
    if history is not None and history.overslept_s is not None:
        return f"As to when it got its place: {overslept(history.overslept_s)}. {_WHY_IT_SLEEPS}"
    for missed in play.machine.missed_wakeups():
        if missed.pod.uid == subject:
            at_s = missed.retry_at_s - play.start_s
            return (
                f"It would fit on {missed.node_name} by now, but no event wakes it: it is tried "
                f"at t+{at_s:.12g}s. {_WHY_IT_SLEEPS}"
            )
    waited = condition_of(pod or {}, "PodScheduled") or {}
    fits_at_once = bool(watcher.views) and bool(watcher.views[0].node)
    if waited.get("reason") == "Unschedulable" and fits_at_once and not request.changes:
        return (
            "kube-scheduler has found no place for it, as its status says, but it fits by now: "
            f"unless an event wakes it, it is tried again within 5.5 minutes. {_WHY_IT_SLEEPS}"
        )
    return ""


def _check(pod: Object | None, play: Play) -> None:
    if pod is None:
        return
    if is_finished(pod):
        raise PodiumError(f"{key(pod)} has finished: there is nothing to schedule any more")
    if is_terminating(pod):
        is_deleted = any(
            is_terminating(one) for one in play.before.by_uid.values() if key(one) == key(pod)
        )
        why = "is being deleted and won't be scheduled" if is_deleted else "is deleted"
        raise PodiumError(f"{key(pod)} {why}")
    profiles = play.scheduler.pipelines
    if scheduler_name_of(pod) not in profiles:
        names = ", ".join(profiles)
        raise PodiumError(
            f"{key(pod)} asks for the scheduler {scheduler_name_of(pod)}; the profiles are {names}"
        )


def _why_missing(play: Play, pod_key: str) -> str:
    for rejected in play.rejected:
        if rejected.object == f"Pod {pod_key}":
            return rejected.message
    if ("Pod", *pod_key.split("/", 1)) in play.deleted:
        return f"{pod_key} is deleted"
    pods = (*play.before.by_uid.values(), *play.cluster.store.list("Pod").items)
    names = {key(pod): name(pod) for pod in pods}
    if pod_key in names:
        return f"{pod_key} isn't decided about while the plan is played"
    near = get_close_matches(pod_key.partition("/")[2], {*names.values()}, n=5, cutoff=0.7)
    similar = [known for wanted in near for known in names if names[known] == wanted]
    hint = f"; is {' or '.join(similar[:_SIMILAR_MAX])} meant?" if similar else ""
    return f"there is no pod {pod_key}{hint}"


def _was_refused(pod: Object) -> bool:
    message = str(status_of(pod).get("message") or "")
    return is_finished(pod) and message.startswith(REJECTED)


def _kubelet_admission(cluster: Cluster, pod: Object) -> KubeletAdmission:
    node, status = node_name_of(pod), status_of(pod)
    if _was_refused(pod):
        message = str(status["message"]).removeprefix(REJECTED)
        return KubeletAdmission(node=node, admitted=False, reason=status["reason"], message=message)
    if cluster.store.get("Node", "", node) is None:
        why = f"node {node} isn't there: no kubelet starts it"
        return KubeletAdmission(node=node, admitted=False, message=why)
    if is_silent(cluster.store, node):
        why = f"node {node} doesn't answer: its kubelet starts it only when it does"
        return KubeletAdmission(node=node, admitted=False, message=why)
    machine = None if cluster.kubelets is None else cluster.kubelets.machine
    kubelet = machine.kubelets.get(node) if isinstance(machine, Kubelets) else None
    worker = None if kubelet is None else kubelet.pods.get(uid(pod))
    stopped = () if worker is None else worker.stopped
    return KubeletAdmission(
        node=node,
        admitted=True,
        stopped=tuple(
            StoppedPod(**pod_facts(one), qos_class=stored_or_computed_qos(one)) for one in stopped
        ),
    )
