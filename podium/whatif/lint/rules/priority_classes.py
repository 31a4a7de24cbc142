"""Rules about PriorityClasses: which there are, and how they lie to each other."""

from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise

from podium.api.objects import Object, name
from podium.api.pods import priority_class_of
from podium.api.priority import (
    HIGHEST_USER_DEFINABLE,
    NEVER,
    SYSTEM_CLUSTER_CRITICAL_CLASS,
    SYSTEM_NODE_CRITICAL_CLASS,
    class_value,
)
from podium.api.values.message_words import count
from podium.whatif.lint.cluster_view import ClusterView
from podium.whatif.lint.rule import Offence, Rule
from podium.whatif.lint.workload_reader import Workload

_SYSTEM = "system-"


@Rule
def no_default_class(view: ClusterView) -> Iterator[Offence]:
    """No class of users has globalDefault."""
    if view.classes and view.default_class is None:
        lowest = next((one for one in view.classes if class_value(one) >= 0), view.classes[0])
        message = "no PriorityClass is the default: pods that name none get priority 0"
        running = sum(not priority_class_of(pod) for pod in view.running_pods)
        if running:
            verb = "runs" if running == 1 else "run"
            message += f", and {count(running, 'pod')} {verb} with it"
        yield Offence(
            lowest,
            message,
            "globalDefault",
            tuple(map(_shown, view.classes)),
        )


@Rule
def several_default_classes(view: ClusterView) -> Iterator[Offence]:
    """A class is the default besides the lowest one that is."""
    defaults = [one for one in view.classes if one.get("globalDefault")]
    for other in defaults[1:]:
        message = f"{name(defaults[0])} is the default already: the API server refuses another"
        yield Offence(other, message, "globalDefault", (_shown(defaults[0]),))


@Rule
def default_class_not_lowest(view: ClusterView) -> Iterator[Offence]:
    """Classes are lower than the default, those below zero aside."""
    default = view.default_class
    if default is None:
        return
    value = class_value(default)
    lower = [
        one
        for one in view.classes
        if class_value(one) < value and not class_value(one) < 0 <= value
    ]
    if lower:
        message = f"pods without a class get {value}, and outrank those of lower classes"
        yield Offence(default, message, "globalDefault", tuple(map(_shown, lower)))


@Rule
def class_in_system_range(view: ClusterView) -> Iterator[Offence]:
    """A value or a name is reserved."""
    for one in view.classes:
        if class_value(one) > HIGHEST_USER_DEFINABLE:
            message = f"{class_value(one)} is above {HIGHEST_USER_DEFINABLE}, the highest for users"
            yield Offence(one, message, "value")
        if name(one).startswith(_SYSTEM):
            known = f"{SYSTEM_CLUSTER_CRITICAL_CLASS} and {SYSTEM_NODE_CRITICAL_CLASS}"
            message = f"names with {_SYSTEM} are reserved; only {known} are known"
            yield Offence(one, message, "metadata.name")


@Rule
def too_many_levels(view: ClusterView) -> Iterator[Offence]:
    """The classes have more different values than they should."""
    levels = {class_value(one) for one in view.classes}
    if len(levels) > view.thresholds.levels_max:
        message = (
            f"there are {len(levels)} levels of priority, more than {view.thresholds.levels_max}"
        )
        yield Offence(view.classes[-1], message, "value", tuple(map(_shown, view.classes)))


@Rule
def no_level_between(view: ClusterView) -> Iterator[Offence]:
    """Neighbouring values differ by too little."""
    of_value = {class_value(one): one for one in reversed(view.classes)}
    for low, high in pairwise(sorted(of_value)):
        if high - low <= view.thresholds.levels_between:
            free = high - low - 1
            are = "is" if free == 1 else "are"
            between = f"only {count(free, 'value')} {are}" if free else "no value is"
            message = f"{between} free up to the next class"
            yield Offence(of_value[low], message, "value", (_shown(of_value[high]),))


@Rule
def preempting_batch_class(view: ClusterView) -> Iterator[Offence]:
    """Only workloads that run to an end use a class that preempts, and there are lower pods."""
    users = defaultdict[str, list[Workload]](list)
    for workload in view.workloads:
        users[workload.priority_class].append(workload)
    known = [(one.priority, one) for one in view.workloads if one.priority is not None]
    for one in view.classes:
        waiting = users[name(one)]
        lower = [(priority, other) for priority, other in known if priority < class_value(one)]
        if (
            one.get("preemptionPolicy") != NEVER
            and waiting
            and all(workload.runs_to_an_end for workload in waiting)
            and lower
        ):
            priority, victim = max(lower, key=lambda entry: entry[0])
            message = (
                "it preempts, but only pods that run to an end use it: Never would do. "
                f"Such pods preempt those of {victim}, of priority {priority}"
            )
            yield Offence(one, message, "preemptionPolicy", tuple(map(str, waiting)))


def _shown(priority_class: Object) -> str:
    return f"PriorityClass {name(priority_class)} ({class_value(priority_class)})"
