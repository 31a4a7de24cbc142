"""Which pod of a replay stands for which pod of the recording.

Mostly it is the same one. Where the scheduler decides otherwise in a replay, controllers would have
done otherwise, too: a pod that isn't preempted needs no replacement, and stands for it from then
on; one that is preempted only in the replay gets a replacement, which stands for it.
"""

from podium.api.objects import Place


class Roles:
    """Places of pods in a replay, by the uid of a recorded pod, and the other way round."""

    def __init__(self) -> None:
        self._places: dict[str, Place] = {}
        self._recorded: dict[Place, str] = {}
        self._replacements: dict[str, int] = {}

    def assign(self, recorded: str, place: Place) -> None:
        """Have the pod of a place stand for a recorded one, and for no other any more."""
        self._places[recorded] = place
        self._recorded[place] = recorded

    def place_of(self, recorded: str) -> Place | None:
        """Where the pod is that stands for a recorded one; it may be gone. None if none does."""
        place = self._places.get(recorded)
        return place if place is not None and self._recorded[place] == recorded else None

    def recorded_at(self, place: Place) -> str:
        """For which recorded pod the pod of a place stands; its uid, or empty."""
        return self._recorded.get(place, "")

    def next_replacement(self, recorded: str) -> int:
        """Counts the replacements that a recorded pod gets."""
        self._replacements[recorded] = self._replacements.get(recorded, 0) + 1
        return self._replacements[recorded]
