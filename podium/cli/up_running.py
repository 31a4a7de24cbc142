"""The life of `podium up`: from the start to a signal, or to the end of a story."""

import asyncio
import signal
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from podium.api.refused import Refused
from podium.cli.output import print_warnings
from podium.cli.up_display import REFRESH_S, Display, display, greeting
from podium.embedded.acting import Actor
from podium.embedded.cluster import EmbeddedCluster, EmbeddedOptions
from podium.embedded.story import Story
from podium.embedded.tally import Tally


@dataclass(frozen=True, slots=True)
class Wish:
    """What is to be run.

    Attributes:
        options: what the cluster consists of.
        applied: objects to apply once it is ready, and to tell the story of.
    """

    options: EmbeddedOptions
    applied: Sequence[Mapping[str, Any]]


async def run(wish: Wish) -> None:
    """Run a cluster until Ctrl-C or SIGTERM.

    Raises:
        PodiumError: it can't start, or can't go on.
    """
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    async with EmbeddedCluster(wish.options) as embedded:
        if embedded.taken_up and wish.options.objects:
            print_warnings([f"{wish.options.data_dir} has a cluster; it goes on as it was"])
        print_warnings(embedded.notes)
        with display() as shown:
            for line in greeting(embedded):
                shown.say(line)
            await embedded.alongside(_show(embedded, wish, shown, stop))


async def _show(embedded: EmbeddedCluster, wish: Wish, shown: Display, stop: asyncio.Event) -> None:
    tally = Tally(embedded.cluster.store)
    story = Story(embedded) if wish.applied else None
    if wish.applied:
        _apply(embedded, wish.applied)
    while not stop.is_set():
        for at, sentence in story.told() if story else ():
            shown.tell(at, sentence)
        is_over = story is not None and story.is_over() and not shown.is_terminal
        shown.show(tally.look(), embedded.backend.now_s(), is_last=is_over)
        if is_over:
            return
        try:
            await asyncio.wait_for(stop.wait(), REFRESH_S)
        except TimeoutError:
            continue


def _apply(embedded: EmbeddedCluster, objects: Sequence[Mapping[str, Any]]) -> None:
    try:
        Actor(embedded.cluster).apply(objects)
    except Refused as refused:
        print_warnings([f"--apply: {refused.message}"])
    embedded.backend.acted()
