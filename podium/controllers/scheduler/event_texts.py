"""The events that the scheduler records, in kube-scheduler's words (v1.36)."""

from collections.abc import Mapping

from podium.api.meta import namespace
from podium.control.effects import Record
from podium.core.pods import PodInfo

# The API allows no longer notes.
NOTE_LENGTH_MAX = 1024
_CUT = " ..."


def scheduled(pod: PodInfo, node_name: str, scheduler_name: str) -> Record:
    """A pod was bound."""
    return Record(
        regarding=pod.obj,
        reporting_controller=scheduler_name,
        type="Normal",
        reason="Scheduled",
        action="Binding",
        note=f"Successfully assigned {namespace(pod.obj)}/{pod.name} to {node_name}",
    )


def failed_scheduling(pod: PodInfo, message: str, scheduler_name: str) -> Record:
    """A pod couldn't be scheduled, or its cycle ended in an error."""
    return Record(
        regarding=pod.obj,
        reporting_controller=scheduler_name,
        type="Warning",
        reason="FailedScheduling",
        action="Scheduling",
        note=truncated(message),
    )


def preempted(
    victim: PodInfo,
    preemptor_uid: str,
    node_name: str,
    scheduler_name: str,
    annotations: Mapping[str, str],
) -> Record:
    """A pod had to go for another one; annotations tell machines for which, and why it."""
    return Record(
        regarding=victim.obj,
        reporting_controller=scheduler_name,
        type="Normal",
        reason="Preempted",
        action="Preempting",
        note=f"Preempted by pod {preemptor_uid} on node {node_name}",
        annotations=annotations,
    )


def truncated(message: str) -> str:
    """A note that isn't too long for the API."""
    if len(message) <= NOTE_LENGTH_MAX:
        return message
    return message[: NOTE_LENGTH_MAX - len(_CUT)] + _CUT
