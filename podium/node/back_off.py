"""How long a node waits before it restarts containers that have exited.

The first restart comes at once, the next ones after 10 s, 20 s and so on up to 5 minutes, as with
the kubelet's settings (v1.36).
"""

from dataclasses import dataclass

from podium.control.backoff import Backoff, Restarts

_BACKOFF = Backoff(first_s=10.0, max_s=300.0)


@dataclass(slots=True)
class BackOff(Restarts):
    """The restarts of one container, each of which waits longer."""

    backoff: Backoff = _BACKOFF
