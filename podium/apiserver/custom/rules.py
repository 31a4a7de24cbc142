"""What is filled into objects, and what is wrong with new ones, wherever their kind comes from."""

from podium.api.custom_kinds import CustomKind
from podium.api.errors import FieldError
from podium.api.kinds import Kind
from podium.api.objects import Object
from podium.apiserver.custom.judging import faults
from podium.apiserver.custom.objects import with_defaults
from podium.apiserver.defaulting import apply_defaults
from podium.apiserver.refusals import first_told
from podium.apiserver.validation import first_faults


def completed(kind: Kind, obj: Object, *, is_new: bool = True) -> Object:
    """The object with its defaults; the same object where nothing is missing."""
    if isinstance(kind, CustomKind):
        return with_defaults(kind, obj)
    return apply_defaults(obj, kind.name, is_new=is_new)


def faults_of(kind: Kind, obj: Object) -> list[FieldError]:
    """The first faults of a new object: as many as are told, and one more if there are more."""
    return first_told(faults(kind, obj)) if isinstance(kind, CustomKind) else first_faults(obj)
