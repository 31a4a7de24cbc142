"""What admission says instead of yes."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Refusal:
    """A request that isn't let through.

    Attributes:
        reason: as in an API status, such as `Forbidden`.
        message: the whole sentence that the client is told.
    """

    reason: str
    message: str


def forbidden(resource: str, name: str, why: str) -> Refusal:
    """The refusal of one object; `resource` is such as `pods`."""
    return Refusal("Forbidden", f'{resource} "{name}" is forbidden: {why}')
