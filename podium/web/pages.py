"""What the dashboard tells of one object, when somebody asks for it."""

from collections.abc import Sequence
from typing import Any

import msgspec

from podium.web.views import Entry


class PodPage(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A pod.

    Attributes:
        manifest: in YAML, as it is now; empty if it is gone.
        history: what is known to have happened to it.
        explanation: the decision about it, as a presentation; None if there is none.
        problem: why there is none; else empty.
    """

    manifest: str
    history: Sequence[Entry]
    explanation: Any
    problem: str


class SignalRow(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """An eviction signal of a node: what is left, and below what the node evicts pods."""

    signal: str
    available: str
    threshold: str
    kind: str


class NodePage(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A node; the fields are as a pod's page has them."""

    manifest: str
    signals: Sequence[SignalRow]
    history: Sequence[Entry]
