"""CPU limits without cgroups, by SIGSTOP and SIGCONT."""

import asyncio
import os
import signal

import msgspec

from podium.kubelet.real.host.process_table import members, processes, send_signal

PERIOD_S = 0.1
_PAUSE_S_MAX = 1.0
_TICKS_PER_S = os.sysconf("SC_CLK_TCK")


class _Limited(msgspec.Struct):
    # A container with a CPU limit; its credit is below 0 if it has used more than its share, and it
    # is paused until `resumes_s`.
    leader: int
    share: float
    credit_s: float = 0.0
    used_s: float = 0.0
    resumes_s: float | None = None


class Throttle:
    """Enforces CPU limits of processes, from `hold` until `release`."""

    def __init__(self) -> None:
        self._limited: dict[int, _Limited] = {}
        self._task: asyncio.Task[None] | None = None

    def hold(self, leader: int, cpu_millis: int) -> None:
        """Limit a process and its descendants to `cpu_millis` thousandths of a CPU."""
        self._limited[leader] = _Limited(leader, cpu_millis / 1000)
        if self._task is None:
            self._task = asyncio.create_task(self._watch())

    def release(self, leader: int) -> None:
        """End the limit of a process, and continue the process so that it can handle signals."""
        limited = self._limited.pop(leader, None)
        if limited is not None and limited.resumes_s is not None:
            send_signal(members(processes(), leader), signal.SIGCONT)

    async def _watch(self) -> None:
        loop = asyncio.get_running_loop()
        last_s = loop.time()
        while self._limited:
            await asyncio.sleep(PERIOD_S)
            now_s, table = loop.time(), processes()
            for limited in list(self._limited.values()):
                pids = members(table, limited.leader)
                used_s = sum(table[pid].cpu_ticks for pid in pids) / _TICKS_PER_S
                # Processes that exited without being waited for aren't counted any more.
                spent_s, limited.used_s = max(used_s - limited.used_s, 0.0), used_s
                credit_s = limited.credit_s + (now_s - last_s) * limited.share - spent_s
                limited.credit_s = min(credit_s, limited.share * PERIOD_S)
                if limited.resumes_s is not None:
                    if limited.credit_s >= 0 or now_s >= limited.resumes_s:
                        limited.resumes_s = None
                        send_signal(pids, signal.SIGCONT)
                elif limited.credit_s < 0:
                    pause_s = min(-limited.credit_s / limited.share, _PAUSE_S_MAX)
                    limited.resumes_s = now_s + pause_s
                    send_signal(pids, signal.SIGSTOP)
            last_s = now_s
        self._task = None
