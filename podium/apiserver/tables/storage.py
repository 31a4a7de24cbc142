"""The columns of volumes, claims and what provides them."""

from podium.api.objects import Object, annotations, is_terminating, name
from podium.apiserver.tables.columns import AGE, NAME, NONE, UNSET, WIDE, Column, at, field, text

_CLASS_ANNOTATION = "volume.beta.kubernetes.io/storage-class"
_DEFAULT_ANNOTATIONS = (
    "storageclass.kubernetes.io/is-default-class",
    "storageclass.beta.kubernetes.io/is-default-class",
)
_ACCESS_MODES = (
    ("ReadWriteOnce", "RWO"),
    ("ReadOnlyMany", "ROX"),
    ("ReadWriteMany", "RWX"),
    ("ReadWriteOncePod", "RWOP"),
)


def _short_modes(modes: list[str] | None) -> str:
    return ",".join(short for mode, short in _ACCESS_MODES if mode in (modes or ()))


def _phase(obj: Object, _now_s: float) -> str:
    return "Terminating" if is_terminating(obj) else str(at(obj, "status", "phase") or "")


def _storage_class(obj: Object, _now_s: float) -> str:
    own = annotations(obj).get(_CLASS_ANNOTATION)
    return own if own is not None else str(at(obj, "spec", "storageClassName") or "")


def _claim(volume: Object, _now_s: float) -> str:
    claim = at(volume, "spec", "claimRef")
    return f"{claim.get('namespace', '')}/{claim.get('name', '')}" if claim else ""


def _claimed_capacity(claim: Object, _now_s: float) -> str:
    if not at(claim, "spec", "volumeName"):
        return ""
    return str(at(claim, "status", "capacity", "storage") or "0")


def _claimed_modes(claim: Object, _now_s: float) -> str:
    if not at(claim, "spec", "volumeName"):
        return ""
    return _short_modes(at(claim, "status", "accessModes"))


def _class_name(storage_class: Object, _now_s: float) -> str:
    notes = annotations(storage_class)
    is_default = any(notes.get(key) == "true" for key in _DEFAULT_ANNOTATIONS)
    return f"{name(storage_class)} (default)" if is_default else name(storage_class)


def _audiences(driver: Object, _now_s: float) -> str:
    requests = at(driver, "spec", "tokenRequests")
    if requests is None:
        return UNSET
    return ",".join(str(request.get("audience", "")) for request in requests)


def _lifecycle_modes(driver: Object, _now_s: float) -> str:
    return ",".join(at(driver, "spec", "volumeLifecycleModes") or ()) or NONE


def _flag(heading: str, key: str, description: str, *, default: bool = False) -> Column:
    return Column(heading, field("spec", key, default=default), description, "boolean")


_STORAGE_CLASS = Column("StorageClass", _storage_class, "Class of the storage.")
_ATTRIBUTES_CLASS = Column(
    "VolumeAttributesClass",
    field("spec", "volumeAttributesClassName", default=UNSET),
    "Class of the volume's attributes.",
)
_VOLUME_MODE = Column(
    "VolumeMode", field("spec", "volumeMode", default=UNSET), "Filesystem or Block.", priority=WIDE
)

PERSISTENT_VOLUME = (
    NAME,
    Column("Capacity", text("spec", "capacity", "storage", default="0"), "Size of the volume."),
    Column(
        "Access Modes",
        lambda volume, _: _short_modes(at(volume, "spec", "accessModes")),
        "How it can be mounted.",
    ),
    Column(
        "Reclaim Policy",
        text("spec", "persistentVolumeReclaimPolicy"),
        "What becomes of it once its claim is gone.",
    ),
    Column("Status", _phase, "Whether it is available, bound or released."),
    Column("Claim", _claim, "The claim that it is bound to."),
    _STORAGE_CLASS,
    _ATTRIBUTES_CLASS,
    Column("Reason", text("status", "reason"), "Why it has failed."),
    AGE,
    _VOLUME_MODE,
)

PERSISTENT_VOLUME_CLAIM = (
    NAME,
    Column("Status", _phase, "Whether it is pending, bound or lost."),
    Column("Volume", text("spec", "volumeName"), "The volume that it is bound to."),
    Column("Capacity", _claimed_capacity, "Size of that volume."),
    Column("Access Modes", _claimed_modes, "How it can be mounted."),
    _STORAGE_CLASS,
    _ATTRIBUTES_CLASS,
    AGE,
    _VOLUME_MODE,
)

VOLUME_ATTRIBUTES_CLASS = (
    NAME,
    Column("DriverName", text("driverName"), "Whose volumes it is for."),
    AGE,
)

STORAGE_CLASS = (
    Column("Name", _class_name, "Name, and whether it is the default.", format="name"),
    Column("Provisioner", text("provisioner"), "Who makes the volumes."),
    Column(
        "ReclaimPolicy",
        text("reclaimPolicy", default="Delete"),
        "What becomes of a volume once its claim is gone.",
    ),
    Column(
        "VolumeBindingMode",
        text("volumeBindingMode", default="Immediate"),
        "When a claim gets its volume.",
    ),
    Column(
        "AllowVolumeExpansion",
        field("allowVolumeExpansion", default=False),
        "Whether volumes can grow.",
    ),
    AGE,
)

CSI_DRIVER = (
    NAME,
    _flag("AttachRequired", "attachRequired", "Whether volumes are attached.", default=True),
    _flag("PodInfoOnMount", "podInfoOnMount", "Whether mounting wants to know the pod."),
    _flag("StorageCapacity", "storageCapacity", "Whether scheduling looks at capacity."),
    Column("TokenRequests", _audiences, "Audiences of the tokens that it needs."),
    _flag("RequiresRepublish", "requiresRepublish", "Whether mounts are repeated."),
    Column("Modes", _lifecycle_modes, "Lifecycles of volumes that it supports."),
    AGE,
)

CSI_STORAGE_CAPACITY = (
    NAME,
    Column("StorageClassName", text("storageClassName"), "Class of the storage."),
    Column("Capacity", text("capacity", default=UNSET), "How much there is."),
)

VOLUME_ATTACHMENT = (
    NAME,
    Column("Attacher", text("spec", "attacher"), "Who attaches the volume.", format="name"),
    Column("PV", text("spec", "source", "persistentVolumeName"), "The volume."),
    Column("Node", text("spec", "nodeName"), "Where it is to be attached."),
    Column("Attached", field("status", "attached", default=False), "Whether it is.", "boolean"),
    AGE,
)
