"""Kubernetes' objects in recorded questions: taken as they stand, but for their types."""

from typing import Annotated, Any

from pydantic import AfterValidator

from podium.api.documents.document import Tuple, refuse
from podium.api.errors import OMITTED, FieldError
from podium.api.kinds.builtin_kinds import KINDS
from podium.api.objects import Object
from podium.apiserver.decoding.type_checker import DecodingError
from podium.apiserver.decoding.typed import typed


def type_faults(kind: str, obj: Object) -> list[FieldError]:
    """The first field of an object that is of another type than Kubernetes has it, if any is."""
    try:
        typed(KINDS[kind], obj)
    except DecodingError as error:
        why = str(error).removeprefix(f"{error.field}: ")
        return [FieldError(error.field, OMITTED, why)]
    return []


def _pod(obj: dict[str, Any]) -> dict[str, Any]:
    refuse(type_faults("Pod", obj))
    return obj


Pod = Annotated[dict[str, Any], AfterValidator(_pod)]
Pods = Tuple[Pod]
