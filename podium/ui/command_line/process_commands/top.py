"""`podium top`: watch a running cluster on a terminal."""

import sys

from podium.ui.inputs.input_error import InputError, check_extra
from podium.ui.inputs.option import Texts, option_like, texts
from podium.ui.inputs.request_options import ClusterOptions, Rules


class TopCommand(ClusterOptions):
    """Watch a running cluster on the terminal: nodes, pending pods, preemptions.

    Enter shows the pods of a node, or explains the decision about a pod as podium explain does. The
    cluster isn't changed. Needs podium[top].
    """

    scheduler_config: str | None = option_like(Rules, "scheduler_config")
    plugin: Texts = option_like(Rules, "plugin")

    def run(self) -> None:
        check_extra("podium top")
        check_extra("podium top", "top")
        if not (sys.stdin.isatty() and sys.stdout.isatty()):
            raise InputError(
                "podium top needs a terminal; use podium record to write what happens to files"
            )
        # Imported when it is called, so that help, completion and the library start at once.
        import asyncio
        from random import Random

        from podium.cluster.drivers.live import SteadyClock
        from podium.ui.inputs.state_inputs import cluster_flags, connection_of
        from podium.ui.terminal_view.followed_cluster import followed
        from podium.ui.terminal_view.terminal_app import Top, explained

        arguments = [f"{flag}={value}" for flag, value in cluster_flags(self).items() if value]
        if self.scheduler_config:
            arguments.append(f"--scheduler-config={self.scheduler_config}")
        arguments += [f"--plugin={text}" for text in texts(self.plugin)]

        async def show() -> None:
            connection = await connection_of(self)
            async with followed(connection, Random()) as (cluster, state):
                await Top(
                    self.context or connection.url,
                    cluster,
                    state,
                    lambda pod, width: explained([*arguments, "--", pod], width),
                    SteadyClock().now_s,
                ).run_async()

        asyncio.run(show())
