"""The error of a configuration that can't be used, with all its faults."""

from collections.abc import Iterable

from podium.api.errors import FieldError, PodiumError


class InvalidConfigurationError(PodiumError):
    """A configuration that can't be used; carries every fault as `errors`, in reading order."""

    def __init__(self, errors: Iterable[FieldError]) -> None:
        self.errors = tuple(errors)
        super().__init__(self.errors)

    def __str__(self) -> str:
        return "\n".join(map(str, self.errors))
