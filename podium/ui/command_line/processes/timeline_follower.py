"""Prints the timeline of an embedded cluster, line by line, until nothing more happens."""

from collections.abc import Iterator

from podium.api.objects import is_terminating
from podium.api.pods import is_finished
from podium.cluster.embedded.cluster import EmbeddedCluster
from podium.simulation.timeline import Observer
from podium.simulation.timeline.timeline_sentences import clock, sentences

_SETTLED_S = 5.0
"""Nothing was written for so long, and no pod is on its way: nothing more will come."""

_STUCK_S = 60.0
"""The same if pods wait for something that doesn't come."""


class TimelineFollower:
    """Observes a cluster and makes lines of what happens."""

    def __init__(self, embedded: EmbeddedCluster) -> None:
        cluster = embedded.cluster
        self._observer = Observer(cluster)
        self._began_s = cluster.driver.now_s - cluster.options.start_s
        embedded.backend.hooks.append(self._observer.look)

    def new_lines(self) -> Iterator[tuple[str, str]]:
        """What has happened since the last time: when, such as `t+30s`, and a sentence."""
        self._observer.look()
        entries = [*self._observer.entries]
        self._observer.entries.clear()
        for at_s, text in sentences(entries):
            for line in text.splitlines():
                yield clock(at_s - self._began_s), line


def is_settled(embedded: EmbeddedCluster) -> bool:
    """Whether nothing more is to be expected in a cluster, unless somebody does something."""
    quiet_s = embedded.clock.quiet_s
    if quiet_s < _SETTLED_S:
        return False
    return quiet_s >= _STUCK_S or not any(
        is_terminating(pod) or (pod["status"]["phase"] == "Pending" and not is_finished(pod))
        for pod in embedded.cluster.store.list("Pod").items
    )
