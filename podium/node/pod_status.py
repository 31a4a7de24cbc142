"""The status of a pod, as its node writes it."""

from collections.abc import Iterator, Mapping
from typing import Any

from podium.api.durations import NANOS_PER_SECOND, format_duration
from podium.api.resources import is_sidecar
from podium.api.times import timestamp
from podium.node.admission import Objection
from podium.node.life import KILLED, Exit, Life, Stage, init_containers
from podium.node.pod_conditions import condition_status, pod_conditions

Object = Mapping[str, Any]
Status = dict[str, Any]

_LOST = "The container could not be located when the pod was terminated"


def refused_status(objection: Objection, now_s: float) -> Status:
    """The status of a pod that the node doesn't take."""
    return {
        "phase": "Failed",
        "reason": objection.reason,
        "message": f"Pod was rejected: {objection.message}",
        "startTime": timestamp(now_s),
    }


def pod_status(life: Life, pod: Object, host_ip: str, pod_ip: str, now_s: float) -> Status:
    """What the node tells of a pod that it has taken.

    Args:
        life: the pod's.
        pod: as it is known; times of conditions that haven't changed are taken from it.
        host_ip: the node's address.
        pod_ip: the pod's.
        now_s: the time.
    """
    status: Status = {
        "phase": life.phase,
        "conditions": pod_conditions(life, pod, now_s),
        "hostIP": host_ip,
        "hostIPs": [{"ip": host_ip}],
        "startTime": timestamp(life.admitted_s),
        "containerStatuses": [_container_status(one, life, pod) for one in life.spec["containers"]],
    }
    if generation := pod["metadata"].get("generation"):
        status["observedGeneration"] = generation
    if life.stage is not Stage.STARTING:
        status |= {"podIP": pod_ip, "podIPs": [{"ip": pod_ip}]}
    if life.spec.get("initContainers"):
        status["initContainerStatuses"] = [*_init_statuses(life, pod)]
    if life.stage is Stage.STOPPED and life.why is not None and life.why.reason:
        status |= {"reason": life.why.reason, "message": life.why.message}
    return status


def gist(status: Object) -> tuple[str, str]:
    """What others may change of a status, and the node changes back: phase and readiness."""
    return str(status.get("phase") or ""), condition_status(status, "Ready")


def _container_status(container: Object, life: Life, pod: Object) -> Status:
    """Of a container that runs as long as the pod."""
    runs = life.stage is Stage.RUNNING
    before: Object = {"terminated": _terminated(life.last_exit)} if life.last_exit else {}
    if life.stage is Stage.STOPPED:
        state, before = before or {"terminated": _lost()}, {}
    elif runs:
        state = {"running": {"startedAt": timestamp(life.since_s)}}
    else:
        state = {"waiting": _waiting(container, life, pod)}
    return {
        **_named(container),
        "ready": life.is_ready,
        "started": runs,
        "restartCount": life.restarts,
        "state": state,
        "lastState": before,
    }


def _init_statuses(life: Life, pod: Object) -> Iterator[Status]:
    """Of the init containers in their order; sidecars are like other containers."""
    number = 0
    for container in life.spec["initContainers"]:
        if is_sidecar(container):
            yield _container_status(container, life, pod)
        else:
            yield _init_status(container, life, number)
            number += 1


def _init_status(container: Object, life: Life, number: int) -> Status:
    is_done = number < life.initialized
    state: Object = {"waiting": {"reason": "PodInitializing"}}
    if is_done:
        state = {"terminated": {"exitCode": 0, "reason": "Completed"}}
    elif life.stage is Stage.STOPPED:
        state = {"terminated": _lost()}
    elif life.stage is Stage.INITIALIZING and number == life.initialized:
        state = {"running": {"startedAt": timestamp(life.since_s)}}
    return {
        **_named(container),
        "ready": is_done,
        "started": "running" in state,
        "restartCount": 0,
        "state": state,
        "lastState": {},
    }


def _named(container: Object) -> Status:
    return {"name": container["name"], "image": container.get("image") or "", "imageID": ""}


def _waiting(container: Object, life: Life, pod: Object) -> Object:
    if life.stage is not Stage.BACKING_OFF:
        inits = life.stage is Stage.INITIALIZING or bool(init_containers(life.spec))
        return {"reason": "PodInitializing" if inits else "ContainerCreating"}
    metadata = pod["metadata"]
    whose = f"{metadata['name']}_{metadata['namespace']}({metadata['uid']})"
    wait = format_duration(int(life.back_off_s) * NANOS_PER_SECOND)
    message = f"back-off {wait} restarting failed container={container['name']} pod={whose}"
    return {"reason": "CrashLoopBackOff", "message": message}


def _terminated(exit_: Exit) -> Object:
    return {
        "exitCode": exit_.code,
        "reason": exit_.reason or ("Completed" if exit_.code == 0 else "Error"),
        "startedAt": timestamp(exit_.started_s),
        "finishedAt": timestamp(exit_.finished_s),
    }


def _lost() -> Object:
    return {"exitCode": KILLED, "reason": "ContainerStatusUnknown", "message": _LOST}
