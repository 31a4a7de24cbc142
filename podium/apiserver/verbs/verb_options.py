"""Options and results of verbs."""

from typing import NamedTuple

import msgspec

from podium.api.objects import Object


class DeleteOptions(msgspec.Struct, frozen=True):
    """The options of a deletion, as in a `DeleteOptions` object (meta/v1).

    Attributes:
        grace_period_s: how long a pod may take; None for the pod's own period, below 0 counts as 1.
        uid: the uid that the object must have, unless None.
        resource_version: the version that the object must have, unless None.
        propagation: `Background`, `Foreground` or `Orphan`; empty for the default of object and
            kind.
    """

    grace_period_s: int | None = None
    uid: str | None = None
    resource_version: str | None = None
    propagation: str = ""

    @classmethod
    def of(cls, raw: Object) -> "DeleteOptions":
        """Read a `DeleteOptions` object, but for its `dryRun`."""
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
    """The options of a list or a watch.

    Attributes:
        resource_version: of a list, empty for the latest state, `0` for any, otherwise a version;
            of a watch, the version whose changes come first; empty or `0` for all objects first.
        resource_version_match: `Exact` or `NotOlderThan`; empty for the conventions of the API.
        limit: the most objects on a page; 0 or less for all.
        timeout_s: None for the server's choice.
        send_initial_events: whether a watch starts with all objects and a bookmark; None if the
            version decides.
    """

    label_selector: str = ""
    field_selector: str = ""
    watch: bool = False
    resource_version: str = ""
    resource_version_match: str = ""
    limit: int = 0
    continue_token: str = ""
    timeout_s: int | None = None
    allow_watch_bookmarks: bool = False
    send_initial_events: bool | None = None


class Written(NamedTuple):
    """The object after a write, whether it is new, and warnings for the client."""

    obj: Object
    created: bool
    warnings: tuple[str, ...] = ()


class Deleted(NamedTuple):
    """The result of a deletion.

    Attributes:
        obj: the last state of the object, with its deletion noted if that was written.
        gone: False if finalizers or a grace period keep the object.
        answer: the answer to the client: the object, or a `Status` for most kinds.
    """

    obj: Object
    gone: bool
    answer: Object
