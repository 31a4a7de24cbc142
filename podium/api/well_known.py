"""Labels, annotations and fields whose names several parts of Podium know."""

HOSTNAME_LABEL = "kubernetes.io/hostname"
REGION_LABEL = "topology.kubernetes.io/region"
ZONE_LABEL = "topology.kubernetes.io/zone"
HASH_LABEL = "pod-template-hash"

LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"
HELM_HOOK = "helm.sh/hook"
BIND_COMPLETED = "pv.kubernetes.io/bind-completed"

# Kinds of affinity.
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"
