"""Probes of containers, and what is done when they start and stop. No decision hangs on them."""

import re
from typing import Any

from podium.api.errors import FieldError
from podium.apiserver.validation import checks
from podium.apiserver.validation.checks import Check, Faults, join
from podium.apiserver.validation.pods.ports import port_or_name

_HEADER_RULE = (
    "a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', "
    "regex used for validation is '[-A-Za-z0-9]+')"
)
_COUNTS = (
    "initialDelaySeconds",
    "timeoutSeconds",
    "periodSeconds",
    "successThreshold",
    "failureThreshold",
)


def _headers(headers: Any, path: str) -> Faults:
    for header in headers:
        name = header.get("name") or ""
        if not re.fullmatch("[-A-Za-z0-9]+", name):
            # The fault has no index, as in kube-apiserver.
            yield FieldError(path, name, _HEADER_RULE)


_actions = {
    "exec": checks.fields(command=checks.needed()),
    "httpGet": checks.fields(
        path=checks.needed(),
        port=checks.absent_as(0, port_or_name),
        scheme=checks.one_of("HTTP", "HTTPS"),
        httpHeaders=_headers,
    ),
    "tcpSocket": checks.fields(port=checks.absent_as(0, port_or_name)),
    "grpc": checks.fields(port=checks.absent_as(0, port_or_name)),
}


def _one_action(actions: dict[str, Check]) -> Check:
    def check(value: Any, path: str) -> Faults:
        first = True
        for name, action in actions.items():
            if (found := value.get(name)) is None:
                continue
            where = join(path, name)
            if first:
                yield from action(found, where)
            else:
                yield checks.forbidden(where, "may not specify more than 1 handler type")
            first = False
        if first:
            yield checks.required(path, "must specify a handler type")

    return check


_positive = checks.integer(1, rule="must be greater than 0")
_once = checks.integer(1, 1, "must be 1")
_never = checks.must("must not be set for readinessProbes", lambda _: False)


def _probe(**more: checks.Part) -> Check:
    return checks.detail(
        checks.both(
            _one_action(_actions),
            checks.fields(
                **dict.fromkeys(_COUNTS, checks.count), terminationGracePeriodSeconds=_positive
            ),
            checks.fields(**more),
        )
    )


_liveness = _probe(successThreshold=_once)

probes = checks.fields(
    livenessProbe=_liveness,
    readinessProbe=_probe(terminationGracePeriodSeconds=_never),
    startupProbe=_liveness,
)
"""Checks the probes of a container that keeps running."""


def lifecycle(grace_s: int | None) -> Check:
    """Make a check of the handlers for the start and end of a container.

    Args:
        grace_s: the grace period of the pod; None if its author has set none.
    """

    def sleep(value: Any, path: str) -> Faults:
        seconds = value.get("seconds") or 0
        if grace_s is not None and not 0 <= seconds <= grace_s:
            message = (
                f"must be non-negative and less than terminationGracePeriodSeconds ({grace_s})"
            )
            yield FieldError(path, seconds, message)

    actions = {name: check for name, check in _actions.items() if name != "grpc"}
    handler = _one_action({**actions, "sleep": sleep})
    return checks.detail(checks.fields(postStart=handler, preStop=handler))
