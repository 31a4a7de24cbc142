"""Requests that roles permit or don't, in `probes.txt`; asked here and of the real API server."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import yaml

MERGE = "application/merge-patch+json"

Json = dict[str, Any]
Ask = Callable[[str, str, Json | None, dict[str, str]], tuple[int, Any]]


class Probe(NamedTuple):
    """A request in the name of a user; empty for the administrator."""

    user: str
    method: str
    path: str
    body: Json | None
    group: str


def _read(paragraph: str) -> Iterator[Probe]:
    for line in re.split(r"\n(?! )", paragraph.strip()):
        if not line.startswith("#"):
            user, method, path, body = (*line.split(None, 3), "")[:4]
            name, _, group = user.partition("/")
            sent = yaml.safe_load(body) if body else None
            yield Probe("" if name == "-" else name, method, path, sent, group)


_SETUP, _PROBES = Path(__file__).with_suffix(".txt").read_text().split("\n\n")
SETUP = tuple((probe.path, probe.body) for probe in _read(_SETUP))
PROBES = tuple(_read(_PROBES))


def clear(ask: Ask) -> None:
    """Remove all that the probes may have left."""
    for path, body in (*SETUP, *((probe.path, probe.body) for probe in PROBES if probe.body)):
        if name := (body or {}).get("metadata", {}).get("name"):
            ask("DELETE", f"{path}/{name}", None, {})


def answers(ask: Ask) -> list[tuple[Probe, int, Any]]:
    """What a server answers once it has the roles."""
    for path, body in SETUP:
        code, answer = ask("POST", path, body, {})
        assert code == 201, answer
    found = []
    for probe in PROBES:
        headers = {"Impersonate-User": probe.user} if probe.user else {}
        headers |= {"Impersonate-Group": probe.group} if probe.group else {}
        headers["Content-Type"] = MERGE if probe.method == "PATCH" else "application/json"
        code, answer = ask(probe.method, probe.path, probe.body, headers)
        if code < 400 and "status" not in answer:
            answer = {}
        found.append((probe, code, {**answer, "metadata": {}} if answer else answer))
    return found
