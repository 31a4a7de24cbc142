"""What `podium up` shows: one line that changes on a terminal, plain lines elsewhere."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from msgspec import structs
from rich.console import Console
from rich.live import Live
from rich.text import Text

from podium.cluster.embedded.cluster import EmbeddedCluster
from podium.cluster.embedded.cluster_counts import ClusterCounts
from podium.ui.writers.console import console, story_line

REFRESH_S = 0.25
_PLAIN_LINES_S = 1.0
_WIDTH = len("t+59.999s")
_STYLES = {"pending": "yellow", "running": "green", "preempted": "red", "evicted": "red"}


class Display:
    """Shows numbers, and tells a story above them.

    Args:
        out: where to.
        live: shows the line that changes; None off a terminal.
    """

    def __init__(self, out: Console, live: Live | None) -> None:
        self._out = out
        self._live = live
        self._shown: ClusterCounts | None = None
        self._shown_s = 0.0
        self._told = ""

    def say(self, line: str) -> None:
        """Print a line as it is."""
        self._out.print(line, soft_wrap=True)

    def show(self, numbers: ClusterCounts, now_s: float, *, is_last: bool = False) -> None:
        """Show how things are; off a terminal only what has changed, and not too often."""
        if self._live is not None:
            self._live.update(_line(numbers, now_s))
        elif is_last or (numbers != self._shown and self._is_time()):
            self._shown, self._shown_s = numbers, time.monotonic()
            self._out.print(_line(numbers, now_s))

    def _is_time(self) -> bool:
        return time.monotonic() - self._shown_s >= _PLAIN_LINES_S

    def tell(self, at: str, sentence: str) -> None:
        """Tell one thing that has happened."""
        self._out.print(story_line("" if at == self._told else at, sentence, _WIDTH))
        self._told = at


@contextmanager
def display() -> Iterator[Display]:
    """A display, until the end of `with`."""
    out = console()
    if not out.is_terminal:
        yield Display(out, None)
        return
    with Live(console=out, refresh_per_second=1 / REFRESH_S, transient=True) as live:
        yield Display(out, live)


def greeting(embedded: EmbeddedCluster, dashboard: str) -> Iterator[str]:
    """How to use a cluster that is ready, and see it in a browser."""
    yield f"The cluster is ready at {embedded.url}"
    yield f"  export KUBECONFIG={embedded.directory.kubeconfig.absolute()}"
    yield "  kubectl get pods --all-namespaces --watch"
    yield f"See it: {dashboard}"
    yield "Ctrl-C stops it."


def _line(numbers: ClusterCounts, now_s: float) -> Text:
    line = Text(time.strftime("%H:%M:%S", time.localtime(now_s)), style="cyan")
    for name, number in structs.asdict(numbers).items():
        style = _STYLES.get(name, "") if number else ""
        line.append(f"  {name} ", style="default").append(f"{number}", style=style)
    return line
