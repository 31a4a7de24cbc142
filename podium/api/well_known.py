"""Names of labels, annotations and fields that several parts of Podium use."""

HOSTNAME_LABEL = "kubernetes.io/hostname"
REGION_LABEL = "topology.kubernetes.io/region"
ZONE_LABEL = "topology.kubernetes.io/zone"
HASH_LABEL = "pod-template-hash"

SNAPSHOT_OBJECTS = "podium.dev/snapshot-objects"
"""The annotation of a snapshot with the number of its objects."""

LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"
HELM_HOOK = "helm.sh/hook"
BIND_COMPLETED = "pv.kubernetes.io/bind-completed"

# Kinds of affinity.
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"
LOG_DIRECTORY = "podium.dev/log-directory"
