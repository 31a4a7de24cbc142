"""Asking whether an object is really there, where what the watches have told may be too old.

A patch that changes nothing is carried out if the object is there, and fails if it isn't.
"""

from podium.control.effects import Effect, Patch


def question(kind: str, name: str, namespace: str = "") -> Patch:
    """Ask for an object by its name; the answer says which uid it has."""
    return Patch(kind=kind, name=name, namespace=namespace, body={})


def is_question(effect: Effect) -> bool:
    """Whether a call only asks."""
    return isinstance(effect, Patch) and not effect.body
