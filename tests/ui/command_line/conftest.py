"""The command line in process, with files to work on."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from podium.api.codec.yaml_text import write_yaml
from podium.ui.command_line.main import app

Invoke = Callable[..., Result]
Write = Callable[..., str]


@pytest.fixture
def podium() -> Invoke:
    """Runs the command with these arguments, off a terminal."""

    def invoke(*arguments: str, stdin: str | None = None, **environment: str) -> Result:
        result = CliRunner().invoke(app, arguments, input=stdin, env=environment)
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result

    return invoke


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes objects into a file of that name, and returns its path."""

    def write_objects(name: str, *objects: Any) -> str:
        path = tmp_path / name
        path.write_text("---\n".join(map(write_yaml, objects)))
        return str(path)

    return write_objects
