"""`profiles`: each by itself, then all against each other.

The rules are those of `validateKubeSchedulerProfile` and `validateCommonQueueSort` in
`pkg/scheduler/apis/config/validation/validation.go`, v1.36. What can only be said of expanded
profiles (exactly one queueSort plugin, at least one bind plugin) is in `expanded.py`.
"""

from collections.abc import Collection, Mapping
from types import MappingProxyType

from podium.api.errors import ErrorKind, FieldError
from podium.config.args import DEFAULT_ARGS, Args
from podium.config.defaults import DEFAULT_PLUGINS
from podium.config.merge import merge_plugins
from podium.config.reading.fields import Fields
from podium.config.reading.plugin_args import read_args
from podium.config.reading.plugin_sets import check_known, read_plugin_sets
from podium.config.types import DEFAULT_SCHEDULER_NAME, ExtensionPoint, PluginSet, ProfileConfig

_PROFILE_FIELDS = ("schedulerName", "percentageOfNodesToScore", "plugins", "pluginConfig")


def read_profiles(
    configuration: Fields, known_plugins: Collection[str], percentage: int | None
) -> tuple[ProfileConfig, ...]:
    """All profiles; a default one if there are none.

    Args:
        configuration: the document.
        known_plugins: all that can be enabled.
        percentage: the configuration's percentageOfNodesToScore, for profiles without one.
    """
    objects = configuration.each("profiles", _PROFILE_FIELDS)
    if not objects:
        objects = [Fields({}, configuration.at("profiles[0]"), configuration.findings, ())]
    default_name = DEFAULT_SCHEDULER_NAME if len(objects) == 1 else ""
    profiles = tuple(_profile(each, known_plugins, percentage, default_name) for each in objects)
    _check_names(objects, profiles)
    _check_queue_sort(objects, profiles)
    return profiles


def read_percentage(fields: Fields) -> int | None:
    """`percentageOfNodesToScore` as given, None if it wasn't."""
    name = "percentageOfNodesToScore"
    return fields.integer_in(name, 0, 0, 100) if fields.has(name) else None


def _profile(
    fields: Fields, known_plugins: Collection[str], percentage: int | None, default_name: str
) -> ProfileConfig:
    name = fields.text("schedulerName", default_name)
    if not name:
        message = "the name by which pods choose this profile"
        fields.fault("schedulerName", message, ErrorKind.REQUIRED)
    own_percentage = read_percentage(fields)
    return ProfileConfig(
        scheduler_name=name,
        percentage_of_nodes_to_score=percentage if own_percentage is None else own_percentage,
        plugins=merge_plugins(DEFAULT_PLUGINS, read_plugin_sets(fields, known_plugins)),
        plugin_config=_plugin_config(fields, known_plugins),
    )


def _plugin_config(profile: Fields, known_plugins: Collection[str]) -> Mapping[str, Args]:
    own: dict[str, Args] = {}
    for entry in profile.each("pluginConfig", ("name", "args")):
        name = check_known(entry, known_plugins)
        if name in own:
            entry.fault("name", "", ErrorKind.DUPLICATE)
        own[name] = read_args(name, entry)
    return MappingProxyType({**DEFAULT_ARGS, **own})


def _check_names(objects: list[Fields], profiles: tuple[ProfileConfig, ...]) -> None:
    owners: dict[str, Fields] = {}
    for fields, profile in zip(objects, profiles, strict=True):
        name = profile.scheduler_name
        if name and name in owners:
            message = f"also the name of {owners[name].path}"
            fields.fault("schedulerName", message, ErrorKind.DUPLICATE)
        owners.setdefault(name, fields)


def _check_queue_sort(objects: list[Fields], profiles: tuple[ProfileConfig, ...]) -> None:
    """All profiles share one queue, so they must sort it alike."""
    first = _queue_sort(profiles[0])
    for fields, profile in zip(objects, profiles, strict=True):
        own = _queue_sort(profile)
        path = fields.at(f"plugins.{ExtensionPoint.QUEUE_SORT}")
        names = [plugin.name for plugin in own.enabled]
        if len(names) > 1:
            _fault(fields, f"{path}.enabled", names, "only one queueSort plugin can be enabled")
        if own != first:
            _fault(fields, path, names, "must be the same in all profiles")
        for name in names[:1]:
            if profile.plugin_config.get(name) != profiles[0].plugin_config.get(name):
                message = f"the arguments of {name} must be the same in all profiles"
                _fault(fields, fields.at("pluginConfig"), name, message)


def _queue_sort(profile: ProfileConfig) -> PluginSet:
    return profile.plugins.at(ExtensionPoint.QUEUE_SORT)


def _fault(fields: Fields, path: str, value: object, message: str) -> None:
    fields.findings.faults.append(FieldError(path, value, message))
