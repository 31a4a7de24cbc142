"""The interface of schedulers, controllers and kubelets."""

from abc import ABC, abstractmethod
from collections.abc import Sequence

from podium.machines.effects import Effect
from podium.machines.events import Change, Event

NEVER_S = float("inf")


class Machine(ABC):
    """A state machine that turns watch events into API calls."""

    name: str
    kinds: frozenset[str]
    """Keys of the kinds to watch. A machine that discovers a custom kind replaces the set by a
    larger one."""
    takes_lists = False
    """Whether the machine gets all initial objects of a kind as one `FirstList`."""
    wakes_last = False
    """Whether, at any given time, it is woken only after all other machines have acted."""

    @abstractmethod
    def step(self, event: Event, now_s: float) -> Sequence[Effect]:
        """Process an event, and return the calls to make; `now_s` never decreases between calls."""

    def next_wakeup_s(self) -> float | None:
        """Return when the next `Woken` is due at the latest, in epoch seconds, or None."""
        return None

    def heeds(self, change: Change) -> bool:
        """Return whether a change may affect the machine, by a cheap test that never misses one."""
        return True
