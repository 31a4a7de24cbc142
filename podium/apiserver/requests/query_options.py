"""The options of requests, from queries and DeleteOptions, validated as by kube-apiserver."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from msgspec.structs import replace

from podium.api.errors import ErrorKind, FieldError, unsupported
from podium.api.objects import entries
from podium.api.values.integers import parse_int
from podium.apiserver.attributes import WriteOptions
from podium.apiserver.refusals import bad_request, invalid
from podium.apiserver.requests.negotiation import META_GROUP
from podium.apiserver.verbs.verb_options import ListOptions

_INTEGER = re.compile(r"[+-]?[0-9]+", re.ASCII)
_OFF = ("0", "false")


@dataclass(frozen=True, slots=True)
class Parameters:
    """The parameters of a query; of a repeated parameter the first value counts."""

    values: Mapping[str, Sequence[str]]

    def text(self, name: str) -> str:
        """Return a parameter as text; empty if it is absent."""
        values = self.values.get(name)
        return values[0] if values else ""

    def texts(self, name: str) -> tuple[str, ...]:
        """Return all values of a parameter."""
        return tuple(self.values.get(name, ()))

    def flag(self, name: str) -> bool | None:
        """Return a boolean parameter: False for `0` and `false`, None if absent, otherwise True."""
        return self.text(name).lower() not in _OFF if name in self.values else None

    def integer(self, name: str) -> int | None:
        """Return a 64-bit integer parameter; None if it is absent; raises RefusedError (400)."""
        if name not in self.values:
            return None
        text = self.text(name)
        number = parse_int(text)
        if number is None:
            why = "value out of range" if _INTEGER.fullmatch(text) else "invalid syntax"
            raise bad_request(f'strconv.ParseInt: parsing "{text}": {why}')
        return number


EXACT, NOT_OLDER_THAN = "Exact", "NotOlderThan"

_FIELD_MANAGER_LENGTH_MAX = 128
_UNKNOWN_MANAGER = "unknown"
_MATCH = "resourceVersionMatch"
_FIELD_VALIDATIONS = ("", "Ignore", "Strict", "Warn")
_PROPAGATION_POLICIES = ("Foreground", "Background", "Orphan")


def list_options(parameters: Parameters, *, watch: bool) -> ListOptions:
    """Return the options of a list or a watch; raises RefusedError (400 or 422)."""
    read = ListOptions(
        label_selector=parameters.text("labelSelector"),
        field_selector=parameters.text("fieldSelector"),
        watch=watch or bool(parameters.flag("watch")),
        resource_version=parameters.text("resourceVersion"),
        resource_version_match=parameters.text("resourceVersionMatch"),
        limit=parameters.integer("limit") or 0,
        continue_token=parameters.text("continue"),
        timeout_s=parameters.integer("timeoutSeconds"),
        allow_watch_bookmarks=bool(parameters.flag("allowWatchBookmarks")),
        send_initial_events=parameters.flag("sendInitialEvents"),
    )
    is_explicit = read.resource_version_match or read.send_initial_events is not None
    if read.watch and not is_explicit and read.resource_version in ("", "0"):
        # A watch without a version starts with all objects, as if sendInitialEvents was set.
        read = replace(read, send_initial_events=True, resource_version_match=NOT_OLDER_THAN)
    match, initial, field = read.resource_version_match, read.send_initial_events, _MATCH
    if not match and initial is None:
        return read
    faults = []
    paged = (
        [_forbidden(field, "when continue is provided")] if match and read.continue_token else []
    )
    if read.watch:
        if initial is not None and match != NOT_OLDER_THAN:
            requires = f"sendInitialEvents requires setting {field} to {NOT_OLDER_THAN}"
            faults.append(FieldError(field, "", requires, ErrorKind.FORBIDDEN))
        if match and initial is None:
            faults.append(_forbidden(field, "for watch unless sendInitialEvents is provided"))
        if match and match != NOT_OLDER_THAN:
            faults.append(unsupported(field, match, (NOT_OLDER_THAN,)))
        faults += paged
    else:
        if match and not read.resource_version:
            faults.append(_forbidden(field, "unless resourceVersion is provided"))
        faults += paged
        if match and match not in (EXACT, NOT_OLDER_THAN):
            faults.append(unsupported(field, match, (EXACT, NOT_OLDER_THAN, "")))
        if match == EXACT and read.resource_version == "0":
            faults.append(_forbidden(field, 'for resourceVersion "0"', said=f'{field} "exact"'))
        if initial is not None:
            faults.append(_forbidden("sendInitialEvents", "for list"))
    _check("ListOptions", faults)
    return read


def write_options(query: Parameters, kind: str, user_agent: str, *, is_apply: bool) -> WriteOptions:
    """Return the options of a write; raises RefusedError (422).

    `kind` is the kind of the options, such as `CreateOptions`. Server-side apply requires a field
    manager; other writes use the first word of the user agent by default.
    """
    named, dry_run, force = query.text("fieldManager"), query.texts("dryRun"), query.flag("force")
    faults = []
    if kind == "PatchOptions" and not is_apply and force is not None:
        why = "may not be specified for non-apply patch"
        faults.append(FieldError("force", "", why, ErrorKind.FORBIDDEN))
    if is_apply and not named:
        why = "is required for apply patch"
        faults.append(FieldError("fieldManager", "", why, ErrorKind.REQUIRED))
    if len(named.encode()) > _FIELD_MANAGER_LENGTH_MAX:
        why = f"may not be more than {_FIELD_MANAGER_LENGTH_MAX} bytes"
        faults.append(FieldError("fieldManager", named, why, ErrorKind.TOO_LONG))
    for index, character in enumerate(named):
        if not character.isprintable():
            position = len(named[:index].encode())
            why = f"invalid character U+{ord(character):04X} (at position {position})"
            faults.append(FieldError("fieldManager", named, why))
    faults += _dry_run_faults(dry_run)
    if (validation := query.text("fieldValidation")) not in _FIELD_VALIDATIONS:
        faults.append(unsupported("fieldValidation", validation, _FIELD_VALIDATIONS))
    _check(kind, faults)
    return WriteOptions(bool(dry_run), named or _manager_of(user_agent), bool(force))


# Clients use few names.
@lru_cache(maxsize=256)
def _manager_of(user_agent: str) -> str:
    printable = "".join(filter(str.isprintable, user_agent.partition("/")[0]))
    manager = printable.encode()[:_FIELD_MANAGER_LENGTH_MAX].decode(errors="ignore")
    return manager or _UNKNOWN_MANAGER


def delete_options(parameters: Parameters) -> dict[str, Any]:
    """Return the DeleteOptions in a query, which are used for requests without a body."""
    read: dict[str, Any] = {
        "gracePeriodSeconds": parameters.integer("gracePeriodSeconds"),
        "orphanDependents": parameters.flag("orphanDependents"),
        "propagationPolicy": parameters.text("propagationPolicy") or None,
        "dryRun": list(parameters.texts("dryRun")) or None,
        "preconditions": {"uid": parameters.text("uid")} if parameters.text("uid") else None,
    }
    return {name: value for name, value in read.items() if value is not None}


def check_delete_options(options: Mapping[str, Any]) -> None:
    """Validate DeleteOptions; raises RefusedError (422)."""
    policy, faults = options.get("propagationPolicy"), []
    if policy is not None and options.get("orphanDependents") is not None:
        both = "orphanDependents and deletionPropagation cannot be both set"
        faults.append(FieldError("propagationPolicy", policy, both))
    if policy is not None and policy not in _PROPAGATION_POLICIES:
        faults.append(unsupported("propagationPolicy", policy, (*_PROPAGATION_POLICIES, "nil")))
    faults += _dry_run_faults(tuple(entries(options, "dryRun")))
    _check("DeleteOptions", faults)


def _check(kind: str, faults: list[FieldError]) -> None:
    if faults:
        raise invalid("", faults, kind, META_GROUP)


def _forbidden(field: str, when: str, said: str = "") -> FieldError:
    return FieldError(field, "", f"{said or field} is forbidden {when}", ErrorKind.FORBIDDEN)


def _dry_run_faults(dry_run: tuple[str, ...]) -> list[FieldError]:
    known = all(value == "All" for value in dry_run)
    return [] if known else [unsupported("dryRun", list(dry_run), ("All",))]
