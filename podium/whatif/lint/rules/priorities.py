"""Rules about PriorityClasses, their values, and their use by pods."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise

from podium.api.objects import Object, controller_key, name, namespace
from podium.api.pods import priority_class_of
from podium.api.priority import (
    HIGHEST_USER_DEFINABLE,
    NEVER,
    SYSTEM_CLUSTER_CRITICAL_CLASS,
    SYSTEM_NODE_CRITICAL_CLASS,
    SYSTEM_PRIORITY_CLASSES,
    class_value,
)
from podium.api.values.message_words import count, likely_meant
from podium.whatif.lint.cluster_view import ClusterView
from podium.whatif.lint.rule import Offence, Rule, workload_rule
from podium.whatif.lint.workload_reader import BATCH, Workload

_SYSTEM = "system-"


@Rule
def no_default_class(view: ClusterView) -> Iterator[Offence]:
    """None of the users' PriorityClasses is the global default."""
    if view.classes and view.default_class is None:
        lowest = next((one for one in view.classes if class_value(one) >= 0), view.classes[0])
        message = "no PriorityClass is the default: pods that name none get priority 0"
        running = sum(not priority_class_of(pod) for pod in view.running_pods)
        if running:
            verb = "runs" if running == 1 else "run"
            message += f", and {count(running, 'pod')} {verb} with it"
        yield Offence(lowest, message, "globalDefault", tuple(map(_shown, view.classes)))


@Rule
def several_default_classes(view: ClusterView) -> Iterator[Offence]:
    """Several PriorityClasses are the global default."""
    defaults = [class_ for class_ in view.classes if class_.get("globalDefault")]
    for other in defaults[1:]:
        message = f"{name(defaults[0])} is the default already: the API server refuses another"
        yield Offence(other, message, "globalDefault", (_shown(defaults[0]),))


@Rule
def default_class_not_lowest(view: ClusterView) -> Iterator[Offence]:
    """Classes with values from 0 on are lower than the global default."""
    default = view.default_class
    if default is None:
        return
    value = class_value(default)
    lower = [
        class_
        for class_ in view.classes
        if class_value(class_) < value and not class_value(class_) < 0 <= value
    ]
    if lower:
        message = f"pods without a class get {value}, and outrank those of lower classes"
        yield Offence(default, message, "globalDefault", tuple(map(_shown, lower)))


@Rule
def class_in_system_range(view: ClusterView) -> Iterator[Offence]:
    """A PriorityClass has a value or name that is reserved for the system."""
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
    """The PriorityClasses have too many different values."""
    levels = {class_value(class_) for class_ in view.classes}
    if len(levels) > view.thresholds.levels_max:
        message = (
            f"there are {len(levels)} levels of priority, more than {view.thresholds.levels_max}"
        )
        yield Offence(view.classes[-1], message, "value", tuple(map(_shown, view.classes)))


@Rule
def no_level_between(view: ClusterView) -> Iterator[Offence]:
    """The values of two neighbouring classes differ by too little."""
    of_value = {class_value(class_): class_ for class_ in reversed(view.classes)}
    for low, high in pairwise(sorted(of_value)):
        if high - low <= view.thresholds.levels_between:
            free = high - low - 1
            are = "is" if free == 1 else "are"
            between = f"only {count(free, 'value')} {are}" if free else "no value is"
            message = f"{between} free up to the next class"
            yield Offence(of_value[low], message, "value", (_shown(of_value[high]),))


@Rule
def preempting_batch_class(view: ClusterView) -> Iterator[Offence]:
    """A preempting class is used only by pods that run to completion, and would preempt others."""
    users = defaultdict[str, list[Workload]](list)
    for workload in view.workloads:
        users[workload.priority_class].append(workload)
    known = [(one.priority, one) for one in view.workloads if one.priority is not None]
    for class_ in view.classes:
        waiting = users[name(class_)]
        lower = [(priority, other) for priority, other in known if priority < class_value(class_)]
        if (
            class_.get("preemptionPolicy") != NEVER
            and waiting
            and all(
                workload.kind in BATCH
                or workload.spec.get("restartPolicy") in ("Never", "OnFailure")
                for workload in waiting
            )
            and lower
        ):
            priority, victim = max(lower, key=lambda entry: entry[0])
            message = (
                "it preempts, but only pods that run to an end use it: Never would do. "
                f"Such pods preempt those of {victim}, of priority {priority}"
            )
            yield Offence(class_, message, "preemptionPolicy", tuple(map(str, waiting)))


def _shown(priority_class: Object) -> str:
    return f"PriorityClass {name(priority_class)} ({class_value(priority_class)})"


@Rule
def unknown_class(view: ClusterView) -> Iterator[Offence]:
    """The PriorityClass that pods name doesn't exist.

    If the controller of the pods wasn't read, its template is assumed to name the same class.
    """
    known = view.class_names()
    controllers = {
        (kind, namespace(obj), name(obj))
        for kind, objects in view.by_kind.items()
        for obj in objects
    }
    for pod in view.stale_pods:
        controller = controller_key(pod.pods[0])
        if pod.refusal and controller and controller not in controllers:
            class_name = priority_class_of(pod.pods[0])
            message = f"there is no PriorityClass {class_name}: no further pod of {pod.workload} is"
            message += f" let in{likely_meant(class_name, known)}"
            yield Offence(pod.pods[0], message, "spec.priorityClassName", _still_running(pod.pods))
    for workload in view.workloads:
        named = workload.priority_class
        if named and workload.refusal and named not in known and view.knows_classes:
            hint = likely_meant(named, known)
            message = f"there is no PriorityClass {named}: none of its pods is let in{hint}"
            field = f"{workload.path}.priorityClassName"
            yield Offence(workload.obj, message, field, _still_running(view.pods_of(workload)))


def _still_running(pods: Sequence[Object]) -> tuple[str, ...]:
    verb = "runs" if len(pods) == 1 else "run"
    return (f"{count(len(pods), 'pod')} of it still {verb}",) if pods else ()


@workload_rule
def priority_without_class(view: ClusterView, workload: Workload) -> Iterator[Offence]:
    """Pods without a PriorityClass set a priority, which admission would refuse."""
    stated = workload.spec.get("priority")
    if workload.refusal and not workload.priority_class and stated is not None:
        message = f"the priority {stated} comes of no class: none of its pods is let in"
        yield Offence(workload.obj, message, f"{workload.path}.priority", (workload.refusal,))


@Rule
def priority_contradicts_class(view: ClusterView) -> Iterator[Offence]:
    """Pods set a priority or preemption policy that contradicts their class or the default."""
    known = view.class_names()
    for workload in view.workloads:
        states_priority = workload.spec.get("priority") is not None
        named = workload.priority_class
        if workload.refusal and (named in known or not (named or states_priority)):
            message = "what it states isn't what its class says: none of its pods is let in"
            yield Offence(workload.obj, message, workload.path, (workload.refusal,))


@Rule
def workload_without_class(view: ClusterView) -> Iterator[Offence]:
    """Pods name no PriorityClass, and no class is the default."""
    if not view.classes or view.default_class is not None:
        return
    for workload in view.workloads:
        if not workload.priority_class and not workload.refusal:
            message = "its pods name no PriorityClass, and get priority 0"
            yield Offence(workload.obj, message, f"{workload.path}.priorityClassName")


@workload_rule
def system_class_for_users(view: ClusterView, workload: Workload) -> Iterator[Offence]:
    """A workload in a namespace of users has a PriorityClass of the system."""
    place = workload.namespace
    is_system = place.startswith("kube-") or place.endswith("-system")
    is_system |= workload.kind == "DaemonSet"
    if workload.priority_class in SYSTEM_PRIORITY_CLASSES and not is_system:
        message = f"{workload.priority_class} outranks all pods of users, and {place} is theirs"
        yield Offence(workload.obj, message, f"{workload.path}.priorityClassName")


@Rule
def stale_priority(view: ClusterView) -> Iterator[Offence]:
    """The next pod of a workload would get another priority than the running pods have."""
    stale = [stale_pod for stale_pod in view.stale_pods if not stale_pod.refusal]
    if not stale:
        return
    # Few clusters need what plays them.
    from podium.whatif.lint.next_pod_trials import next_pod_sentences

    objects = [obj for found in view.by_kind.values() for obj in found]
    classes = {name(class_): class_ for class_ in view.classes}
    for group, sentence in next_pod_sentences(objects, stale):
        pods = tuple(f"{one.workload} ({count(len(one.pods), 'pod')})" for one in group)
        one, field = group[0], "globalDefault" if group[0].is_by_default else "value"
        found = classes.get(one.next_class)
        if found is None:
            yield Offence(one.pods[0], sentence, "spec.priority", pods)
        else:
            yield Offence(found, sentence, field, pods)
