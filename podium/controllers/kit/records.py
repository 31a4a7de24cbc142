"""What controllers tell about the pods of their objects, in v1.36's words."""

from collections.abc import Iterator

from podium.api.objects import Object, name
from podium.control.effects import Create, Delete, Record
from podium.control.events import Outcome


def record(owner: Object, controller: str, kind: str, reason: str, note: str) -> Record:
    """An event about an object.

    Args:
        owner: the object.
        controller: who reports.
        kind: `Normal` or `Warning`.
        reason: in one word.
        note: the sentence.
    """
    return Record(
        regarding=owner,
        reporting_controller=controller,
        type=kind,
        reason=reason,
        action="",
        note=note,
    )


def told_of_pods(owner: Object, controller: str, outcome: Outcome) -> Iterator[Record]:
    """The event about a pod that was, or couldn't be, created or deleted for its owner."""
    effect, error = outcome.effect, outcome.error
    if not isinstance(effect, Create | Delete) or effect.kind != "Pod":
        return
    creates = isinstance(effect, Create)
    if error is None:
        called = effect.name if isinstance(effect, Delete) else name(outcome.obj or {})
        verb, reason = (
            ("Created", "SuccessfulCreate") if creates else ("Deleted", "SuccessfulDelete")
        )
        yield record(owner, controller, "Normal", reason, f"{verb} pod: {called}")
    elif error.reason != "NotFound":
        verb, reason = ("creating", "FailedCreate") if creates else ("deleting", "FailedDelete")
        yield record(owner, controller, "Warning", reason, f"Error {verb}: {error.message}")
