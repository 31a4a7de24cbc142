"""Files with the configuration of a scheduler or a kubelet.

The modules that read files are imported only if a file is given.
"""

import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from podium.ui.inputs.input_error import InputError

if TYPE_CHECKING:
    from podium.kubelet.kubelet_config import KubeletConfiguration
    from podium.scheduler.config.load import Loaded as LoadedConfiguration

NO_FLAGS: Mapping[str, str | int | None] = {}


def read_scheduler_config(
    path: str | None, plugins: Sequence[str] = (), text: str | None = None
) -> "LoadedConfiguration | None":
    """Read a KubeSchedulerConfiguration; None without a file and plugins; raises InputError.

    Args:
        path: None for the default configuration.
        plugins: `FILE:CLASS` of plugins to enable in each profile that doesn't mention them.
        text: content of the file, if it was read before.
    """
    if path is None and not plugins:
        return None
    # Imported when it is called, so that help, completion and the library start at once.
    from podium.api.documents.document import InvalidDocumentError
    from podium.scheduler.config.load import enabling, load_configuration
    from podium.scheduler.plugin_registry import plugin_factories
    from podium.ui.inputs.plugin_files import load_plugin

    documents: Sequence[object] = [] if path is None else _documents(path, text)
    documents = enabling([load_plugin(one) for one in plugins], documents)
    try:
        return load_configuration(documents, plugin_factories().keys())
    except InvalidDocumentError as error:
        where = "--plugin" if path is None else path
        raise InputError("\n".join(f"{where}: {fault}" for fault in error.errors)) from error


def read_kubelet_config(
    path: str | None, flags: Mapping[str, str | int | None] = NO_FLAGS
) -> "KubeletConfiguration":
    """Read a KubeletConfiguration; without a file, the defaults; raises InputError.

    Args:
        flags: values that override fields, by field name; None doesn't override.
    """
    from podium.api.documents.document import InvalidDocumentError
    from podium.kubelet.kubelet_config import read_kubelet_config

    document = {} if path is None else only_document(path, "KubeletConfiguration")
    given = {field: value for field, value in flags.items() if value is not None}
    try:
        return read_kubelet_config({**document, **given})
    except InvalidDocumentError as error:
        where = "" if path is None else f"{path}: "
        raise InputError("\n".join(f"{where}{fault}" for fault in error.errors)) from error


def only_document(path: str, kind: str) -> dict[str, Any]:
    """Read the only document of a YAML file; raises InputError."""
    documents = _documents(path)
    found = documents[0] if len(documents) == 1 else None
    if not isinstance(found, dict):
        raise InputError(f"{path}: must hold one document, a {kind}")
    return found


def _documents(path: str, text: str | None = None) -> list[Any]:
    from podium.api.codec.yaml_text import read_yaml
    from podium.cluster.manifests.input_files import read_text

    if text is None:
        text = read_text(path, sys.stdin.buffer)
    documents = list(read_yaml(text))
    if not documents:
        raise InputError(f"{path}: must hold a document, but holds nothing")
    faults = [f"{path}, line {f.line}: {f.message}" for d in documents for f in d.faults]
    if faults:
        raise InputError("\n".join(faults))
    return [document.value for document in documents]
