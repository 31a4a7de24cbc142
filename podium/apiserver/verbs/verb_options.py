"""Options and results of verbs."""

from typing import NamedTuple

import msgspec

from podium.api.objects import Object


class DeleteOptions(msgspec.Struct, frozen=True):
    """The options of a deletion, as in a `DeleteOptions` object, with its preconditions."""

    grace_period_s: int | None = None
    """Grace period in seconds; None for the pod's own, negative counts as 1."""
    uid: str | None = None
    resource_version: str | None = None
    propagation: str = ""
    """`Background`, `Foreground` or `Orphan`; empty for the default."""

    @classmethod
    def of(cls, raw: Object) -> "DeleteOptions":
        """Convert a `DeleteOptions` object; `dryRun` is ignored."""
        conditions = raw.get("preconditions") or {}
        orphan = raw.get("orphanDependents")
        by_orphan = "" if orphan is None else "Orphan" if orphan else "Background"
        return cls(
            grace_period_s=raw.get("gracePeriodSeconds"),
            uid=conditions.get("uid"),
            resource_version=conditions.get("resourceVersion"),
            propagation=by_orphan or raw.get("propagationPolicy") or "",
        )


class ListOptions(msgspec.Struct, frozen=True):
    """The options of a list or a watch."""

    label_selector: str = ""
    field_selector: str = ""
    watch: bool = False
    resource_version: str = ""
    """For a list, empty for the latest state, `0` for any state, or a version; for a watch, the
    version to start after, empty or `0` to start with all objects."""
    resource_version_match: str = ""
    """`Exact` or `NotOlderThan`; empty for the API's default."""
    limit: int = 0
    """Most objects on a page; 0 or less for no limit."""
    continue_token: str = ""
    timeout_s: int | None = None
    """Seconds until a watch ends; None for the server's default."""
    allow_watch_bookmarks: bool = False
    send_initial_events: bool | None = None
    """Whether a watch starts with all objects and a bookmark; None if the version decides."""


class Written(NamedTuple):
    """The object after a write, whether it is new, and warnings for the client."""

    obj: Object
    created: bool
    warnings: tuple[str, ...] = ()


class Deleted(NamedTuple):
    """The result of a deletion: the last state of the object, and the body of the response."""

    obj: Object
    gone: bool
    """False if finalizers or a grace period keep the object."""
    answer: Object
