"""PriorityClasses, RuntimeClasses, PodGroups and Workloads: validation.

The kinds of `scheduling.k8s.io/v1alpha2` are those of v1.36 with the feature gates GenericWorkload,
GangScheduling and WorkloadAwarePreemption. The PodGroup of `scheduling.x-k8s.io/v1alpha1` is the
custom resource of scheduler-plugins.
"""

from typing import Any

from podium.api import priority
from podium.api.errors import FieldError
from podium.api.kinds.builtin_kinds import KINDS, POD_GROUP, POD_GROUP_OF_PLUGINS, WORKLOAD
from podium.api.objects import name as name_of
from podium.apiserver.kinds.registration import rules
from podium.apiserver.kinds.registration.registration import Registration
from podium.apiserver.validation import checks
from podium.apiserver.validation.names import dns_label, label_map, object_check
from podium.apiserver.validation.pods.placement import tolerations
from podium.apiserver.validation.resource_requirements import overhead, resource_list

_SYSTEM_PREFIX = "system-"
_TEMPLATES_MAX = 8


def _known_class(value: Any, path: str) -> checks.Faults:
    name, number = name_of(value), value.get("value") or 0
    if not name.startswith(_SYSTEM_PREFIX):
        if number > priority.HIGHEST_USER_DEFINABLE:
            message = "maximum allowed value of a user defined priority is"
            yield checks.forbidden("value", f"{message} {priority.HIGHEST_USER_DEFINABLE}")
        return
    known = priority.SYSTEM_PRIORITY_CLASSES.get(name)
    why = ""
    if known is None:
        why = f"{name} is not a known system priority class"
    elif number != known:
        why = f"value of {name} PriorityClass must be {known}"
    elif value.get("globalDefault"):
        why = f"globalDefault of {name} PriorityClass must be false"
    if why:
        message = (
            f"priority class names with '{_SYSTEM_PREFIX}' prefix are reserved for system use "
            f"only. error: {why}"
        )
        yield checks.forbidden("metadata.name", message)


PRIORITY_CLASS = Registration(
    kind=KINDS["PriorityClass"],
    validate=object_check(
        _known_class,
        preemptionPolicy=checks.one_of(priority.PREEMPT_LOWER_PRIORITY, priority.NEVER),
    ),
    validate_update=rules.all_of(
        rules.metadata, rules.fixed("value", "may not be changed in an update.")
    ),
)

RUNTIME_CLASS = Registration(
    kind=KINDS["RuntimeClass"],
    validate=object_check(
        handler=checks.needed(dns_label),
        overhead=checks.fields(podFixed=overhead),
        scheduling=checks.fields(nodeSelector=label_map, tolerations=tolerations),
    ),
)


def _exactly_one(*names: str) -> checks.Check:
    known = ", ".join(f"`{name}`" for name in names)

    def check(value: Any, path: str) -> checks.Faults:
        present = [name for name in names if value.get(name) is not None]
        if not present:
            yield FieldError(path, "", f"must specify one of: {known}")
        elif len(present) > 1:
            shown = f"{{{', '.join(present)}}}"
            yield FieldError(path, shown, f"must specify exactly one of: {known}")

    return check


_one_at_least = checks.integer(1, rule="must be greater than or equal to 1")
_policy = checks.absent_as(
    {},
    checks.fields(
        _exactly_one("basic", "gang"), gang=checks.fields(minCount=checks.needed(_one_at_least))
    ),
)
_mode = checks.one_of("Pod", "PodGroup")
_template = checks.fields(
    name=checks.needed(dns_label), schedulingPolicy=_policy, disruptionMode=_mode
)
_distinct = checks.distinct("name", shows_entry=True)
_templates = checks.at_most(_TEMPLATES_MAX, checks.both(checks.each(_template), _distinct))

REGISTRATION_OF_POD_GROUPS = Registration(
    kind=POD_GROUP,
    validate=object_check(
        spec=checks.absent_as(
            {},
            checks.fields(
                podGroupTemplateRef=checks.fields(
                    _exactly_one("workload"),
                    workload=checks.fields(
                        workloadName=checks.needed(), podGroupTemplateName=checks.needed()
                    ),
                ),
                schedulingPolicy=_policy,
                disruptionMode=_mode,
            ),
        )
    ),
)

REGISTRATION_OF_WORKLOADS = Registration(
    kind=WORKLOAD,
    validate=object_check(
        spec=checks.absent_as(
            {},
            checks.fields(
                controllerRef=checks.fields(kind=checks.needed(), name=checks.needed()),
                podGroupTemplates=checks.needed(_templates),
            ),
        )
    ),
)

REGISTRATION_OF_POD_GROUPS_OF_PLUGINS = Registration(
    kind=POD_GROUP_OF_PLUGINS,
    validate=object_check(
        spec=checks.fields(
            minMember=_one_at_least,
            minResources=resource_list(checks.anything, ()),
            scheduleTimeoutSeconds=checks.count,
        )
    ),
)
