"""What is different between two structures, line by line, as refusals show it."""

import json
from difflib import unified_diff
from typing import Any

_HEADER_LINES = 2
# Go writes these as if the JSON were to stand in a web page.
_ESCAPED = str.maketrans({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"})


def difference(old: Any, new: Any) -> str:
    """The lines of the structures' JSON that differ, each with its neighbours; empty if none do."""
    lines = unified_diff(_lines(old), _lines(new), n=3, lineterm="")
    return "".join(f"{line}\n" for line in list(lines)[_HEADER_LINES:])


def _lines(value: Any) -> list[str]:
    return json.dumps(value, indent=1, ensure_ascii=False).translate(_ESCAPED).splitlines()
