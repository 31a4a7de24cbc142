"""Structured log lines: a sentence and fields, as text or as JSON."""

import json
import logging
from enum import StrEnum
from typing import Any

from podium.api.values.times import timestamp

_FIELDS = "fields"


class LogFormat(StrEnum):
    """The formats of log lines."""

    TEXT = "text"
    JSON = "json"


class LogLevel(StrEnum):
    """The least that is written."""

    DEBUG = "debug"
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


def fields(**values: Any) -> dict[str, Any]:
    """What a line says besides its sentence, as the `extra` of a call of a logger."""
    return {_FIELDS: values}


class LogFormatter(logging.Formatter):
    """Writes a record as one line."""

    def __init__(self, form: LogFormat) -> None:
        super().__init__()
        self._form = form

    def format(self, record: logging.LogRecord) -> str:
        """The line: time, level, sentence, fields; of an error what it came through, in one."""
        said: dict[str, Any] = dict(getattr(record, _FIELDS, {}))
        if record.exc_info:
            said["error"] = self.formatException(record.exc_info)
        at, level = timestamp(record.created), record.levelname.lower()
        if self._form is LogFormat.JSON:
            return json.dumps({"ts": at, "level": level, "msg": record.getMessage(), **said})
        pairs = (f"{name}={json.dumps(value)}" for name, value in said.items())
        return " ".join([at, level.upper(), record.getMessage(), *pairs])


def log_to_stderr(level: LogLevel, form: LogFormat) -> None:
    """Write what is logged from now on, if it is of that level or above."""
    handler = logging.StreamHandler()
    handler.setFormatter(LogFormatter(form))
    logger = logging.getLogger("podium")
    logger.handlers[:] = [handler]
    logger.propagate = False
    logger.setLevel(level.upper())
