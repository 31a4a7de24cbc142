"""Storage classes: which one a claim or a volume is of, and which one is the default."""

from podium.api.objects import Object, annotations, spec_of

CLASS_ANNOTATION = "volume.beta.kubernetes.io/storage-class"
"""Named the class when there was no field for it, and still counts more than the field."""

_DEFAULT = (
    "storageclass.kubernetes.io/is-default-class",
    "storageclass.beta.kubernetes.io/is-default-class",
)


def storage_class_name(obj: Object) -> str:
    """The storage class of a claim or a persistent volume; empty if it has none."""
    noted = annotations(obj).get(CLASS_ANNOTATION)
    return str(spec_of(obj).get("storageClassName") or "") if noted is None else noted


def is_default_class(storage_class: Object) -> bool:
    """Whether claims that name no class are of this one."""
    marks = annotations(storage_class)
    return any(marks.get(mark) == "true" for mark in _DEFAULT)
