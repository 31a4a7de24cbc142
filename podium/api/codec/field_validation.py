"""The options of a request for unknown and repeated fields (`fieldValidation`)."""

from enum import StrEnum


class FieldValidation(StrEnum):
    """How unknown and repeated fields are treated; values are those of kubectl's `--validate`."""

    STRICT = "strict"
    WARN = "warn"
    IGNORE = "ignore"
