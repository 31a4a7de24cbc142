"""Leases and events: objects by which the parts of a cluster tell of each other."""

from typing import Any

from podium.api.errors import FieldError
from podium.api.kinds.builtin_kinds import KINDS
from podium.api.objects import Object, metadata_of, part
from podium.api.selectors.labels import validate_label_key
from podium.apiserver.kinds.registration import rules
from podium.apiserver.kinds.registration.ages import since
from podium.apiserver.kinds.registration.registration import Registration
from podium.apiserver.kinds.registration.rules import at
from podium.apiserver.kinds.registration.selectable_fields import text, texts
from podium.apiserver.kinds.registration.strategy import Strategy
from podium.apiserver.kinds.registration.table_cells import AGE, NAME, Column, wide
from podium.apiserver.validation import checks
from podium.apiserver.validation.checks import Faults, join
from podium.apiserver.validation.metadata import object_check

_NAMESPACES_OF_CLUSTER_EVENTS = ("default", "kube-system")
_NOTE_LENGTH_MAX = 1024
_WORD_LENGTH_MAX = 128
_REFERENCE = ("kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath")


def _in_place(event: Any, path: str) -> Faults:
    """An event is in the namespace of what it is about, or in `default` if that has none."""
    place = metadata_of(event).get("namespace") or ""
    about = part(event, "involvedObject").get("namespace") or ""
    if event.get("eventTime"):
        fits = bool(about) or place in ("", *_NAMESPACES_OF_CLUSTER_EVENTS)
    else:
        fits = place == about if about else place in ("", "default")
    if not fits:
        message = "does not match event.namespace"
        yield FieldError(join(path, "involvedObject.namespace"), about, message)


def _reported(event: Any, path: str) -> Faults:
    """Who reports an event of today, what was being done, and why."""
    if not event.get("eventTime"):
        return
    reporter = event.get("reportingComponent") or ""
    if not reporter:
        yield checks.required(join(path, "reportingComponent"))
    for message in validate_label_key(reporter):
        yield FieldError(join(path, "reportingComponent"), reporter, message)
    for field in ("reportingInstance", "action", "reason"):
        word = event.get(field) or ""
        if not word:
            yield checks.required(join(path, field))
        elif len(word) > _WORD_LENGTH_MAX:
            message = f"can have at most {_WORD_LENGTH_MAX} characters"
            yield FieldError(join(path, field), word, message)
    note = event.get("message") or ""
    if len(note) > _NOTE_LENGTH_MAX:
        message = f"can have at most {_NOTE_LENGTH_MAX} characters"
        yield FieldError(join(path, "message"), note, message)


def _first_time(event: Object) -> object:
    return event.get("firstTimestamp") or event.get("eventTime")


def _last_time(event: Object) -> object:
    if event.get("series"):
        return at(event, "series.lastObservedTime")
    return event.get("lastTimestamp") or _first_time(event)


def _count(event: Object, _now_s: float) -> int:
    if event.get("series"):
        return int(at(event, "series.count") or 0)
    return int(event.get("count") or 1)


def _object(event: Object, _now_s: float) -> str:
    kind = str(at(event, "involvedObject.kind") or "").lower()
    involved = at(event, "involvedObject.name")
    return f"{kind}/{involved}" if involved else kind


def _source(event: Object, _now_s: float) -> str:
    component = at(event, "source.component") or event.get("reportingComponent") or ""
    instance = at(event, "source.host") or event.get("reportingInstance") or ""
    return f"{component}, {instance}" if instance else str(component)


def _message(event: Object, _now_s: float) -> str:
    return str(event.get("message") or "").strip()


_reporter, _component = text("reportingComponent"), text("source.component")

_valid_lease = object_check(
    spec=checks.fields(
        holderIdentity=checks.text,
        leaseDurationSeconds=checks.integer(1, checks.INT32_MAX, "must be greater than 0"),
        leaseTransitions=checks.count,
        acquireTime=checks.time,
        renewTime=checks.time,
    )
)

LEASE = Registration(
    kind=KINDS["Lease"],
    validate=_valid_lease,
    validate_update=rules.all_of(rules.metadata, rules.valid(_valid_lease, "spec")),
    strategy=Strategy(create_on_update=True, unconditional_update=False),
    columns=(NAME, Column("Holder", ".spec.holderIdentity", "Who holds the lease."), AGE),
)

EVENT = Registration(
    kind=KINDS["Event"],
    # In the shape of the core group, in which events are stored.
    validate=object_check(
        _in_place,
        _reported,
        reason=checks.text,
        message=checks.text,
        type=checks.text,
        count=checks.integer(),
    ),
    strategy=Strategy(create_on_update=True, default_propagation=""),
    columns=(
        Column("Last Seen", lambda event, now_s: since(_last_time(event), now_s), "How long ago."),
        Column("Type", ".type", "Normal or Warning."),
        Column("Reason", ".reason", "What happened, in one word."),
        Column("Object", _object, "What it happened to."),
        wide("Subobject", ".involvedObject.fieldPath", "Which part of that."),
        wide("Source", _source, "Who reports it."),
        Column("Message", _message, "What happened, in a sentence."),
        wide("First Seen", lambda event, now_s: since(_first_time(event), now_s), "How long ago."),
        wide("Count", _count, "How often it was seen."),
        wide("Name", NAME.source, "Name of the event.", format="name"),
    ),
    selectable={
        **{f"involvedObject.{one}": text(f"involvedObject.{one}") for one in _REFERENCE},
        **{f"regarding.{one}": text(f"involvedObject.{one}") for one in _REFERENCE},
        **texts("reason", "type", "reportingComponent"),
        "reportingController": _reporter,
        "source": lambda event: _component(event) or _reporter(event),
    },
)
