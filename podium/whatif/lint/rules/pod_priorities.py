"""Rules about the priorities that pods ask for, and those that they keep."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from podium.api.objects import Object, controller_key, name
from podium.api.pods import priority_class_of
from podium.api.priority import SYSTEM_PRIORITY_CLASSES
from podium.api.values.message_words import count, likely_meant
from podium.whatif.lint.cluster_view import ClusterView
from podium.whatif.lint.rule import Offence, rule
from podium.whatif.lint.severity import Severity
from podium.whatif.lint.thresholds import Thresholds
from podium.whatif.plan.outcome.stale_priorities import StalePods


@rule(
    "unknown-class",
    Severity.ERROR,
    "Pods name a PriorityClass that isn't there",
    reason="The API server lets none of them in: a workload stays without pods.",
    fix="Make the class, or name one that is there.",
)
def unknown_class(view: ClusterView, _: Thresholds) -> Iterator[Offence]:
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


@rule(
    "priority-without-class",
    Severity.ERROR,
    "Pods state a priority without a class",
    reason=(
        "Priority comes of a class alone. The API server refuses pods that state another number "
        "than their class, or the default, gives them."
    ),
    fix="Leave `priority` out, and name a class as `priorityClassName`.",
)
def priority_without_class(view: ClusterView, _: Thresholds) -> Iterator[Offence]:
    """Pods state a number that admission doesn't come to, and no class."""
    for workload in view.workloads:
        stated = workload.spec.get("priority")
        if workload.refusal and not workload.priority_class and stated is not None:
            message = f"the priority {stated} comes of no class: none of its pods is let in"
            yield Offence(workload.obj, message, f"{workload.path}.priority", (workload.refusal,))


@rule(
    "priority-contradicts-class",
    Severity.ERROR,
    "Pods state a priority or policy that their class doesn't have",
    reason="The API server refuses pods whose numbers aren't those of their class.",
    fix="Leave `priority` and `preemptionPolicy` out of pods: admission fills them in.",
)
def priority_contradicts_class(view: ClusterView, _: Thresholds) -> Iterator[Offence]:
    """Pods state what their class, or the default, contradicts."""
    known = view.class_names()
    for workload in view.workloads:
        states_priority = workload.spec.get("priority") is not None
        named = workload.priority_class
        if workload.refusal and (named in known or not (named or states_priority)):
            message = "what it states isn't what its class says: none of its pods is let in"
            yield Offence(workload.obj, message, workload.path, (workload.refusal,))


@rule(
    "workload-without-class",
    Severity.INFO,
    "Pods have no PriorityClass",
    reason=(
        "There are classes, and none is the default. So the pods have priority 0 without anybody "
        "having said so."
    ),
    fix="Name a class as `priorityClassName`, or make one the default.",
)
def workload_without_class(view: ClusterView, _: Thresholds) -> Iterator[Offence]:
    """Pods name no class where there are some, and there is no default."""
    if not view.classes or view.default_class is not None:
        return
    for workload in view.workloads:
        if not workload.priority_class and not workload.refusal:
            message = "its pods name no PriorityClass, and get priority 0"
            yield Offence(workload.obj, message, f"{workload.path}.priorityClassName")


@rule(
    "system-class-for-users",
    Severity.WARNING,
    "Pods outside of the system have one of the system's classes",
    reason=(
        "Pods of system-cluster-critical and system-node-critical preempt all pods of users, and "
        "the kubelet never evicts them under pressure. One that leaks takes its node along."
    ),
    fix="Use a class of your own. Namespaces whose names begin with `kube-` or end in `-system` "
    "are taken for the system's, and so are DaemonSets; for others that are, add an annotation.",
)
def system_class_for_users(view: ClusterView, _: Thresholds) -> Iterator[Offence]:
    """A workload in a namespace of users has a system class."""
    for workload in view.workloads:
        place = workload.namespace
        is_system = place.startswith("kube-") or place.endswith("-system")
        is_system |= workload.kind == "DaemonSet"
        if workload.priority_class in SYSTEM_PRIORITY_CLASSES and not is_system:
            message = f"{workload.priority_class} outranks all pods of users, and {place} is theirs"
            yield Offence(workload.obj, message, f"{workload.path}.priorityClassName")


@rule(
    "stale-priority",
    Severity.WARNING,
    "Running pods keep a priority that new ones don't get",
    reason=(
        "Admission resolves a pod's priority once. When a default class comes later, or a class is "
        "made again with a higher value, pods that run keep what they have, and every pod that is "
        "created from then on outranks them: the next one preempts one of them, its replacement "
        "another, until the whole workload has been down."
    ),
    fix="Give the default class the value that the pods have, or `preemptionPolicy: Never`, or let "
    "the workloads name a class and replace their pods while no higher one is the default: `podium "
    "rollout` plays it. What the next pods do now was played, where nodes were read.",
)
def stale_priority(view: ClusterView, _: Thresholds) -> Iterator[Offence]:
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
