"""`podium scheduler`: schedule a real cluster through its API server."""

from podium.ui.command_line.options.process_options import SchedulerCommandOptions
from podium.ui.inputs.input_error import check_extra


class SchedulerCommand(SchedulerCommandOptions):
    """Schedule the pods of a real cluster, in place of kube-scheduler or beside it, until SIGTERM.

    Without --kubeconfig, $KUBECONFIG and ~/.kube/config, it uses the service account of its pod.
    """

    def run(self) -> None:
        check_extra("a scheduler of a real cluster")
        # Imported when it is called, so that help, completion and the library start at once.
        import asyncio

        from podium.ui.command_line.processes.scheduler_launcher import run

        asyncio.run(run(self))
