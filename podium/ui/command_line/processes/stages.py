"""A cluster in the background reports the progress of its start through a pipe."""

import os

READY, SETTLED = b"ready\n", b"settled\n"

DETACHED = "PODIUM_DETACHED"
"""The variable that names the pipe's descriptor to the process in the background."""


class Stages:
    """Reports the progress of this process to the process that detached it.

    Args:
        descriptor: of the pipe; None if nobody waits.
    """

    def __init__(self, descriptor: int | None) -> None:
        self._descriptor = descriptor

    @classmethod
    def of_this_process(cls) -> "Stages":
        """Those that this process is to tell, once."""
        found = os.environ.pop(DETACHED, None)
        return cls(None if found is None else int(found))

    @property
    def are_waited_for(self) -> bool:
        """Whether somebody waits."""
        return self._descriptor is not None

    def tell(self, stage: bytes) -> None:
        """Tell that a stage is reached; after the last one nobody waits any more."""
        if self._descriptor is None:
            return
        try:
            os.write(self._descriptor, stage)
        except BrokenPipeError:
            stage = SETTLED
        if stage == SETTLED:
            os.close(self._descriptor)
            self._descriptor = None


def is_detached() -> bool:
    """Whether this process is the one in the background."""
    return DETACHED in os.environ
