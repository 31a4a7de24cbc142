"""What the verbs are asked with, and what they answer."""

from typing import Any, NamedTuple

import msgspec

from podium.api.objects import Object


class DeleteOptions(msgspec.Struct, frozen=True):
    """How to delete, as a `DeleteOptions` object (meta/v1) says it.

    Attributes:
        grace_period_s: how long a pod may take; None leaves it to the pod, less than 0 counts as 1.
        uid: the object must have this uid, unless None.
        resource_version: and this version, unless None.
        propagation: how dependents are deleted: `Background`, `Foreground` or `Orphan`; empty
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


class PatchRequest(msgspec.Struct, frozen=True):
    """A patch as a client sends it.

    Attributes:
        patch_type: the media type, one of `PatchType`.
        body: the patch itself, decoded: a list for a JSON patch, otherwise an object.
        api_version: of the patch, where a kind has several; empty for the kind's own.
        field_validation: `Strict`, `Warn` or `Ignore` of unknown fields; None for a patch of
            Podium's own, whose types aren't checked either.
    """

    patch_type: str
    body: Any
    api_version: str = ""
    field_validation: str | None = None


class ListOptions(msgspec.Struct, frozen=True):
    """The options of a list or a watch.

    Attributes:
        resource_version: of a list, empty for the latest state, `0` for any, otherwise a version;
            a watch tells of changes after it, or of all that is there if it is empty or `0`.
        resource_version_match: `Exact` or `NotOlderThan`; empty leaves it to the API's conventions.
        limit: 0 or less for all objects.
        timeout_s: None leaves it to the server.
        send_initial_events: whether a watch starts with all that is there, ended by a bookmark;
            None leaves it to the version.
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
    """The object as it is after a write, and warnings for the client."""

    obj: Object
    created: bool
    warnings: tuple[str, ...] = ()


class Deleted(NamedTuple):
    """The result of a deletion.

    Attributes:
        obj: the object's last state, with its deletion noted where that was written.
        gone: false if finalizers or its grace period keep it.
        answer: for the client: the object, or a `Status` where the kind has it so.
    """

    obj: Object
    gone: bool
    answer: Object
