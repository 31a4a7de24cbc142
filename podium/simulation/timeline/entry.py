"""The entries of a timeline."""

from collections.abc import Mapping
from typing import Any

import msgspec


class TimelineEntry(msgspec.Struct, frozen=True):
    """An event in the cluster, and the object that it happened to, if any.

    Attributes:
        at_s: when, in seconds since the simulation's start.
        type: what, such as `PodBound`; `timeline_sentences.py` lists them all.
        kind: of the object that it happened to; empty if to none.
        namespace: of the object; empty for what stands in none.
        by: who did it: a machine's name, or `user`.
        details: what else there is to know; JSON values.
        uid: of the object; empty if that isn't known.
    """

    at_s: float
    type: str
    kind: str = ""
    namespace: str = ""
    name: str = ""
    by: str = ""
    details: Mapping[str, Any] = msgspec.field(default_factory=dict)
    uid: str = ""


class Fact(msgspec.Struct, frozen=True):
    """The type and details of an entry, as found in a change of an object."""

    type: str
    details: Mapping[str, Any] = msgspec.field(default_factory=dict)
