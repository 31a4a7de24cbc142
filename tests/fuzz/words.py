"""Words that fields take, by the field's name, so that what is made at random is often let in."""

from random import Random
from typing import Any

NAMES = ("a", "b", "c", "web", "db", "podium-1", "podium-2", "podium-3", "default", "data")
KEYS = (
    "app", "zone", "kubernetes.io/hostname", "topology.kubernetes.io/zone", "example.com/x", "cpu",
    "node.kubernetes.io/not-ready", "node.kubernetes.io/unschedulable", "metadata.name",
)  # fmt: skip
RESOURCES = (
    "cpu", "memory", "ephemeral-storage", "pods", "hugepages-2Mi", "example.com/gpu", "storage",
    "requests.cpu", "limits.memory", "count/pods", "count/jobs.batch", "services.nodeports",
    "attachable-volumes-x", "requests.example.com/gpu", "persistentvolumeclaims",
)  # fmt: skip
ANNOTATIONS = (
    "podium.dev/startup", "podium.dev/run-duration", "podium.dev/exit-code", "podium.dev/down",
    "podium.dev/termination", "podium.dev/ready-after", "podium.dev/conditions",
    "podium.dev/init-duration", "podium.dev/simulated", "podium.dev/heartbeats",
    "podium.dev/memory-usage", "podium.dev/memory-available", "podium.dev/disk-usage",
    "controller.kubernetes.io/pod-deletion-cost", "deployment.kubernetes.io/revision",
    "kubectl.kubernetes.io/last-applied-configuration", "kubernetes.io/config.mirror",
    "scheduler.alpha.kubernetes.io/node-selector", "pv.kubernetes.io/bind-completed",
    "scheduler.alpha.kubernetes.io/defaultTolerations", "batch.kubernetes.io/job-tracking",
    "volume.kubernetes.io/selected-node", "storageclass.kubernetes.io/is-default-class",
    "volume.beta.kubernetes.io/storage-class", "endpoints.kubernetes.io/over-capacity",
    "pv.kubernetes.io/provisioned-by", "volume.kubernetes.io/storage-provisioner",
)  # fmt: skip
SPANS = ("10s", "1s..5s", "~1m", "never", "forever", "grace", "0s", "true", "1", "Ready=False")

_WORDS: dict[str, tuple[Any, ...]] = {
    "operator": ("In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt", "Equal"),
    "effect": ("NoSchedule", "NoExecute", "PreferNoSchedule"),
    "whenUnsatisfiable": ("DoNotSchedule", "ScheduleAnyway"),
    "nodeAffinityPolicy": ("Honor", "Ignore"),
    "nodeTaintsPolicy": ("Honor", "Ignore"),
    "restartPolicy": ("Always", "OnFailure", "Never"),
    "preemptionPolicy": ("Never", "PreemptLowerPriority"),
    "priorityClassName": ("high", "low", "system-node-critical", "system-cluster-critical"),
    "status": ("True", "False", "Unknown"),
    "phase": ("Pending", "Running", "Succeeded", "Failed", "Bound", "Released", "Terminating"),
    "policy": ("AlwaysAllow", "IfHealthyBudget"),
    "unhealthyPodEvictionPolicy": ("AlwaysAllow", "IfHealthyBudget"),
    "protocol": ("TCP", "UDP", "SCTP"),
    "completionMode": ("Indexed", "NonIndexed"),
    "podManagementPolicy": ("OrderedReady", "Parallel"),
    "podReplacementPolicy": ("TerminatingOrFailed", "Failed"),
    "action": ("FailJob", "Ignore", "Count", "FailIndex", "Binding"),
    "volumeBindingMode": ("Immediate", "WaitForFirstConsumer"),
    "persistentVolumeReclaimPolicy": ("Retain", "Delete", "Recycle"),
    "reclaimPolicy": ("Retain", "Delete"),
    "whenDeleted": ("Retain", "Delete"),
    "whenScaled": ("Retain", "Delete"),
    "accessModes": ("ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod"),
    "volumeMode": ("Filesystem", "Block"),
    "storageClassName": ("", "fast", "late", "static"),
    "addressType": ("IPv4", "IPv6", "FQDN"),
    "addresses": ("10.0.0.1", "::1", "example.com"),
    "ip": ("10.0.0.1", "::1"),
    "scopeName": ("PriorityClass", "BestEffort", "Terminating", "NotBestEffort", "NotTerminating"),
    "scopes": ("BestEffort", "Terminating", "NotBestEffort"),
    "finalizers": ("kubernetes", "example.com/hold", "foregroundDeletion", "orphan"),
    "conditionType": ("Ready", "DisruptionTarget", "PodScheduled", "example.com/gate"),
    "completedIndexes": ("0", "0-2", "1,3-5", "0-2147483646", "2-1", "x"),
    "failedIndexes": ("0", "0-2", "0-99999999"),
    "schedule": ("@hourly", "*/5 * * * *"),
    "serviceName": ("web",),
    "kind": ("Deployment", "ReplicaSet", "StatefulSet", "Pod", "Node", "Job", "Namespace"),
    "apiVersion": ("v1", "apps/v1", "batch/v1"),
    "topologyKey": KEYS,
    "key": KEYS,
    "labelKeys": KEYS,
    "matchLabelKeys": KEYS,
    "nodeName": ("podium-1", "podium-2", "nowhere", ""),
    "values": ("a", "web", "z1", "podium-1", "5", "-5"),
    "value": ("a", "web", "z1", "true", "5"),
}
_TYPES = (
    "Ready", "MemoryPressure", "DiskPressure", "PIDPressure", "PodScheduled", "DisruptionTarget",
    "RollingUpdate", "Recreate", "OnDelete", "ClusterIP", "NodePort", "LoadBalancer",
    "ExternalName", "Container", "Pod", "PersistentVolumeClaim", "Complete", "Failed",
    "Suspended", "Available",
    "Progressing", "InternalIP", "Opaque", "RuntimeDefault", "FileSystemResizePending", "Resizing",
)  # fmt: skip


def word(rng: Random, field: str) -> str:
    """A string that a field of that name may well take."""
    if field == "type":
        return rng.choice(_TYPES)
    return str(rng.choice(_WORDS.get(field, NAMES)))


def key(rng: Random, field: str) -> str:
    """A key that a map of that name may well have."""
    if field == "annotations":
        return rng.choice(ANNOTATIONS)
    if field in ("labels", "matchLabels", "nodeSelector", "selector"):
        return rng.choice(KEYS)
    return rng.choice(RESOURCES)
