"""Functions that compute the cells of pods from the statuses of their containers.

The status of a pod that is initializing is that of its first unfinished init container; later, of
the first container that has a reason in its state.
"""

from podium.api.objects import Object, is_terminating, spec_of, status_of
from podium.api.pods import containers_of, init_containers_of, is_finished, phase_of
from podium.api.resources import is_sidecar
from podium.api.values.times import TimeError, parse_time
from podium.apiserver.kinds.registration.rules import at
from podium.apiserver.kinds.tables.ages import since

NONE = "<none>"
_GATED = "SchedulingGated"
_FINISHED = {"Succeeded": "The pod has completed successfully.", "Failed": "The pod failed."}


def _statuses(pod: Object, field: str) -> list[Object]:
    return status_of(pod).get(field) or []


def _has_condition(pod: Object, kind: str) -> bool:
    conditions: list[Object] = at(pod, "status.conditions") or []
    return next((c.get("status") == "True" for c in conditions if c.get("type") == kind), False)


def _sidecars(pod: Object) -> set[str]:
    containers: list[Object] = at(pod, "spec.initContainers") or []
    return {container["name"] for container in containers if is_sidecar(container)}


def _initialization(pod: Object) -> tuple[list[Object], Object | None]:
    sidecars = _sidecars(pod)
    done: list[Object] = []
    for status in _statuses(pod, "initContainerStatuses"):
        terminated = at(status, "state.terminated")
        has_succeeded = terminated is not None and not terminated.get("exitCode")
        is_started_sidecar = status.get("name") in sidecars and status.get("started") is True
        if not (has_succeeded or is_started_sidecar):
            return done, status
        done.append(status)
    return done, None


def _shows_containers(pod: Object) -> bool:
    return _initialization(pod)[1] is None or _has_condition(pod, "Initialized")


def _end(terminated: Object) -> str:
    if terminated.get("reason"):
        return str(terminated["reason"])
    if terminated.get("signal"):
        return f"Signal:{terminated['signal']}"
    return f"ExitCode:{terminated.get('exitCode', 0)}"


def _is_running(status: Object) -> bool:
    return bool(status.get("ready")) and at(status, "state.running") is not None


def _container_reason(status: Object) -> str:
    waiting = at(status, "state.waiting.reason")
    if waiting:
        return str(waiting)
    terminated = at(status, "state.terminated")
    return "" if terminated is None else _end(terminated)


def status(pod: Object, _now_s: float) -> str:
    """Return the STATUS cell, such as `Running`, `Init:0/2` or `CrashLoopBackOff`."""
    if is_terminating(pod):
        if at(pod, "status.reason") == "NodeLost":
            return "Unknown"
        if not is_finished(pod):
            return "Terminating"
    reason = str(at(pod, "status.reason") or at(pod, "status.phase") or "")
    for condition in at(pod, "status.conditions") or ():
        if condition.get("type") == "PodScheduled" and condition.get("reason") == _GATED:
            reason = _GATED
    done, undone = _initialization(pod)
    if undone is not None:
        terminated = at(undone, "state.terminated")
        waiting = at(undone, "state.waiting.reason")
        if terminated is not None:
            reason = f"Init:{_end(terminated)}"
        elif waiting and waiting != "PodInitializing":
            reason = f"Init:{waiting}"
        else:
            reason = f"Init:{len(done)}/{len(init_containers_of(spec_of(pod)))}"
    if _shows_containers(pod):
        statuses = _statuses(pod, "containerStatuses")
        reason = next(filter(None, map(_container_reason, statuses)), reason)
        others = (status for status in statuses if not _container_reason(status))
        if reason == "Completed" and any(map(_is_running, others)):
            return "Running" if _has_condition(pod, "Ready") else "NotReady"
    return reason


def ready(pod: Object, _now_s: float) -> str:
    """Return the READY cell: the number of ready containers and sidecars, and of all of them."""
    sidecars = _sidecars(pod)
    done, _ = _initialization(pod)
    # Other init containers than sidecars have ended.
    going_on = (status for status in done if at(status, "state.terminated") is None)
    count = sum(bool(status.get("ready")) for status in going_on)
    if _shows_containers(pod):
        statuses = _statuses(pod, "containerStatuses")
        count += sum(_is_running(one) and not _container_reason(one) for one in statuses)
    return f"{count}/{len(containers_of(spec_of(pod))) + len(sidecars)}"


def ip(pod: Object, _now_s: float = 0) -> str:
    """Return the IP cell: the first address of the pod."""
    addresses = status_of(pod).get("podIPs")
    return str(addresses[0].get("ip", "")) if addresses else str(status_of(pod).get("podIP") or "")


def restarts(pod: Object, now_s: float) -> str:
    """Return the RESTARTS cell: the number of container restarts, and the age of the last one."""
    done, undone = _initialization(pod)
    # Init containers count while the pod initializes, and afterwards only sidecars.
    statuses = done if undone is None else [*done, undone]
    if _shows_containers(pod):
        sidecars = _sidecars(pod)
        statuses = [one for one in statuses if one.get("name") in sidecars]
        statuses += _statuses(pod, "containerStatuses")
    count = sum(status.get("restartCount") or 0 for status in statuses)
    ends = (at(status, "lastState.terminated.finishedAt") for status in statuses)
    last = max(filter(None, ends), key=_time_key, default=None)
    return f"{count} ({since(last, now_s)} ago)" if count and last else str(count)


def _time_key(time: str) -> int:
    try:
        return parse_time(time)
    except TimeError:
        return 0


def readiness_gates(pod: Object, _now_s: float) -> str:
    """Return the READINESS GATES cell: the number of gates that are met, and of all gates."""
    gates: list[Object] = at(pod, "spec.readinessGates") or []
    if not gates:
        return NONE
    return f"{sum(_has_condition(pod, gate['conditionType']) for gate in gates)}/{len(gates)}"


def row_conditions(pod: Object) -> list[dict[str, str]]:
    """Return the conditions of a table row, by which kubectl recognizes finished pods."""
    phase = phase_of(pod)
    if phase not in _FINISHED:
        return []
    return [{"type": "Completed", "status": "True", "reason": phase, "message": _FINISHED[phase]}]
