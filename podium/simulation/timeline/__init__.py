"""The timeline of a cluster: an entry for each change that matters to a reader."""

from podium.simulation.timeline.facts import TimelineEntry
from podium.simulation.timeline.observer import Observer

__all__ = ["Observer", "TimelineEntry"]
