"""How a request treats unknown and repeated fields (`fieldValidation`)."""

from enum import StrEnum


class FieldValidation(StrEnum):
    """What becomes of unknown fields, and of fields that stand twice, as kubectl's `--validate`."""

    STRICT = "strict"
    WARN = "warn"
    IGNORE = "ignore"
