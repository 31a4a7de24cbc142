"""Shows a run that is over in a browser, until Ctrl-C."""

import asyncio
import signal
from collections.abc import Callable
from typing import TYPE_CHECKING

from podium.ui.command_line.output.output import console
from podium.ui.command_line.processes.dashboards import PRESENTERS
from podium.ui.dashboard.feeds.finished_runs import FinishedRun
from podium.ui.dashboard.feeds.run_recorder import RunRecorder
from podium.ui.dashboard.local_server import served_locally
from podium.ui.dashboard.questions import Questions

if TYPE_CHECKING:
    from collections.abc import Iterable

    from podium.simulation.timeline import TimelineEntry
    from podium.whatif.explain.explanation import PodExplanation


def serve_run(
    recorder: RunRecorder,
    title: str,
    entries: "Iterable[TimelineEntry]",
    explain: "Callable[[str], PodExplanation]",
) -> None:
    """Serve the dashboard of a run, and print the link to it, until Ctrl-C or SIGTERM.

    Args:
        recorder: has recorded the run.
        title: of the page.
        entries: what has happened.
        explain: explains a pod, named `namespace/name`.

    Raises:
        PodiumError: no port can be had.
    """
    feed = recorder.finished(title, entries)
    questions = Questions(recorder.objects.find, feed, lambda: FinishedRun(explain, PRESENTERS))

    async def serve() -> None:
        stop, loop = asyncio.Event(), asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, stop.set)
        async with served_locally(feed, questions) as link:
            # Whoever reads the report from a pipe finds nothing else in it.
            console(stderr=True).print(f"See it: {link}\nCtrl-C ends it.")
            await stop.wait()

    asyncio.run(serve())
