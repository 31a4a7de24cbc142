"""Cases in text files: what is asked, and behind bars what is answered.

A case is a kind and a YAML mapping from paths to values, by which a sample object is changed; null
takes a field away. An update has a second mapping behind an arrow, and its subresource behind the
kind. `base` before the kind changes the sample for the rest of the file. Blank lines separate
cases, and lines that begin with `#` are comments.
"""

import fcntl
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import reduce
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml

from tests.objects import Obj

# What upstream tells beside a rule for names: examples, and a regular expression.
_EXAMPLES = re.compile(r"\(e\.g\. .*regex used for validation is '.*'\)")


class Case(NamedTuple):
    """What is asked; `changes` are empty where there is no arrow."""

    text: str
    kind: str
    subresource: str
    obj: Obj
    changes: Obj


def assert_answers(
    file: Path, sample: Callable[[str], Obj], answer: Callable[[Case], Iterable[str]]
) -> None:
    """Compare all answers in a file with those given now; UPDATE=1 writes the latter down."""
    blocks = []
    for case in cases(file, sample):
        if isinstance(case, Case):
            texts = [_EXAMPLES.sub("(…)", text) for text in answer(case)]
            counts = [(text, len([*repeated])) for text, repeated in groupby(texts)]
            told = [text if count == 1 else f"{text} ({count} times)" for text, count in counts]
            lines = [f"| {line}" for text in told for line in text.splitlines()]
            blocks.append("\n".join([case.text, *lines]))
        else:
            blocks.append(case)
    now = "\n\n".join(blocks) + "\n"
    expected = file.read_text()
    if os.environ.get("UPDATE"):
        file.write_text(now)
    assert now == expected, "UPDATE=1 pytest tests/apiserver writes down what is answered now"


def cases(file: Path, sample: Callable[[str], Obj]) -> Iterator[Case | str]:
    """The cases of a file, and its comments and `base` lines as they are."""
    samples: dict[str, Obj] = {}
    for block in file.read_text().strip().split("\n\n"):
        if block.startswith("#"):
            yield block
            continue
        text = "\n".join(line for line in block.splitlines() if not line.startswith("|"))
        before, _, after = text.partition(" -> ")
        name, _, fields = before.removeprefix("base ").partition(" ")
        kind, _, subresource = name.partition("/")
        obj = changed(samples.get(kind) or sample(kind), yaml.safe_load(fields or "{}"))
        if text.startswith("base "):
            samples[kind] = obj
            yield text
        else:
            yield Case(text, kind, subresource, obj, yaml.safe_load(after or "{}"))


def changed(obj: Obj, changes: Mapping[str, Any]) -> Obj:
    """An object with other values at some paths, such as `spec.containers.0.image`."""
    return reduce(lambda value, change: with_value(value, *change), changes.items(), obj)


def with_value(value: Any, path: str, new: Any) -> Any:
    """The value with another one at a path, or, for None, with none."""
    step, _, rest = path.partition(".")
    if isinstance(value, list):
        index = int(step)
        inner = with_value(value[index], rest, new) if rest else new
        return [*value[:index], inner, *value[index + 1 :]]
    if rest:
        new = with_value(value.get(step) or {}, rest, new)
    made = {**value, step: new}
    return {field: one for field, one in made.items() if field != step or one is not None}


def at(value: Any, path: str) -> Any:
    """The value at a path, in which `*` stands for each entry of a list."""
    step, _, rest = path.partition(".")
    if not step:
        return value
    if step == "*":
        return [at(entry, rest) for entry in value or ()]
    if isinstance(value, list):
        return at(value[int(step)], rest) if int(step) < len(value) else None
    return at(value.get(step), rest) if isinstance(value, dict) else None


def scenes(files: Iterable[Path]) -> list[Any]:
    """The scenes of files, each named by the sentence that it begins with."""
    found = []
    for file in files:
        for scene in file.read_text().strip().split("\n\n"):
            sentence = scene.partition("\n")[0].removeprefix("# ").removesuffix(".")
            found.append(pytest.param(file, scene, id=f"{file.stem}: {sentence}"))
    return found


def _replace(file: Path, scene: str, now: str) -> None:
    # Scenes of a file may be played by several processes at once.
    folder = os.open(file.parent, os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        whole = file.with_name(f".{file.name}")
        whole.write_text(file.read_text().replace(scene, now))
        whole.replace(file)
    finally:
        os.close(folder)


def assert_played(file: Path, scene: str, answer: Callable[[str], Iterable[str]]) -> None:
    """Compare the answers in a scene with those given now; UPDATE=1 writes the latter down."""
    lines = []
    text = "\n".join(line for line in scene.splitlines() if not line.startswith("|"))
    # A line that is indented goes on with the one before.
    for step in re.split(r"\n(?! )", text):
        lines.append(step)
        if not step.startswith("#"):
            lines += (f"| {line}".rstrip() for line in answer(" ".join(step.split())))
    now = "\n".join(lines)
    if os.environ.get("UPDATE"):
        _replace(file, scene, now)
    assert now == scene, f"UPDATE=1 pytest {file.parent} writes down what is answered now"
