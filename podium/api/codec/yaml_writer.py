"""Writing of values as YAML that every reader of Kubernetes' YAML reads back unchanged."""

from typing import Any

import yaml

from podium.api.codec.yaml_scalars import scalar
from podium.api.values.terminal_text import steers

# Kubernetes breaks no lines.
_LINE_LENGTH_MAX = 2**31 - 1


class _Dumper(getattr(yaml, "CSafeDumper", yaml.SafeDumper)):  # type: ignore[misc]
    # Writes no aliases, and quotes strings that would be read as something else.

    def ignore_aliases(self, _data: Any) -> bool:
        return True


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    try:
        # PyYAML leaves `y` and `1e3` without quotes.
        style = None if scalar(text, None, plain=True) == text else "'"
    except ValueError:
        style = "'"
    # Only within double quotes can these be escaped.
    return dumper.represent_scalar(
        "tag:yaml.org,2002:str", text, style='"' if steers(text) else style
    )


_Dumper.add_representer(str, _text)


def write_yaml(value: Any, *, sort_keys: bool = True) -> str:
    """Write a JSON value as a YAML document."""
    return str(
        yaml.dump(
            value, Dumper=_Dumper, allow_unicode=True, width=_LINE_LENGTH_MAX, sort_keys=sort_keys
        )
    )
