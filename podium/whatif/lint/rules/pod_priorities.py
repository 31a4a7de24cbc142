"""Rules about the priorities that pods ask for, and those that they keep."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from podium.api.objects import Object, controller_key, name
from podium.api.pods import priority_class_of
from podium.api.priority import SYSTEM_PRIORITY_CLASSES
from podium.api.values.message_words import count, likely_meant
from podium.whatif.lint.cluster_view import ClusterView
from podium.whatif.lint.rule import Offence, Rule
from podium.whatif.plan.outcome.stale_priorities import StalePods


@Rule
def unknown_class(view: ClusterView) -> Iterator[Offence]:
    """The class that pods name is neither among the classes nor the system's.

    Of pods whose controller wasn't read, their own specs tell what the next one would name.
    """
    known = view.class_names()
    for one in view.stale_pods:
        controller = controller_key(one.pods[0])
        if one.refusal and controller and not view.has_controller(controller):
            class_name = priority_class_of(one.pods[0])
            message = f"there is no PriorityClass {class_name}: no further pod of {one.workload} is"
            message += f" let in{likely_meant(class_name, known)}"
            yield Offence(one.pods[0], message, "spec.priorityClassName", _still_running(one.pods))
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


@Rule
def priority_without_class(view: ClusterView) -> Iterator[Offence]:
    """Pods state a number that admission doesn't come to, and no class."""
    for workload in view.workloads:
        stated = workload.spec.get("priority")
        if workload.refusal and not workload.priority_class and stated is not None:
            message = f"the priority {stated} comes of no class: none of its pods is let in"
            yield Offence(workload.obj, message, f"{workload.path}.priority", (workload.refusal,))


@Rule
def priority_contradicts_class(view: ClusterView) -> Iterator[Offence]:
    """Pods state what their class, or the default, contradicts."""
    known = view.class_names()
    for workload in view.workloads:
        states_priority = workload.spec.get("priority") is not None
        named = workload.priority_class
        if workload.refusal and (named in known or not (named or states_priority)):
            message = "what it states isn't what its class says: none of its pods is let in"
            yield Offence(workload.obj, message, workload.path, (workload.refusal,))


@Rule
def workload_without_class(view: ClusterView) -> Iterator[Offence]:
    """Pods name no class where there are some, and there is no default."""
    if not view.classes or view.default_class is not None:
        return
    for workload in view.workloads:
        if not workload.priority_class and not workload.refusal:
            message = "its pods name no PriorityClass, and get priority 0"
            yield Offence(workload.obj, message, f"{workload.path}.priorityClassName")


@Rule
def system_class_for_users(view: ClusterView) -> Iterator[Offence]:
    """A workload in a namespace of users has a system class."""
    for workload in view.workloads:
        place = workload.namespace
        is_system = place.startswith("kube-") or place.endswith("-system")
        is_system |= workload.kind == "DaemonSet"
        if workload.priority_class in SYSTEM_PRIORITY_CLASSES and not is_system:
            message = f"{workload.priority_class} outranks all pods of users, and {place} is theirs"
            yield Offence(workload.obj, message, f"{workload.path}.priorityClassName")


@Rule
def stale_priority(view: ClusterView) -> Iterator[Offence]:
    """The class of a workload's next pod has another value than the running pods have."""
    stale = [one for one in view.stale_pods if not one.refusal]
    if not stale:
        return
    # Few clusters need what plays them.
    from podium.whatif.lint.next_pod_trials import next_pod_sentences

    objects = [obj for found in view.by_kind.values() for obj in found]
    sentences = next_pod_sentences(objects, stale)
    classes = {name(one): one for one in view.classes}
    groups = defaultdict[tuple[int, int | None, str], list[StalePods]](list)
    for one in stale:
        groups[one.priority, one.next_priority, one.next_class].append(one)
    for change, group in groups.items():
        pods = tuple(f"{one.workload} ({count(len(one.pods), 'pod')})" for one in group)
        found = classes.get(change[2])
        if found is None:
            yield Offence(group[0].pods[0], sentences[change], "spec.priority", pods)
        else:
            field = "globalDefault" if group[0].is_by_default else "value"
            yield Offence(found, sentences[change], field, pods)
