"""The status of a pod on a real node, as the kubelet v1.36 writes it."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from podium.api.times import timestamp
from podium.node.pod_conditions import gates_open
from podium.node.real.container_life import ContainerLife, Run, State, Waiting
from podium.node.real.pod_life import PodLife

Object = Mapping[str, Any]
Status = dict[str, Any]
Verdict = tuple[bool, str, str]
"""Whether a condition holds, reason and message."""

_HOLDS: Verdict = (True, "", "")
_LOST = {
    "exitCode": 137,
    "reason": "ContainerStatusUnknown",
    "message": "The container could not be located when the pod was terminated",
}
_TERMINAL = {"Succeeded": "PodCompleted", "Failed": "PodFailed"}


def pod_report(life: PodLife, host_ip: str, before: Object, now_s: float) -> Status:
    """What the node tells of a pod that it has taken.

    Args:
        life: the pod's.
        host_ip: the node's address, which is its pods', too.
        before: the status as it was told last; what hasn't changed keeps its times.
        now_s: the time.
    """
    pod = life.pod
    conditions = [_condition(kind, found, life, before, now_s) for kind, found in _verdicts(life)]
    status: Status = {
        "phase": life.phase,
        "conditions": conditions,
        "hostIP": host_ip,
        "hostIPs": [{"ip": host_ip}],
        "startTime": timestamp(life.admitted_s),
        "containerStatuses": [_container_status(one, life, now_s) for one in life.main],
    }
    if life.is_set_up:
        status |= {"podIP": host_ip, "podIPs": [{"ip": host_ip}]}
    if generation := pod["metadata"].get("generation"):
        status["observedGeneration"] = generation
    if life.init:
        status["initContainerStatuses"] = [_container_status(one, life, now_s) for one in life.init]
    if life.is_over and life.why is not None and life.why.reason:
        status |= {"reason": life.why.reason, "message": life.why.message}
    return status


def _verdicts(life: PodLife) -> Iterator[tuple[str, Verdict]]:
    yield "PodReadyToStartContainers", (life.is_set_up and not life.is_over, "", "")
    yield "Initialized", _initialized(life)
    yield "Ready", _ready(life)
    yield "ContainersReady", _containers_ready(life)
    if life.is_over and life.why is not None and life.why.disruption:
        yield "DisruptionTarget", (True, "TerminationByKubelet", life.why.disruption)


def _initialized(life: PodLife) -> Verdict:
    if life.is_over and life.phase == "Succeeded":
        return (True, "PodCompleted", "")
    if life.is_initialized or life.has_begun:
        return _HOLDS
    missing = [
        one.name
        for one in life.init
        if not (one.is_started if one.is_sidecar else one.has_succeeded)
    ]
    message = f"containers with incomplete status: [{' '.join(missing)}]"
    return (False, "ContainersNotInitialized", message)


def _containers_ready(life: PodLife) -> Verdict:
    if life.is_over:
        return (False, _TERMINAL[life.phase], "")
    lasting = [*(one for one in life.init if one.is_sidecar), *life.main]
    unready = [one.name for one in lasting if not one.is_ready]
    if not unready:
        return _HOLDS
    message = f"containers with unready status: [{' '.join(unready)}]"
    return (False, "ContainersNotReady", message)


def _ready(life: PodLife) -> Verdict:
    verdict = _containers_ready(life)
    return gates_open(life.pod) if verdict[0] else verdict


def _condition(kind: str, verdict: Verdict, life: PodLife, before: Object, now_s: float) -> Object:
    holds, reason, message = verdict
    status = "True" if holds else "False"
    known: Sequence[Object] = before.get("conditions") or ()
    old: Object = next((one for one in known if one.get("type") == kind), {})
    same = old.get("status") == status and old.get("lastTransitionTime")
    condition: dict[str, Any] = {
        "type": kind,
        "status": status,
        "lastTransitionTime": old["lastTransitionTime"] if same else timestamp(now_s),
    }
    for field, text in (("reason", reason), ("message", message)):
        if text or field in old:
            # In a patch, a text of before stays unless it is taken away.
            condition[field] = text or None
    if generation := life.pod["metadata"].get("generation"):
        condition["observedGeneration"] = generation
    return condition


def _container_status(one: ContainerLife, life: PodLife, now_s: float) -> Status:
    before: Object = {} if one.last is None else {"terminated": _terminated(one.last)}
    if one.state is State.RUNNING:
        state: Object = {"running": {"startedAt": timestamp(one.since_s)}}
    elif one.state is State.EXITED and (one.is_done or life.is_over or not one.backs_off(now_s)):
        state, before = before, {}
    elif life.is_over:
        state = {"terminated": _LOST}
    else:
        state = {"waiting": _waiting(one, life)}
    return {
        "name": one.name,
        "image": one.spec.get("image") or "",
        "imageID": "",
        "ready": one.has_succeeded if one.is_init and not one.is_sidecar else one.is_ready,
        "started": one.is_started,
        "restartCount": one.restarts,
        "state": state,
        "lastState": before,
    }


def _waiting(one: ContainerLife, life: PodLife) -> Object:
    waiting = one.waiting
    if one.last is None and not waiting.message:
        initializes = bool(life.init) and life.is_set_up and not life.is_initialized
        reason = "PodInitializing" if initializes else waiting.reason
        waiting = Waiting(reason)
    return {"reason": waiting.reason, **({"message": waiting.message} if waiting.message else {})}


def _terminated(run: Run) -> Object:
    exited = run.exited
    found = {
        "exitCode": exited.code,
        "reason": exited.reason or ("Completed" if exited.code == 0 else "Error"),
        "startedAt": timestamp(run.started_s),
        "finishedAt": timestamp(run.finished_s),
    }
    return {**found, "message": exited.message} if exited.message else found
