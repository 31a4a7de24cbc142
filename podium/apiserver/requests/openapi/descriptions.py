"""What kinds and their fields are for, in a few words, as `kubectl explain` prints it.

Only what scheduling, priorities, preemption and eviction go by is described, and what surrounds
it. A line of `descriptions.txt` is `PodSpec.priority: text`, or `Pod: text` for a whole type.
"""

from functools import cache
from importlib.resources import files

_DATA = files("podium.apiserver.requests.openapi") / "descriptions.txt"


def description(name: str) -> str:
    """What a type or a field, such as `PodSpec.priority`, is for; empty if nothing is said."""
    return _descriptions().get(name, "")


@cache
def _descriptions() -> dict[str, str]:
    lines = (line.partition(": ") for line in _DATA.read_text(encoding="utf-8").splitlines())
    return {name: text for name, _, text in lines if name}
