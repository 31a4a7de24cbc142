"""Pictures and tables for other programs on standard output."""

import sys

from podium.ui.inputs.extras import check_extra
from podium.ui.inputs.input_error import InputError

_NEEDS = {"html": "matplotlib", "png": "matplotlib", "parquet": "pyarrow"}
_BINARY = ("png", "parquet")


def check_plots(output: str) -> None:
    """Find out before anything is played whether it can be written in this form."""
    if output in _NEEDS:
        check_extra(f"-o {output}", "experiments", _NEEDS[output])
    if output in _BINARY and is_terminal():
        raise InputError(f"-o {output} isn't for a terminal: write it to a file, > run.{output}")


def is_terminal() -> bool:
    """Whether standard output is looked at."""
    return sys.stdout.isatty()


def write_binary(data: bytes) -> None:
    """Write bytes to standard output."""
    sys.stdout.flush()
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()
