"""How an agent that starts finds the lives of pods that run already: in their status.

A status tells times in whole seconds, so what goes on from there may be off by less than one.
"""

from collections.abc import Mapping
from typing import Any

from podium.api.times import NANOS_PER_SECOND, parse_time
from podium.node.back_off import BackOff
from podium.node.life import Exit, Life, Stage
from podium.node.pod_conditions import condition_status
from podium.node.simulated.behaviour import Script

Object = Mapping[str, Any]

_NOTHING: Object = {}


def has_started(pod: Object) -> bool:
    """Whether a node has taken the pod."""
    status = pod.get("status") or _NOTHING
    return bool(status.get("startTime")) or status.get("phase") == "Running"


def resumed(script: Script, pod: Object, now_s: float) -> Life:
    """The life of a pod that has started and not finished; its status needs no writing.

    Args:
        script: what the pod does.
        pod: whose status tells what it has done.
        now_s: the time; the pod has started now if its status doesn't say when.
    """
    spec, status = pod["spec"], pod["status"]
    started_at = status.get("startTime")
    admitted_s = _seconds(started_at) if started_at else now_s
    life = Life(script, spec, admitted_s, admitted_s, changes=0)
    if status.get("phase") != "Running":
        return life
    container = next(iter(status.get("containerStatuses") or ()), _NOTHING)
    state = container.get("state") or _NOTHING
    ended = (container.get("lastState") or _NOTHING).get("terminated")
    running = state.get("running") or _NOTHING
    restarts = int(container.get("restartCount") or 0)
    started = running.get("startedAt") or (ended or _NOTHING).get("startedAt")
    started_s = _seconds(started) if started else admitted_s
    return Life(
        script,
        spec,
        admitted_s,
        _seconds(ended["finishedAt"]) if ended and state.get("waiting") else started_s,
        stage=Stage.BACKING_OFF if ended and state.get("waiting") else Stage.RUNNING,
        is_ready=bool(container.get("ready", condition_status(status, "Ready") == "True")),
        restarts=restarts,
        last_exit=_exit(ended) if ended else None,
        changes=0,
        back_off=BackOff(count=restarts, last_s=started_s),
    )


def _exit(terminated: Object) -> Exit:
    return Exit(
        int(terminated["exitCode"]),
        _seconds(terminated["startedAt"]),
        _seconds(terminated["finishedAt"]),
    )


def _seconds(time: str) -> float:
    return parse_time(time) / NANOS_PER_SECOND
