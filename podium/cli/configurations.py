"""How schedulers and kubelets are configured: the files that say so.

What it takes to read one is imported when there is one.
"""

import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from podium.cli.options import InputError
from podium.node import kubelet_config
from podium.node.kubelet_config import KubeletConfig
from podium.node.pressure.threshold_parsing import EQUALS, ThresholdError, parse_flag

if TYPE_CHECKING:
    from podium.config.load import Loaded as LoadedConfiguration

NO_FLAGS: Mapping[str, str | int | None] = {}


def read_scheduler_config(path: str | None) -> "LoadedConfiguration | None":
    """The configuration in a file; None if there is no file.

    Raises:
        InputError: it can't be read, or something in it is wrong.
    """
    if path is None:
        return None
    from podium.config.errors import InvalidConfigurationError
    from podium.config.load import load_configuration
    from podium.profile import plugin_factories

    try:
        return load_configuration(_documents(path), plugin_factories().keys())
    except InvalidConfigurationError as error:
        raise InputError("\n".join(f"{path}: {fault}" for fault in error.errors)) from error


def read_kubelet_config(
    path: str | None, flags: Mapping[str, str | int | None] = NO_FLAGS
) -> KubeletConfig:
    """How kubelets are configured, as the KubeletConfiguration in a file has it; defaults if None.

    Args:
        path: of the file.
        flags: what goes in place of its fields, as the kubelet's flags have it; None for nothing.

    Raises:
        InputError: it can't be read, or something in it is wrong.
    """
    found = {} if path is None else _kubelet_document(path)
    for field, given in flags.items():
        if given is not None:
            is_map = field.endswith("Reserved") and isinstance(given, str)
            found[field] = parse_flag(str(given), EQUALS) if is_map else given
    where = "" if path is None else f"{path}: "
    try:
        return kubelet_config.read_kubelet_config(found)
    except ThresholdError as error:
        raise InputError("\n".join(f"{where}{fault}" for fault in error.faults)) from error
    except kubelet_config.KubeletConfigError as error:
        raise InputError(f"{where}{error}") from error


def _kubelet_document(path: str) -> dict[str, Any]:
    documents = _documents(path)
    found = documents[0] if len(documents) == 1 else None
    if not isinstance(found, dict):
        raise InputError(f"{path}: must hold one document, a {kubelet_config.KIND}")
    return found


def _documents(path: str) -> list[Any]:
    from podium.apiserver.decoding.yaml_text import read_yaml
    from podium.manifests.input_files import read_text

    documents = list(read_yaml(read_text(path, sys.stdin.buffer)))
    faults = [f"{path}, line {f.line}: {f.message}" for d in documents for f in d.faults]
    if faults:
        raise InputError("\n".join(faults))
    return [document.value for document in documents]
