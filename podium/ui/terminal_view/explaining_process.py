"""`podium explain` in a process of its own, so that the view stays alive meanwhile."""

import asyncio
import os
import sys
from collections.abc import Sequence

_ASKED = [sys.executable, "-m", "podium", "explain"]


async def explained(arguments: Sequence[str], width: int) -> str:
    """What `podium explain` prints, with its colours; what it says is wrong, if anything is.

    Args:
        arguments: of the command.
        width: of its lines, in cells.
    """
    # Colours, but nothing that moves.
    told = {"COLUMNS": str(width), "FORCE_COLOR": "1", "TTY_INTERACTIVE": "0"}
    process = await asyncio.create_subprocess_exec(
        *_ASKED,
        *arguments,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env={**os.environ, **told},
    )
    try:
        printed, complaints = await process.communicate()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    return (printed if process.returncode == 0 else complaints).decode(errors="replace")
