"""Trials of the next pods of workloads in copies of a cluster, to see which pods they preempt.

If running pods keep a priority that their successors don't get, two pods are tried: one that
replaces a deleted pod of the workload, and one with equal requests that belongs to no workload.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import msgspec

from podium.api.kinds.builtin_kinds import KINDS
from podium.api.objects import (
    Object,
    condition_message,
    controller_key,
    key,
    metadata_of,
    namespace,
    status_of,
)
from podium.api.pods import node_affinity_of
from podium.api.policy.disruption_target import BY_SCHEDULER
from podium.api.resources import pod_requests
from podium.api.workloads import RECREATING
from podium.apiserver.attributes import Attributes
from podium.apiserver.server import DeleteOptions
from podium.scheduler.framework.cycle.decision import Decision
from podium.simulation.workers import can_fork, in_workers
from podium.whatif.plan.changes import Apply
from podium.whatif.plan.outcome.lost_pods import short_of_pods
from podium.whatif.plan.outcome.stale_priorities import StalePods
from podium.whatif.plan.outcome.timeline import Timeline
from podium.whatif.plan.plan_report import NextPod, PreemptedPod, StalePriority
from podium.whatif.plan.play import Play

# Of a cascade through a large cluster.
_VICTIMS_MAX = 50
# Where a pod may go by itself; labels and terms about other pods are the workload's.
_KEPT = ("nodeSelector", "priorityClassName", "runtimeClassName", "schedulerName", "tolerations")
_KEPT_OF_CONTAINERS = ("name", "image", "resources", "restartPolicy")


class _Trial(msgspec.Struct, frozen=True):
    """A pod to create: in place of a pod of a workload, or a similar one without a controller."""

    stale: StalePods
    is_replacement: bool


def tried(
    play: Play, stale: Sequence[StalePods], most: int, workers: int = 1
) -> Iterator[StalePriority]:
    """Report stale priorities, with trials of next pods in copies of a play that is over.

    The next pods of at most `most` workloads are tried: first those whose next pods have a higher
    priority than the running ones, then those whose pods request most.
    """

    def rank(one: StalePods) -> tuple[object, ...]:
        requests = pod_requests({"spec": one.spec})
        outranks = (one.next_priority or 0) > one.priority
        amounts = (-requests.get("cpu", 0), -requests.get("memory", 0))
        return not outranks, *amounts, -len(one.pods), one.workload

    shapes, trials = set[object](), list[_Trial]()
    admitted = [one for one in stale if not one.refusal]
    for one in sorted(admitted, key=rank)[:most] if can_fork() else ():
        owner = controller_key(one.pods[0])
        if owner is not None and owner[0] in RECREATING:
            trials.append(_Trial(one, is_replacement=True))
        shape = (one.next_class, one.next_priority, msgspec.json.encode(_like(one.spec)))
        if shape not in shapes:
            shapes.add(shape)
            trials.append(_Trial(one, is_replacement=False))
    next_pods: dict[int, list[NextPod]] = defaultdict(list)
    played = in_workers(partial(_try, play), trials, workers)
    for trial, next_pod in zip(trials, played, strict=True):
        next_pods[id(trial.stale)].append(next_pod)
    for one in stale:
        yield StalePriority(
            workload=one.workload,
            namespace=namespace(one.pods[0]),
            pods=len(one.pods),
            priority=one.priority,
            next_priority=one.next_priority,
            next_class=one.next_class,
            by_default=one.is_by_default,
            refusal=one.refusal,
            next_pods=tuple(next_pods[id(one)]),
        )


def preempted_since(timeline: Timeline, since_s: float) -> Iterator[PreemptedPod]:
    """Yield the pods preempted at or after a simulated time; their times are relative to it."""
    owners, preemptors = timeline.owners, timeline.play.preemptions.preemptors
    for lost in timeline.histories.disrupted:
        if lost.cause is not BY_SCHEDULER or lost.ended_s is None or lost.ended_s < since_s:
            continue
        if lost.uid not in preemptors:
            continue
        by = timeline.histories.by_uid[preemptors[lost.uid]]
        yield PreemptedPod(
            **owners.row(lost),
            node=lost.node,
            at=round(lost.ended_s - since_s, 3),
            by=by.pod,
            by_workload=owners.row(by)["workload"],
            by_priority=by.priority,
        )


def _try(play: Play, trial: _Trial) -> NextPod:
    since_s, entries_before = play.passed_s, len(play.observer.entries)
    store, workload = play.cluster.store, trial.stale.workload
    play.record_preemptions(alternatives_max=0)
    if trial.is_replacement:
        # Preemption takes the youngest of equals: if the oldest is replaced, more than one of the
        # others gives way in turn.
        oldest = min(
            trial.stale.pods,
            key=lambda pod: (
                status_of(pod).get("startTime") or metadata_of(pod).get("creationTimestamp") or "",
                key(pod),
            ),
        )
        # Nothing is decided before `change` has been called.
        play.machine.hold()
        place, pod_name = key(oldest).split("/")
        what = Attributes(KINDS["Pod"], place, pod_name, play.cluster.driver.now_s)
        play.cluster.server.delete(what, DeleteOptions())
        play.observer.look()
        play.change(())
    else:
        place, pod_name = namespace(trial.stale.pods[0]), "next-pod"
        while store.get("Pod", place, pod_name) is not None:
            pod_name += "-x"
        metadata, spec = {"name": pod_name, "namespace": place}, _like(trial.stale.spec)
        new_pod = {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}
        play.change([Apply((new_pod,))])

    def watch(decision: Decision) -> None:
        play.preemptions.record(decision)
        # Once so many pods have been preempted, nothing more is decided.
        if len(play.preemptions.preemptors) >= _VICTIMS_MAX:
            play.machine.hold()

    if not play.run(watch=watch):
        raise KeyboardInterrupt
    timeline = Timeline(play)
    preempted = tuple(preempted_since(timeline, since_s))
    created = (pod for number, pod in timeline.created.items() if number >= entries_before)
    new = next(
        (
            pod
            for pod in created
            if not trial.is_replacement or timeline.owners.workload(pod.pod, pod.owner) == workload
        ),
        None,
    )
    message = ""
    if new is None:
        refused = (*play.rejected, *short_of_pods(timeline))
        messages = (rejected.message for rejected in refused if rejected.workload in ("", workload))
        message = next(messages, "it doesn't come while the plan is played")
    elif not new.node:
        message = condition_message(store.get("Pod", *new.pod.split("/")) or {}, "PodScheduled")
    return NextPod(
        is_replacement=trial.is_replacement,
        pod="" if new is None else new.pod,
        priority=0 if new is None else new.priority,
        node="" if new is None else new.node,
        message=message,
        preempted=preempted,
        cut_short=len(preempted) >= _VICTIMS_MAX,
    )


def _like(spec: Object) -> dict[str, Any]:
    kept = {field: spec[field] for field in (*_KEPT, "resources") if spec.get(field)}
    if node_affinity := node_affinity_of(spec):
        kept["affinity"] = {"nodeAffinity": node_affinity}
    for field in ("containers", "initContainers"):
        if containers := spec.get(field):
            kept[field] = [
                {key: container[key] for key in _KEPT_OF_CONTAINERS if key in container}
                for container in containers
            ]
    return kept
