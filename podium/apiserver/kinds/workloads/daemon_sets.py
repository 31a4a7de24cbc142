"""DaemonSets: validation, and the template generation."""

from typing import Any

from podium.api.errors import ErrorKind, unsupported
from podium.api.kinds.builtin_kinds import KINDS
from podium.api.objects import Object, annotated, annotations, part
from podium.api.values.integers import parse_int
from podium.apiserver.kinds.registration import rules
from podium.apiserver.kinds.registration.registration import Registration
from podium.apiserver.kinds.workloads import workloads
from podium.apiserver.validation import checks, templates
from podium.apiserver.validation.selectors import label_selector

_TEMPLATE_GENERATION = "deprecated.daemonset.template.generation"
_not_empty = checks.must(
    "empty selector is invalid for daemonset", lambda selector: any(selector.values())
)
_amounts = checks.fields(maxUnavailable=checks.int_or_percent, maxSurge=checks.int_or_percent)


def _strategy(strategy: Any, path: str) -> checks.Faults:
    kind, rolling = strategy.get("type") or "RollingUpdate", part(strategy, "rollingUpdate")
    if kind not in ("RollingUpdate", "OnDelete"):
        yield unsupported(path, strategy, ("RollingUpdate", "OnDelete"))
    if kind != "RollingUpdate" or not rolling:
        return
    path = checks.join(path, "rollingUpdate")
    yield from _amounts(rolling, path)
    unavailable, surge = rolling.get("maxUnavailable", 1), rolling.get("maxSurge", 0)
    if not workloads.is_nothing(surge) and not workloads.is_nothing(unavailable):
        message = "may not be set when maxUnavailable is non-zero"
        yield checks.MinorFieldError(checks.join(path, "maxSurge"), surge, message)
    elif workloads.is_nothing(surge) and workloads.is_nothing(unavailable):
        where, message = checks.join(path, "maxUnavailable"), "cannot be 0 when maxSurge is 0"
        yield checks.MinorFieldError(where, None, message, ErrorKind.REQUIRED)


_valid = workloads.workload_check(
    checks.fields(selector=label_selector),
    templates.selected,
    checks.fields(selector=_not_empty),
    templates.with_template,
    templates.always("DaemonSet"),
    workloads.ready,
    checks.fields(updateStrategy=_strategy),
    workloads.revisions,
)


def _update(new: Object, old: Object, _now_s: float) -> Object:
    count = annotations(old).get(_TEMPLATE_GENERATION, "1")
    if rules.at(new, "spec.template") != rules.at(old, "spec.template"):
        count = str((parse_int(count) or 0) + 1)
    return _with_template_generation(new, count)


def _with_template_generation(daemon_set: Object, count: str) -> Object:
    if annotations(daemon_set).get(_TEMPLATE_GENERATION) == count:
        return daemon_set
    return annotated(daemon_set, {_TEMPLATE_GENERATION: count})


DAEMON_SET = Registration(
    kind=KINDS["DaemonSet"],
    validate=_valid,
    validate_update=rules.all_of(
        rules.metadata,
        rules.immutable("spec.selector", type_name="LabelSelector"),
        rules.valid(_valid, "spec"),
    ),
    create=lambda new, _: _with_template_generation(new, "1"),
    update=_update,
)
