"""Objects for tests, with as little in them as a test needs, and kinds and names as the API has."""

from typing import Any

Obj = dict[str, Any]

ZONE = "topology.kubernetes.io/zone"
HOST = "kubernetes.io/hostname"
READY: Obj = {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}
UNKNOWN: Obj = {"conditions": [{"type": "Ready", "status": "Unknown"}]}


def node(name: str, cpu: str = "4", *, pods: str = "110", zone: str = "", **fields: Any) -> Obj:
    """A node; `uid`, `labels`, `annotations`, `allocatable` and `status` go where they belong.

    All else, such as `taints`, goes into the spec.
    """
    labels = {HOST: name, **({ZONE: zone} if zone else {}), **fields.pop("labels", {})}
    metadata = {"name": name, "labels": labels, **_uid(fields)}
    if annotations := fields.pop("annotations", None):
        metadata["annotations"] = annotations
    allocatable = {"cpu": cpu, "memory": "8Gi", "pods": pods, **fields.pop("allocatable", {})}
    status = {"allocatable": allocatable, **fields.pop("status", {})}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": metadata,
        "spec": fields,
        "status": status,
    }


def pod(name: str, cpu: str = "1", *, on: str = "", app: str = "", **fields: Any) -> Obj:
    """A pod, labelled by the part of its name before the first dash, unless `app` is given.

    `created`, `owner`, `start`, `status`, `uid`, `annotations` and `namespace` go where they
    belong, `metadata` over what the metadata has, and all else into the spec.
    """
    metadata: Obj = {"name": name, "namespace": fields.pop("namespace", "default"), **_uid(fields)}
    metadata["labels"] = {"app": app or name.partition("-")[0]}
    if created := fields.pop("created", ""):
        metadata["creationTimestamp"] = created
    if owner := fields.pop("owner", None):
        metadata["ownerReferences"] = [{**reference(owner), "controller": True}]
    if annotations := fields.pop("annotations", None):
        metadata["annotations"] = annotations
    metadata.update(fields.pop("metadata", {}))
    status = fields.pop("status", None)
    if start := fields.pop("start", ""):
        status = {"startTime": start, **(status or {})}
    spec = {"containers": [container(cpu)], **({"nodeName": on} if on else {}), **fields}
    obj = {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}
    return obj if status is None else {**obj, "status": status}


def container(cpu: str = "1", **fields: Any) -> Obj:
    """A container that requests cpu."""
    return {"name": "c", "image": "i", "resources": {"requests": {"cpu": cpu}}, **fields}


def workload(kind: str, name: str, cpu: str = "1", **spec: Any) -> Obj:
    """A workload whose pods are labelled with its name; `template` adds to the pods' spec."""
    template = {
        "metadata": {"labels": {"app": name}},
        "spec": {"containers": [container(cpu)], **spec.pop("template", {})},
    }
    selector: Obj = {"selector": {"matchLabels": {"app": name}}}
    if kind == "Job":
        template["spec"].setdefault("restartPolicy", "Never")
        selector |= {"manualSelector": True}
    return {
        "apiVersion": "batch/v1" if kind == "Job" else "apps/v1",
        "kind": kind,
        "metadata": {"name": name, "namespace": "default", **_uid(spec)},
        "spec": {**selector, "template": template, **spec},
    }


def running(kind: str, name: str, *nodes: str, cpu: str = "1", **template: Any) -> list[Obj]:
    """A workload of a cluster, and a ready pod of it on each node; `template` is the pods' spec."""
    replicas = {} if kind == "DaemonSet" else {"replicas": len(nodes)}
    owner = workload(kind, name, cpu, uid=f"{name}-uid", template=template, **replicas)
    tracked = {"finalizers": ["batch.kubernetes.io/job-tracking"]} if kind == "Job" else {}
    pods = [
        pod(f"{name}-{n}", cpu, on=on, owner=owner, uid=f"{name}-{n}-uid", status=READY, **template)
        for n, on in enumerate(nodes)
    ]
    for one in pods:
        one["metadata"] |= tracked
    return [owner, *pods]


def budget(app: str, *, status: Obj | None = None, uid: str = "", **spec: Any) -> Obj:
    """A disruption budget of the pods with that label."""
    obj = {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": app, "namespace": "default", **_uid({"uid": uid})},
        "spec": {"selector": {"matchLabels": {"app": app}}, **spec},
    }
    return obj if status is None else {**obj, "status": status}


def priority_class(name: str, value: int, **fields: Any) -> Obj:
    """A priority class."""
    return {
        "apiVersion": "scheduling.k8s.io/v1",
        "kind": "PriorityClass",
        "metadata": {"name": name},
        "value": value,
        **fields,
    }


def resource_quota(name: str, hard: Obj, **fields: Any) -> Obj:
    """A quota of the namespace `default`."""
    head = {"apiVersion": "v1", "kind": "ResourceQuota"}
    metadata = {"name": name, "namespace": "default"}
    return {**head, "metadata": metadata, "spec": {"hard": hard}, **fields}


def storage_class(name: str, *, provisioner: str, waits: bool = False) -> Obj:
    """A storage class, which may wait for the first consumer."""
    mode = {"volumeBindingMode": "WaitForFirstConsumer"} if waits else {}
    head = {"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": name}}
    return {**head, "provisioner": provisioner, **mode}


def claim(name: str, class_name: str, **spec: Any) -> Obj:
    """A claim of a volume of 1 Gi."""
    head = {"apiVersion": "v1", "kind": "PersistentVolumeClaim"}
    amount = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
    metadata = {"name": name, "namespace": "default"}
    spec = {"storageClassName": class_name, **amount, **spec}
    return {**head, "metadata": metadata, "spec": spec}


def volume(name: str, class_name: str, host: str = "", **spec: Any) -> Obj:
    """A volume of 1 Gi that one node reaches, or all."""
    head = {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": name}}
    amount = {"accessModes": ["ReadWriteOnce"], "capacity": {"storage": "1Gi"}}
    if host:
        expression = {"key": HOST, "operator": "In", "values": [host]}
        terms = [{"matchExpressions": [expression]}]
        spec["nodeAffinity"] = {"required": {"nodeSelectorTerms": terms}}
    return {**head, "spec": {"storageClassName": class_name, **amount, **spec}}


def config_map(name: str, **data: str) -> Obj:
    """A ConfigMap."""
    metadata = {"name": name, "namespace": "default"}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data}


def namespace(name: str) -> Obj:
    """A namespace."""
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}


def reference(owner: Obj) -> Obj:
    """An owner reference."""
    metadata = owner["metadata"]
    uid = metadata.get("uid") or f"{metadata['namespace']}/{metadata['name']}"
    called = {"kind": owner["kind"], "name": metadata["name"], "uid": uid}
    return {"apiVersion": owner["apiVersion"], **called}


def near(app: str, key: str = HOST) -> Obj:
    """A required affinity term."""
    return {"labelSelector": {"matchLabels": {"app": app}}, "topologyKey": key}


def required(kind: str, *terms: Obj) -> Obj:
    """The affinity of a pod: `podAffinity` or `podAntiAffinity` with required terms."""
    return {kind: {"requiredDuringSchedulingIgnoredDuringExecution": [*terms]}}


def _uid(fields: Obj) -> Obj:
    uid = fields.pop("uid", "")
    return {"uid": uid} if uid else {}
