"""What a pod's failure means for its Job: the first rule of the pod failure policy that matches.

The rules and messages are those of v1.36's matchPodFailurePolicy.
"""

from collections.abc import Iterator

import msgspec

from podium.api.objects import Object, conditions_of, entries, name, namespace, part, status_of

IGNORE, FAIL_JOB, FAIL_INDEX = "Ignore", "FailJob", "FailIndex"


class PolicyMatch(msgspec.Struct, frozen=True):
    """The rule of a pod failure policy that a failed pod matches.

    Attributes:
        action: of the rule; `Count` if no rule matches.
        message: why the Job fails, if it does.
    """

    action: str = "Count"
    message: str = ""


def match_pod_failure_policy(job: Object, pod: Object) -> PolicyMatch:
    """What a pod's failure means for the Job."""
    policy = job["spec"].get("podFailurePolicy") or {}
    for number, rule in enumerate(entries(policy, "rules")):
        action = str(rule.get("action"))
        if action == FAIL_INDEX and job["spec"].get("backoffLimitPerIndex") is None:
            continue
        for match in (_exit_code(rule, pod), _condition(rule, pod)):
            if match is not None:
                return PolicyMatch(action, f"{match} matching {action} rule at index {number}")
    return PolicyMatch()


def _exit_code(rule: Object, pod: Object) -> str | None:
    wanted = rule.get("onExitCodes")
    if wanted is None:
        return None
    for container, code in _exits(pod):
        if wanted.get("containerName") not in (None, container):
            continue
        is_listed = code in wanted.get("values", ())
        if code and is_listed == (wanted.get("operator") == "In"):
            place = f"{namespace(pod)}/{name(pod)}"
            return f"Container {container} for pod {place} failed with exit code {code}"
    return None


def _condition(rule: Object, pod: Object) -> str | None:
    patterns = [
        (pattern.get("type"), pattern.get("status") or "True")
        for pattern in entries(rule, "onPodConditions")
    ]
    for condition in conditions_of(pod):
        if (condition.get("type"), condition.get("status")) in patterns:
            return f"Pod {namespace(pod)}/{name(pod)} has condition {condition['type']}"
    return None


def _exits(pod: Object) -> Iterator[tuple[str, int]]:
    """Containers that have ended, and with which codes; those that initialise come last."""
    found = status_of(pod)
    for status in (
        *entries(found, "containerStatuses"),
        *entries(found, "initContainerStatuses"),
    ):
        terminated = part(status, "state").get("terminated")
        if terminated is not None:
            yield str(status.get("name")), int(terminated.get("exitCode") or 0)
