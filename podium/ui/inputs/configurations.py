"""Files with the configuration of a scheduler or a kubelet; their readers are imported if used."""

import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from podium.ui.inputs.input_error import InputError
from podium.ui.inputs.option import Configuration, Plugins, several

if TYPE_CHECKING:
    from podium.kubelet.kubelet_config import KubeletConfiguration
    from podium.scheduler.config.load import Loaded as LoadedConfiguration

NO_FLAGS: Mapping[str, str | int | None] = {}


def read_scheduler_config(
    source: Configuration | None, plugins: Plugins = (), text: str | None = None
) -> "LoadedConfiguration | None":
    """Read a KubeSchedulerConfiguration; None without it and plugins; raises InputError.

    Args:
        source: None for the default configuration.
        plugins: plugins to enable in each profile that doesn't mention them.
        text: content of the file, if it was read before.
    """
    names = [*several(plugins)]
    if source is None and not names:
        return None
    # Imported when it is called, so that help, completion and the library start at once.
    from podium.api.documents.document import InvalidDocumentError
    from podium.scheduler.config.load import enabling, load_configuration
    from podium.scheduler.plugin_registry import plugin_factories
    from podium.ui.inputs.plugin_files import load_plugin

    documents: Sequence[object] = [] if source is None else _documents(source, text)
    documents = enabling([load_plugin(plugin) for plugin in names], documents)
    try:
        return load_configuration(documents, plugin_factories().keys())
    except InvalidDocumentError as error:
        where = "--plugin" if source is None else _name(source, "--scheduler-config")
        raise InputError("\n".join(f"{where}: {fault}" for fault in error.errors)) from error


def read_kubelet_config(
    source: Configuration | None, flags: Mapping[str, str | int | None] = NO_FLAGS
) -> "KubeletConfiguration":
    """Read a KubeletConfiguration, if any, and override it by flags; raises InputError."""
    from podium.api.documents.document import InvalidDocumentError
    from podium.kubelet.kubelet_config import read_kubelet_config

    document = {} if source is None else only_document(source, "KubeletConfiguration")
    given = {field: value for field, value in flags.items() if value is not None}
    try:
        return read_kubelet_config({**document, **given})
    except InvalidDocumentError as error:
        where = "" if source is None else f"{_name(source, '--kubelet-config')}: "
        raise InputError("\n".join(f"{where}{fault}" for fault in error.errors)) from error


def only_document(source: Configuration, kind: str) -> Mapping[str, Any]:
    """Return the only document of a YAML file, or the given document; raises InputError."""
    documents = _documents(source)
    document = documents[0] if len(documents) == 1 else None
    if not isinstance(document, Mapping):
        raise InputError(f"{source}: must hold one document, a {kind}")
    return document


def _name(source: Configuration, option: str) -> str:
    return option if isinstance(source, Mapping) else str(source)


def _documents(source: Configuration, text: str | None = None) -> list[Any]:
    if isinstance(source, Mapping):
        return [source]
    from podium.api.codec.yaml_text import read_yaml
    from podium.cluster.manifests.input_files import read_text

    path = str(source)
    if text is None:
        text = read_text(path, sys.stdin.buffer)
    documents = list(read_yaml(text))
    if not documents:
        raise InputError(f"{path}: must hold a document, but holds nothing")
    faults = [f"{path}, line {f.line}: {f.message}" for d in documents for f in d.faults]
    if faults:
        raise InputError("\n".join(faults))
    return [document.value for document in documents]
