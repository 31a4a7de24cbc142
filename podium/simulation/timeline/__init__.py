"""The timeline of a cluster: an entry for each thing that a reader may want to know.

`Observer` follows the store; `pod_facts` and `object_facts` say what a change amounts to.
"""

from podium.simulation.timeline.facts import TimelineEntry
from podium.simulation.timeline.observer import Observer

__all__ = ["Observer", "TimelineEntry"]
