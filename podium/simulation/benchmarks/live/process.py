"""`podium up` as a process that is measured."""

import asyncio
import os
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec

from podium.simulation.benchmarks.live.connection import LiveBenchError, LiveTarget

_LOOK_S = 0.05
_START_S_MAX = 600.0
_KIB_PER_MIB = 1024


class UpProcess(msgspec.Struct, frozen=True):
    """A process of `podium up` that is ready."""

    target: LiveTarget
    pid: int

    def memory_mib(self) -> float:
        """The resident set of its process now, in MiB; of Linux alone."""
        for line in Path(f"/proc/{self.pid}/status").read_text(encoding="ascii").splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) / _KIB_PER_MIB
        raise LiveBenchError(f"process {self.pid} doesn't tell how much memory it has")

    def processor_s(self) -> float:
        """The seconds that its process has had a processor for; of Linux alone."""
        fields = (
            Path(f"/proc/{self.pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
        )
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@asynccontextmanager
async def up(*options: str, keeps: bool = False) -> AsyncIterator[UpProcess]:
    """Run `podium up` until the end of `async with`; raises LiveBenchError.

    Args:
        keeps: whether it keeps what it has in a database, instead of in memory alone.
    """
    with TemporaryDirectory(prefix="podium-bench-") as directory:
        # Without a data directory of its own, the cluster makes one in there.
        kept = ["--data-dir", directory] if keeps else []
        command = [sys.executable, "-m", "podium", "up", "--port", "0", *options, *kept]
        process = subprocess.Popen(
            command,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "TMPDIR": directory},
        )
        try:
            kubeconfig = await _ready(process, Path(directory))
            yield UpProcess(LiveTarget.of(kubeconfig), process.pid)
        finally:
            process.terminate()
            await asyncio.to_thread(process.communicate)


async def _ready(process: "subprocess.Popen[str]", directory: Path) -> Path:
    for _ in range(int(_START_S_MAX / _LOOK_S)):
        for kubeconfig in (directory / "kubeconfig", *directory.glob("podium-*/kubeconfig")):
            if kubeconfig.exists():
                return kubeconfig
        if process.poll() is not None:
            told = process.stderr.read() if process.stderr else ""
            raise LiveBenchError(f"podium up has ended: {told.strip()}")
        await asyncio.sleep(_LOOK_S)
    raise LiveBenchError(f"podium up wasn't ready within {_START_S_MAX:.0f} s")
