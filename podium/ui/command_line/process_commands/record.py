"""`podium record`: record what happens in a real cluster, to replay it."""

from pathlib import Path

from podium.ui.inputs.input_error import InputError, check_extra
from podium.ui.inputs.option import option
from podium.ui.inputs.request_options import ClusterOptions


class RecordCommand(ClusterOptions):
    """Record what happens in a cluster, until Ctrl-C or SIGTERM; the cluster isn't changed.

    A recording that exists in the directory is continued.
    """

    output_dir: str | None = option("DIR", formerly=("--output", "-o")).help("""
        Directory for the recording; required.""")
    config: str | None = option("FILE").help("""
        KubeSchedulerConfiguration (v1) of the cluster's scheduler, to keep with the recording.
        [default: kube-scheduler's default profile]""")

    def run(self) -> None:
        if self.output_dir is None:
            raise InputError("--output-dir is missing: name the directory of the recording")
        check_extra("recording a cluster")
        # Imported when it is called, so that help, completion and the library start at once.
        import asyncio

        from podium.ui.command_line.processes.record_process import record_until_end

        asyncio.run(record_until_end(Path(self.output_dir), self, self.config))
