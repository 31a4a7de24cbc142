"""What holds of profiles once their plugins are spread over the extension points.

The rules are those of `NewFramework` in `pkg/scheduler/framework/runtime/framework.go` and of
`NewMap` in `pkg/scheduler/profile/profile.go`, v1.36.
"""

from collections.abc import Iterator, Sequence

from podium.api.errors import FieldError
from podium.config.merge import Expanded
from podium.config.types import ExtensionPoint, ProfileConfig
from podium.documents import InvalidDocumentError


def check_expanded(profiles: Sequence[tuple[ProfileConfig, Expanded]]) -> None:
    """Check profiles, in the order of the configuration, together with their expansions.

    Raises:
        InvalidDocumentError: a profile hasn't exactly one queueSort plugin or has no bind
            plugin, or the profiles sort the queue in different ways.
    """
    if faults := list(_faults(profiles)):
        raise InvalidDocumentError(faults)


def _faults(profiles: Sequence[tuple[ProfileConfig, Expanded]]) -> Iterator[FieldError]:
    for index, (profile, expanded) in enumerate(profiles):
        path = f"profiles[{index}].plugins"
        sorters = [plugin.name for plugin in expanded[ExtensionPoint.QUEUE_SORT]]
        if len(sorters) != 1:
            message = f"{profile.scheduler_name} needs exactly one queueSort plugin"
            yield FieldError(f"{path}.queueSort", sorters, message)
        elif _sorting(profile, expanded) != _sorting(*profiles[0]):
            message = "queueSort plugin and arguments must be the same in all profiles"
            yield FieldError(f"{path}.queueSort", sorters[0], message)
        if not expanded[ExtensionPoint.BIND]:
            message = f"{profile.scheduler_name} needs at least one bind plugin"
            yield FieldError(f"{path}.bind", [], message)


def _sorting(profile: ProfileConfig, expanded: Expanded) -> list[tuple[str, object]]:
    sorters = expanded[ExtensionPoint.QUEUE_SORT]
    return [(plugin.name, profile.plugin_config.get(plugin.name)) for plugin in sorters]
