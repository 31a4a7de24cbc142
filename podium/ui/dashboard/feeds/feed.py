"""A beginning and the steps that follow it, for those who look at a cluster."""

from contextlib import AbstractContextManager
from typing import NamedTuple, Protocol

from podium.ui.dashboard.views import Entry


class KeptStep(NamedTuple):
    """One step of a history, encoded as JSON."""

    number: int
    text: bytes


class Feed(Protocol):
    """What pages are fed with, of a cluster that runs or of a run that is over."""

    @property
    def is_over(self) -> bool:
        """Whether no step comes any more but those that there are."""
        ...

    async def beginning(self) -> bytes:
        """A view to start from: JSON, compressed by gzip."""
        ...

    def after(self, number: int) -> list[KeptStep] | None:
        """The steps after one, in order; None if some of them aren't kept any more."""
        ...

    def history(self, kind: str, namespace: str, name: str) -> list[Entry]:
        """What is known to have happened to an object."""
        ...

    def looking(self) -> AbstractContextManager[None]:
        """Somebody looks, until the end of `with`."""
        ...

    async def wait(self, seconds: float) -> bool:
        """Wait for a step, but not for longer than that; whether there is one."""
        ...

    def close(self) -> None:
        """Let all who wait go."""
        ...
