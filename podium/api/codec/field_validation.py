"""How a request treats unknown and repeated fields (`fieldValidation`)."""

from enum import StrEnum


class FieldValidation(StrEnum):
    """The treatment of unknown and repeated fields, with the values of kubectl's `--validate`."""

    STRICT = "strict"
    WARN = "warn"
    IGNORE = "ignore"
