"""Workloads: which pods they own doesn't change, and their numbers make sense.

The rules are those of v1.36's `apps` and `core` groups.
"""

from collections.abc import Sequence

from podium.api.errors import FieldError
from podium.api.objects import Object, spec_of
from podium.apiserver.update_validation.metadata import metadata
from podium.apiserver.update_validation.rules import (
    Faults,
    Rule,
    all_of,
    at,
    forbidden,
    immutable,
    not_negative,
    same,
    valid,
    without,
)
from podium.apiserver.validation import workloads as checks

_STATEFUL_CHANGEABLE = (
    "replicas",
    "ordinals",
    "template",
    "updateStrategy",
    "revisionHistoryLimit",
    "persistentVolumeClaimRetentionPolicy",
    "minReadySeconds",
)
_REPLICAS = "cannot be greater than status.replicas"
_READY = "cannot be greater than readyReplicas"


def _statefulset_spec(new: Object, old: Object) -> Faults:
    spec, before = (without(spec_of(obj), _STATEFUL_CHANGEABLE) for obj in (new, old))
    if not same(spec, before):
        *listed, last = (f"'{field}'" for field in _STATEFUL_CHANGEABLE)
        yield forbidden(
            "spec",
            "updates to statefulset spec for fields other than "
            f"{', '.join(listed)} and {last} are forbidden",
        )


_selector = immutable("spec.selector")

deployment = all_of(metadata, valid(checks.deployment, "spec"), _selector)
replica_set = all_of(metadata, valid(checks.replica_set, "spec"), _selector)
daemon_set = all_of(metadata, valid(checks.daemon_set, "spec"), _selector)
stateful_set = all_of(metadata, valid(checks.stateful_set, "spec"), _statefulset_spec)
replication_controller = all_of(metadata, valid(checks.replication_controller, "spec"))


def _at_most(field: str, other: str, message: str) -> Rule:
    """One number of the status isn't above another."""

    def rule(new: Object, _old: Object) -> Faults:
        number = at(new, f"status.{field}") or 0
        if number > (at(new, f"status.{other}") or 0):
            yield FieldError(f"status.{field}", number, message)

    return rule


def _not_decremented(new: Object, old: Object) -> Faults:
    path = "status.collisionCount"
    now, before = at(new, path), at(old, path)
    if before is not None and (now is None or now < before):
        yield FieldError(path, now or 0, "cannot be decremented")


def _status(counts: Sequence[str], within: Sequence[str], *more: Rule) -> Rule:
    """A status of numbers, of which some can't be above the number of pods."""
    return all_of(
        metadata,
        not_negative(*(f"status.{field}" for field in counts)),
        *(_at_most(field, "replicas", _REPLICAS) for field in within),
        _at_most("availableReplicas", "readyReplicas", _READY),
        *more,
    )


deployment_status = _status(
    (
        "observedGeneration",
        "replicas",
        "updatedReplicas",
        "readyReplicas",
        "availableReplicas",
        "unavailableReplicas",
        "terminatingReplicas",
        "collisionCount",
    ),
    ("updatedReplicas", "readyReplicas", "availableReplicas"),
    _not_decremented,
)
_REPLICATED = (
    "replicas",
    "fullyLabeledReplicas",
    "readyReplicas",
    "availableReplicas",
    "terminatingReplicas",
    "observedGeneration",
)
replica_set_status = _status(
    _REPLICATED, ("fullyLabeledReplicas", "readyReplicas", "availableReplicas")
)
replication_controller_status = replica_set_status
stateful_set_status = _status(
    (
        "replicas",
        "readyReplicas",
        "currentReplicas",
        "updatedReplicas",
        "availableReplicas",
        "observedGeneration",
        "collisionCount",
    ),
    ("readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas"),
)
daemon_set_status = all_of(
    metadata,
    not_negative(
        "status.currentNumberScheduled",
        "status.numberMisscheduled",
        "status.desiredNumberScheduled",
        "status.numberReady",
        "status.observedGeneration",
        "status.updatedNumberScheduled",
        "status.numberAvailable",
        "status.numberUnavailable",
        "status.collisionCount",
    ),
)
