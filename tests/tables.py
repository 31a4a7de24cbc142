"""Text files of functions, their arguments in YAML, and what they return.

A line is `function arguments -> result in JSON`, or the error behind the arrow. Lines that begin
with `#` say what the lines below them show.
"""

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import yaml

from podium.api.errors import PodiumError, RefusedError


def assert_results(file: Path, functions: Mapping[str, Callable[..., Any]]) -> None:
    """Compare all results in a file with those of now; UPDATE=1 writes the latter down."""
    expected = file.read_text()
    lines = expected.splitlines()
    now = [_result(line, functions) if line and line[0] != "#" else line for line in lines]
    text = "\n".join(now) + "\n"
    if os.environ.get("UPDATE"):
        file.write_text(text)
    assert text == expected, f"UPDATE=1 pytest {file.parent} writes down what is returned now"


def _result(line: str, functions: Mapping[str, Callable[..., Any]]) -> str:
    call = line.partition(" -> ")[0]
    name, _, arguments = call.partition(" ")
    try:
        returned = json.dumps(
            functions[name](*yaml.safe_load(f"[{arguments}]")), ensure_ascii=False
        )
    except RefusedError as refusal:
        returned = f"{refusal.code} {refusal.reason}: {refusal.message}"
    except (PodiumError, ValueError) as error:
        returned = f"{type(error).__name__}: {error}"
    # Errors may hold line breaks, and a time zone of a zero byte.
    return f"{call} -> {returned}".replace("\n", r"\n").replace("\0", r"\0")
