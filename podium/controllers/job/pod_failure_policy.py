"""What a pod's failure means for its Job: the first rule of the pod failure policy that matches.

The rules and messages are those of v1.36's matchPodFailurePolicy.
"""

from collections.abc import Iterator

import msgspec

from podium.api.objects import Object, conditions_of, entries, name, namespace, part
from podium.api.pods import phase_of
from podium.controllers.job.pod_accounting import statuses_of

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
    if wanted is None or phase_of(pod) != "Failed":
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
    conditions = conditions_of(pod)
    for pattern in rule.get("onPodConditions") or ():
        wanted = (pattern.get("type"), pattern.get("status") or "True")
        if any((one.get("type"), one.get("status")) == wanted for one in conditions):
            return f"Pod {namespace(pod)}/{name(pod)} has condition {wanted[0]}"
    return None


def _exits(pod: Object) -> Iterator[tuple[str, int]]:
    """Containers that have ended, and with which codes."""
    for status in statuses_of(pod):
        terminated = part(status, "state").get("terminated")
        if terminated is not None:
            yield str(status.get("name")), int(terminated.get("exitCode") or 0)
