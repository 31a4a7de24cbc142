"""Bodies in YAML, as kube-apiserver reads them: the first document, turned into JSON."""

from typing import Any

from podium.apiserver.decoding.document import TextFault, decoded
from podium.apiserver.decoding.reading import UnreadableTextError
from podium.apiserver.decoding.yaml_text import read_yaml

_OUR_PREFIX = "not valid YAML: "


def read_yaml_body(body: bytes) -> tuple[Any, tuple[str, ...]]:
    """The value of a body, and the keys that stand twice in it, such as `line 3: key "a" ...`.

    Raises:
        UnreadableTextError: it isn't YAML.
    """
    text, fault = decoded(body)
    if fault:
        raise _unreadable(fault)
    repeated: list[str] = []

    def note(line: int, key: str) -> None:
        repeated.append(f'line {line}: key "{key}" already set in map')

    document = next(read_yaml(text, note), None)
    if document is None:
        return None, ()
    if document.faults:
        raise _unreadable(document.faults[0])
    return document.value, tuple(repeated)


def _unreadable(fault: TextFault) -> UnreadableTextError:
    problem = fault.message.removeprefix(_OUR_PREFIX)
    return UnreadableTextError(f"error converting YAML to JSON: yaml: line {fault.line}: {problem}")
