"""Short ways to load a configuration and to see what is wrong with one."""

from collections.abc import Callable
from typing import Any

import pytest

from podium.api.documents.document import InvalidDocumentError
from podium.scheduler.config.args import API_VERSION, Args
from podium.scheduler.config.defaults import DEFAULT_PLUGIN_NAMES
from podium.scheduler.config.document import KIND
from podium.scheduler.config.load import Loaded, load_configuration

KNOWN = DEFAULT_PLUGIN_NAMES | {"Custom", "OtherSort"}

Load = Callable[..., Loaded]
Faults = Callable[..., list[str]]


def document(**fields: Any) -> dict[str, Any]:
    return {"apiVersion": API_VERSION, "kind": KIND, **fields}


@pytest.fixture
def load() -> Load:
    """Loads a configuration with these top-level fields."""
    return lambda **fields: load_configuration([document(**fields)], KNOWN)


@pytest.fixture
def faults() -> Faults:
    """What is wrong with a configuration of these top-level fields, as texts."""

    def faults_of(**fields: Any) -> list[str]:
        with pytest.raises(InvalidDocumentError) as caught:
            load_configuration([document(**fields)], KNOWN)
        return [str(error) for error in caught.value.errors]

    return faults_of


@pytest.fixture
def args(load: Load) -> Callable[[str, object], Args]:
    """The arguments of a plugin, from what stands in its `args`."""

    def args_of(plugin: str, raw: object) -> Args:
        loaded = load(profiles=[{"pluginConfig": [{"name": plugin, "args": raw}]}])
        return loaded.configuration.profiles[0].args[plugin]

    return args_of


@pytest.fixture
def args_faults(faults: Faults) -> Callable[[str, object], list[str]]:
    """What is wrong with a plugin's `args`, fields relative to them."""

    def faults_of(plugin: str, raw: object) -> list[str]:
        prefix = "profiles[0].pluginConfig[0].args"
        found = faults(profiles=[{"pluginConfig": [{"name": plugin, "args": raw}]}])
        assert all(text.startswith(prefix) for text in found)
        return [text.removeprefix(prefix).removeprefix(".") for text in found]

    return faults_of
