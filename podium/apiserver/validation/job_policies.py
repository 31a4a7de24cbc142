"""Validation of a Job's failure, success and replacement policies, and of indexed Jobs."""

from collections.abc import Iterator
from typing import Any

from podium.api.errors import OMITTED, FieldError, unsupported
from podium.api.objects import entries, part
from podium.api.values.integers import INT64, parse_int
from podium.apiserver.validation import checks
from podium.apiserver.validation.names import label_key

_INDEXED_ALONE = "requires indexed completion mode"
_PODS_MAX = 100_000
_BOUNDED_COMPLETIONS_MAX = 100_000
_PODS_OF_MANY_MAX = 10_000
_OF_MANY = (
    f"must be less than or equal to {_PODS_OF_MANY_MAX} when completions are above "
    f"{_BOUNDED_COMPLETIONS_MAX} and used with backoff limit per index"
)


def _named(*choices: str) -> checks.OfAbsent:
    message = "valid values: [{}]".format(" ".join(f'"{choice}"' for choice in choices))
    return checks.needed(checks.one_of(*choices), message)


_mode = checks.fields(completionMode=checks.one_of("NonIndexed", "Indexed"))


def _indexes(spec: Any, path: str) -> checks.Faults:
    if spec.get("maxFailedIndexes") is not None and spec.get("backoffLimitPerIndex") is None:
        where = checks.join(path, "backoffLimitPerIndex")
        yield checks.required(where, "when maxFailedIndexes is specified")
    yield from _mode(spec, path)
    if spec.get("completionMode") != "Indexed":
        if spec.get("completionMode", "NonIndexed") == "NonIndexed":
            for field in ("backoffLimitPerIndex", "maxFailedIndexes"):
                if spec.get(field) is not None:
                    yield FieldError(checks.join(path, field), spec[field], _INDEXED_ALONE)
        return
    completions = spec.get("completions")
    if completions is None:
        yield checks.required(checks.join(path, "completions"), "when completion mode is Indexed")
        return
    parallelism, failed = spec.get("parallelism") or 0, spec.get("maxFailedIndexes")
    if parallelism > _PODS_MAX:
        message = f"must be less than or equal to {_PODS_MAX} when completion mode is Indexed"
        yield FieldError(checks.join(path, "parallelism"), parallelism, message)
    if failed is not None and failed > completions:
        message = "must be less than or equal to completions"
        yield FieldError(checks.join(path, "maxFailedIndexes"), failed, message)
    if failed is not None and failed > _PODS_MAX:
        message = f"must be less than or equal to {_PODS_MAX}"
        yield FieldError(checks.join(path, "maxFailedIndexes"), failed, message)
    if completions > _BOUNDED_COMPLETIONS_MAX and spec.get("backoffLimitPerIndex") is not None:
        where = checks.join(path, "maxFailedIndexes")
        if failed is None:
            message = f"must be specified when completions is above {_BOUNDED_COMPLETIONS_MAX}"
            yield checks.required(where, message)
        if parallelism > _PODS_OF_MANY_MAX:
            yield FieldError(checks.join(path, "parallelism"), parallelism, _OF_MANY)
        if failed is not None and failed > _PODS_OF_MANY_MAX:
            yield FieldError(where, failed, _OF_MANY)


def _failure_policy(spec: Any, path: str) -> checks.Faults:
    pod = part(spec, "template", "spec")
    containers = [*entries(pod, "containers"), *entries(pod, "initContainers")]
    names = {container.get("name", "") for container in containers}
    for index, rule in enumerate(entries(part(spec, "podFailurePolicy"), "rules")):
        where = f"{checks.join(path, 'podFailurePolicy.rules')}[{index}]"
        action, codes = rule.get("action"), rule.get("onExitCodes")
        conditions = rule.get("onPodConditions") or []
        if action == "FailIndex" and spec.get("backoffLimitPerIndex") is None:
            message = "requires the backoffLimitPerIndex to be set"
            yield FieldError(f"{where}.action", action, message)
        else:
            yield from _action(rule, where)
        if codes is not None:
            yield from _exit_codes(codes, f"{where}.onExitCodes", names)
        yield from _conditions(conditions, f"{where}.onPodConditions")
        if codes is not None and conditions:
            message = "specifying both OnExitCodes and OnPodConditions is not supported"
            yield FieldError(where, OMITTED, message)
        elif codes is None and not conditions:
            message = "specifying one of OnExitCodes and OnPodConditions is required"
            yield FieldError(where, OMITTED, message)


_action = checks.fields(action=_named("Count", "FailIndex", "FailJob", "Ignore"))
_operator = checks.fields(operator=_named("In", "NotIn"))
_conditions = checks.each(checks.fields(type=label_key, status=_named("False", "True", "Unknown")))


def _exit_codes(codes: Any, path: str, names: set[str]) -> checks.Faults:
    yield from _operator(codes, path)
    container = codes.get("containerName")
    if container is not None and container not in names:
        message = "must be one of the container or initContainer names in the pod template"
        yield FieldError(checks.join(path, "containerName"), container, message)
    values, where = codes.get("values"), checks.join(path, "values")
    if not values:
        yield FieldError(where, values, "at least one value is required")
        return
    seen = set()
    for index, value in enumerate(values):
        if value == 0 and codes.get("operator") == "In":
            yield FieldError(f"{where}[{index}]", 0, "must not be 0 for the In operator")
        if value in seen:
            yield checks.duplicate(f"{where}[{index}]", value)
        seen.add(value)
    if values != sorted(values):
        yield FieldError(where, values, "must be ordered")


def _success_policy(spec: Any, path: str) -> checks.Faults:
    policy, where = spec.get("successPolicy"), checks.join(path, "successPolicy")
    if policy is None:
        return
    if spec.get("completionMode") != "Indexed":
        yield FieldError(where, policy, _INDEXED_ALONE)
        return
    if not policy.get("rules"):
        message = "at least one rules must be specified when the successPolicy is specified"
        yield checks.required(checks.join(where, "rules"), message)
    # A missing number of completions is a fault of its own.
    if spec.get("completions") is not None:
        for index, rule in enumerate(entries(policy, "rules")):
            yield from _success_rule(rule, f"{where}.rules[{index}]", spec["completions"])


def _success_rule(rule: Any, path: str, completions: int) -> checks.Faults:
    listed, count, known = rule.get("succeededIndexes"), rule.get("succeededCount"), 0
    if listed is None and count is None:
        message = "at least one of succeededCount or succeededIndexes must be specified"
        yield checks.required(path, message)
    if listed is not None:
        try:
            known = sum(last - first + 1 for first, last in index_intervals(listed, completions))
        except ValueError as error:
            message = f"error parsing succeededIndexes: {error}"
            yield FieldError(checks.join(path, "succeededIndexes"), listed, message)
    if count is None:
        return
    where = checks.join(path, "succeededCount")
    yield from checks.count(count, where)
    if count > completions:
        limit = f"{completions} (the number of specified completions)"
        yield FieldError(where, count, f"must be less than or equal to {limit}")
    if listed is not None and count > known:
        limit = f"{known} (the number of indexes in the specified succeededIndexes field)"
        yield FieldError(where, count, f"must be less than or equal to {limit}")


def index_intervals(listed: str, completions: int) -> Iterator[tuple[int, int]]:
    """Parse ascending indexes such as `1,3-5` into intervals (first, last); raises ValueError."""
    last: int | None = None
    for interval in listed.split(",") if listed else ():
        limits = interval.split("-")
        if len(limits) > 2:
            raise ValueError(
                f'the fragment "{interval}" violates the requirement that an index interval can '
                "have at most two parts separated by '-'"
            )
        indexes = []
        for limit in limits:
            index = parse_int(limit, INT64)
            if index is None:
                raise ValueError(f'cannot convert string to integer for index: "{limit}"')
            if index >= completions:
                raise ValueError(f'too large index: "{limit}"')
            if last is not None and last >= index:
                raise ValueError(f"non-increasing order, previous: {last}, current: {index}")
            indexes.append(index)
            last = index
        yield indexes[0], indexes[-1]


def _replacement_policy(spec: Any, path: str) -> checks.Faults:
    value = spec.get("podReplacementPolicy")
    choices = ("Failed",) if spec.get("podFailurePolicy") else ("Failed", "TerminatingOrFailed")
    if value is not None and value not in choices:
        yield unsupported(checks.join(path, "podReplacementPolicy"), value, choices)


policies = checks.both(_indexes, _failure_policy, _success_policy, _replacement_policy)
