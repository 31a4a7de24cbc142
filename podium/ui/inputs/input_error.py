"""The error of inputs that can't be had."""

from podium.api.errors import PodiumError


class InputError(PodiumError):
    """An input can't be read, or options contradict each other."""
