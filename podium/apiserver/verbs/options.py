"""What the verbs are asked with, and what they answer."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from podium.api.objects import Object


@dataclass(frozen=True, slots=True)
class DeleteOptions:
    """How to delete, as a `DeleteOptions` object (meta/v1) says it.

    Attributes:
        grace_period_s: how long a pod may take; None leaves it to the pod, less than 0 counts as 1.
        uid: the object must have this uid, unless None.
        resource_version: and this version, unless None.
        propagation: what becomes of dependents: `Background`, `Foreground` or `Orphan`; empty
            leaves it to the object and its kind.
    """

    grace_period_s: int | None = None
    uid: str | None = None
    resource_version: str | None = None
    propagation: str = ""

    @classmethod
    def of(cls, raw: Object) -> "DeleteOptions":
        """From a `DeleteOptions` object; whether it is a dry run is told elsewhere."""
        conditions = raw.get("preconditions") or {}
        orphan = raw.get("orphanDependents")
        by_orphan = "" if orphan is None else "Orphan" if orphan else "Background"
        return cls(
            grace_period_s=raw.get("gracePeriodSeconds"),
            uid=conditions.get("uid"),
            resource_version=conditions.get("resourceVersion"),
            propagation=by_orphan or raw.get("propagationPolicy") or "",
        )


@dataclass(frozen=True, slots=True)
class PatchRequest:
    """A patch.

    Attributes:
        patch_type: the media type, one of `PatchType`.
        body: the patch itself, decoded: a list for a JSON patch, otherwise an object.
        api_version: the version that the patch is about, where a kind has several; empty for the
            kind's own.
        field_validation: what becomes of fields that the kind doesn't have: `Strict`, `Warn` or
            `Ignore`; None for a patch of Podium's own, whose types aren't checked either.
    """

    patch_type: str
    body: Any
    api_version: str = ""
    field_validation: str | None = None


@dataclass(frozen=True, slots=True)
class Page:
    """Which state of a list is asked for, and how much of it.

    Attributes:
        limit: at most so many objects; 0 or less means all.
        continue_token: where an earlier page ended.
        resource_version: empty for the latest, `0` for any, otherwise a version.
        match: `Exact` or `NotOlderThan` that version; empty leaves it to the API's conventions.
    """

    limit: int = 0
    continue_token: str = ""
    resource_version: str = ""
    match: str = ""


@dataclass(frozen=True, slots=True)
class Listing:
    """A list, or a page of it.

    Attributes:
        items: by namespace and name.
        resource_version: the state that the list shows.
        continue_token: for the next page; empty if this is the last.
        remaining: how many are left; None if that isn't known, as with selectors.
    """

    items: Sequence[Object]
    resource_version: str
    continue_token: str = ""
    remaining: int | None = None


class Written(NamedTuple):
    """What became of a write.

    Attributes:
        obj: the object as it is now.
        created: whether it was created.
        warnings: what the client is to be told all the same.
    """

    obj: Object
    created: bool
    warnings: tuple[str, ...] = ()


class Deleted(NamedTuple):
    """What became of a deletion.

    Attributes:
        obj: the object's last state, with its deletion noted where that was written.
        gone: whether it is gone; otherwise finalizers or its grace period keep it.
        answer: what a client is told: the object, or a `Status` where the kind has it so.
    """

    obj: Object
    gone: bool
    answer: Object


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchOptions:
    """Where a watch starts, and what it shows besides changes.

    Attributes:
        resource_version: changes after this version; empty or `0` starts with all that is there.
        send_initial_events: whether to start with all that is there, ended by a bookmark; None
            leaves it to the version.
        allow_bookmarks: whether the watcher understands bookmarks.
    """

    resource_version: str = ""
    send_initial_events: bool | None = None
    allow_bookmarks: bool = False
