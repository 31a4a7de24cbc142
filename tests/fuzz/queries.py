"""Queries at random: the parameters of an operation, and those of others."""

from collections.abc import Sequence
from random import Random
from urllib.parse import quote

_NUMBERS = (
    "0",
    "1",
    "3",
    "-1",
    "-5",
    "x",
    "1.5",
    "",
    "9" * 30,
    "9223372036854775807",
    "\u0661",
    "+1",
)
_FLAGS = ("true", "false", "1", "0", "", "x")
_VALUES: dict[str, Sequence[str]] = {
    "limit": _NUMBERS,
    "continue": ("", "abc", "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6LTEsInN0YXJ0IjoiYSJ9", "=", "e30"),
    "resourceVersion": ("0", "1", "5", "-1", "x", "99999999", "9" * 30, ""),
    "resourceVersionMatch": ("Exact", "NotOlderThan", "x", ""),
    "labelSelector": (
        "app=web", "app!=web", "app in (web,db)", "!app", "((", "a=b=c", ",", "app in ()",
        "a>5", "a<x", "x" * 300, "a in (" + ",".join(map(str, range(3_000))) + ")", "a=\x00", "é",
    ),
    "fieldSelector": (
        "metadata.name=a", "spec.nodeName=podium-1", "status.phase!=Running", "x=y", "=", "a\\=b=c",
        "metadata.namespace=default", "metadata.name=a,metadata.name!=b", "\\", "spec.nodeName",
    ),
    "fieldManager": ("fuzz", "other", "x" * 129, "\x00", ""),
    "fieldValidation": ("Strict", "Warn", "Ignore", "x", ""),
    "dryRun": ("All", "x", ""),
    "force": _FLAGS,
    "propagationPolicy": ("Orphan", "Foreground", "Background", "x", ""),
    "orphanDependents": _FLAGS,
    "gracePeriodSeconds": _NUMBERS,
    "timeoutSeconds": _NUMBERS,
    "watch": _FLAGS,
    "allowWatchBookmarks": _FLAGS,
    "sendInitialEvents": _FLAGS,
    "pretty": _FLAGS,
    "includeObject": ("None", "Metadata", "Object", "x"),
    "uid": ("x", ""),
    "follow": _FLAGS,
    "tailLines": _NUMBERS,
    "%ff": ("%00", "&&="),
}  # fmt: skip


def query(rng: Random, parameters: Sequence[str], needed: str = "") -> str:
    """A query with its question mark; empty if it says nothing.

    Args:
        rng: chooses.
        parameters: those of the operation.
        needed: what it says in any case.
    """
    said = [needed] if needed else []
    for _ in range(rng.choice((0, 0, 0, 0, 0, 0, 0, 1, 1, 3))):
        known = [name for name in parameters if name in _VALUES]
        name = rng.choice(known) if known and rng.random() < 0.9 else rng.choice([*_VALUES])
        said.append(f"{name}={quote(rng.choice(_VALUES[name]))}")
    return "?" + "&".join(said) if said else ""
