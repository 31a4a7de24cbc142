"""Structured log lines: a message and fields, as text or as JSON."""

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
    """The lowest level of log records that are written."""

    DEBUG = "debug"
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


def fields(**values: Any) -> dict[str, Any]:
    """Return the fields of a log line, as the `extra` argument of a logger's methods."""
    return {_FIELDS: values}


class LogFormatter(logging.Formatter):
    """Writes a record as one line."""

    def __init__(self, form: LogFormat) -> None:
        super().__init__()
        self._form = form

    def format(self, record: logging.LogRecord) -> str:
        """Return time, level, message and fields in one line; a traceback is a field."""
        values: dict[str, Any] = dict(getattr(record, _FIELDS, {}))
        if record.exc_info:
            values["error"] = self.formatException(record.exc_info)
        at, level = timestamp(record.created), record.levelname.lower()
        if self._form is LogFormat.JSON:
            return json.dumps({"ts": at, "level": level, "msg": record.getMessage(), **values})
        pairs = (f"{name}={json.dumps(value)}" for name, value in values.items())
        return " ".join([at, level.upper(), record.getMessage(), *pairs])


def log_to_stderr(level: LogLevel, form: LogFormat) -> None:
    """Write log records of at least a level to stderr from now on."""
    handler = logging.StreamHandler()
    handler.setFormatter(LogFormatter(form))
    logger = logging.getLogger("podium")
    logger.handlers[:] = [handler]
    logger.propagate = False
    logger.setLevel(level.upper())
