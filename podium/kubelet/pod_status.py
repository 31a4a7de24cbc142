"""The status and the conditions of pods in the words of the kubelet v1.36."""

from collections.abc import Iterator, Sequence
from typing import Any

from podium.api.conditions import observed_generation, set_condition
from podium.api.objects import Object, condition_of, condition_status, entries, part, status_of
from podium.api.policy.disruption_target import (
    BY_ADMISSION,
    BY_KUBELET,
    BY_OOM,
    DISRUPTION_TARGET,
    Cause,
)
from podium.api.values.times import timestamp
from podium.kubelet.containers.container import KILLED, OOM_KILLED, Container, State
from podium.kubelet.containers.pod_worker import PodWorker
from podium.kubelet.pod_admission import PodRejection

ConditionState = tuple[bool, str, str]
"""Whether a condition holds, reason and message."""

_HOLDS: ConditionState = (True, "", "")
_TERMINAL = {"Succeeded": "PodCompleted", "Failed": "PodFailed"}


def _pod_conditions(worker: PodWorker, now_s: float) -> list[Object]:
    made = list[Object]()
    for kind, (holds, reason, message) in _states(worker):
        old = condition_of(worker.pod, kind)
        condition: dict[str, Any] = {"type": kind, "status": "True" if holds else "False"}
        condition |= observed_generation(worker.pod)
        for field, text in (("reason", reason), ("message", message)):
            if text or (old and old.get(field)):
                # In a patch, an old text stays unless it is deleted.
                condition[field] = text or None
        made.append(set_condition(old, condition, now_s))
    return made


def _states(worker: PodWorker) -> Iterator[tuple[str, ConditionState]]:
    yield "PodReadyToStartContainers", (worker.is_set_up and not worker.is_over, "", "")
    initialized = containers_ready = _HOLDS
    missing = [one.name for one in worker.init if not one.is_initialized]
    if worker.phase == "Succeeded":
        initialized = (True, "PodCompleted", "")
    elif missing and not worker.has_begun:
        message = f"containers with incomplete status: [{' '.join(missing)}]"
        initialized = (False, "ContainersNotInitialized", message)
    yield "Initialized", initialized
    lasting = (*(one for one in worker.init if one.is_sidecar), *worker.main)
    unready = [one.name for one in lasting if not one.is_ready]
    if worker.is_over:
        containers_ready = (False, _TERMINAL[worker.phase], "")
    elif unready:
        message = f"containers with unready status: [{' '.join(unready)}]"
        containers_ready = (False, "ContainersNotReady", message)
    yield "Ready", _gates(worker.pod) if containers_ready[0] else containers_ready
    yield "ContainersReady", containers_ready
    why = worker.stop_reason
    if worker.is_over and why is not None and why.disruption:
        yield DISRUPTION_TARGET, (True, BY_KUBELET.reason, why.disruption)


def _gates(pod: Object) -> ConditionState:
    faults = []
    for gate in pod["spec"].get("readinessGates") or ():
        kind = gate["conditionType"]
        status = condition_status(pod, kind)
        if not status:
            faults.append(f'corresponding condition of pod readiness gate "{kind}" does not exist.')
        elif status != "True":
            faults.append(f'the status of pod readiness gate "{kind}" is not "True", but {status}')
    return (False, "ReadinessGatesNotReady", ", ".join(faults)) if faults else _HOLDS


Status = dict[str, Any]

REJECTED = "Pod was rejected: "
"""The beginning of the message of a pod that its node rejects."""

_LOST = {
    "exitCode": KILLED,
    "reason": "ContainerStatusUnknown",
    "message": "The container could not be located when the pod was terminated",
}


def failure_cause(pod: Object) -> Cause | None:
    """Return the cause by which a node has failed a pod without condition DisruptionTarget."""
    status = status_of(pod)
    if str(status.get("message")).startswith(REJECTED):
        return BY_ADMISSION
    states = (part(one, "state") for one in entries(status, "containerStatuses"))
    is_oom = any(part(state, "terminated").get("reason") == OOM_KILLED for state in states)
    return BY_OOM if is_oom else None


def rejected_status(objection: PodRejection, now_s: float) -> Status:
    """Return the status of a pod that its node rejects."""
    return {
        "phase": "Failed",
        "reason": objection.reason,
        "message": f"{REJECTED}{objection.message}",
        "startTime": timestamp(now_s),
    }


def pod_status(worker: PodWorker, host_ip: str, now_s: float) -> Status:
    """Return the status of a pod that its node has admitted."""
    known = status_of(worker.pod)
    status: Status = {
        "phase": worker.phase,
        "conditions": _pod_conditions(worker, now_s),
        "hostIP": host_ip,
        "hostIPs": _ips(known.get("hostIPs"), host_ip),
        "startTime": timestamp(worker.admitted_s),
        "containerStatuses": [_container_status(one, worker, now_s) for one in worker.main],
    }
    if generation := worker.pod["metadata"].get("generation"):
        status["observedGeneration"] = generation
    if worker.is_set_up:
        pod_ip = worker.sandbox.ip
        status |= {"podIP": pod_ip, "podIPs": _ips(known.get("podIPs"), pod_ip)}
    others = (
        ("initContainerStatuses", worker.init),
        ("ephemeralContainerStatuses", worker.ephemeral),
    )
    for field, containers in others:
        if containers:
            status[field] = [_container_status(one, worker, now_s) for one in containers]
    why = worker.stop_reason
    if worker.is_over and why is not None and why.reason:
        status |= {"reason": why.reason, "message": why.message}
    return status


def _ips(known: Sequence[Object] | None, ip: str) -> list[Object]:
    # In a patch, an older address would stay beside the new one.
    addresses: list[Object] = [{"ip": ip}]
    return [{"$patch": "replace"}, *addresses] if known and known != addresses else addresses


def has_started(pod: Object) -> bool:
    """Return whether a pod's status shows that its node has admitted it."""
    status = status_of(pod)
    return bool(status.get("startTime")) or status.get("phase") == "Running"


def phase_and_readiness(status: Object) -> tuple[str, str]:
    """Return phase and Ready condition, which the kubelet restores if others change them."""
    return str(status.get("phase") or ""), condition_status({"status": status}, "Ready")


def _container_status(one: Container, worker: PodWorker, now_s: float) -> Status:
    before: Object = {}
    if one.last is not None:
        exited = one.last.exited
        terminated = {
            "exitCode": exited.code,
            "reason": exited.reason or ("Completed" if exited.code == 0 else "Error"),
            "startedAt": timestamp(one.last.started_s),
            "finishedAt": timestamp(one.last.finished_s),
        }
        if exited.message:
            terminated["message"] = exited.message
        before = {"terminated": terminated}
    if one.state is State.RUNNING:
        state: Object = {"running": {"startedAt": timestamp(one.since_s)}}
    elif one.state is State.EXITED and (worker.is_over or not one.backs_off(now_s)):
        state, before = before, {}
    elif worker.is_over:
        state = {"terminated": _LOST}
    else:
        usual = "PodInitializing" if worker.init else "ContainerCreating"
        waiting: dict[str, str] = {"reason": one.waiting.reason or usual}
        if one.waiting.message:
            waiting["message"] = one.waiting.message
        state = {"waiting": waiting}
    is_ready = one.has_succeeded if one.is_init and not one.is_sidecar else one.is_ready
    return {
        "name": one.name,
        "image": one.spec.get("image") or "",
        "imageID": "",
        # Containers for debugging aren't probed.
        "ready": is_ready and not one.is_ephemeral,
        "started": one.is_started and not one.is_ephemeral,
        "restartCount": one.restarts,
        "state": state,
        "lastState": before,
    }
