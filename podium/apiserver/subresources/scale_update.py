"""Writing a Scale: what it makes of the workload that it is about."""

from typing import Any

from msgspec.structs import replace

from podium.api.objects import Object, metadata_of
from podium.apiserver.attributes import Attributes
from podium.apiserver.decoding import PatchType
from podium.apiserver.patching import apply_configuration
from podium.apiserver.schema.struct_types import SCALE
from podium.apiserver.subresources.scale import replicas_path, scale_of, scaled
from podium.apiserver.verbs.update import check_key, patched, tracked
from podium.apiserver.verbs.verb_options import PatchRequest


def with_scale(request: Attributes, workload: Object, scale: Object) -> Object:
    """The workload as a Scale says, with its owners."""
    check_key(request, scale)
    return tracked(request, workload, scaled(request.kind, workload, scale))


def with_patched_scale(request: Attributes, workload: Object, patch: PatchRequest) -> Object:
    """The workload as its patched Scale says, with its owners."""
    if patch.patch_type == PatchType.APPLY:
        return _with_applied_scale(request, workload, patch.body)
    scale, _ = patched(SCALE, scale_of(request.kind, workload), replace(patch, api_version=""))
    return with_scale(request, workload, scale)


def _with_applied_scale(request: Attributes, workload: Object, configuration: Object) -> Object:
    kind = request.kind
    # Who owns what is told by the workload.
    forced = replace(request.options, force=True)
    about_scale = replace(request, kind=SCALE, subresource="", options=forced)
    scale = apply_configuration(about_scale, scale_of(kind, workload), configuration)
    check_key(request, scale)
    wanted = scaled(kind, workload, scale)
    owned = {
        "apiVersion": kind.api_version,
        "kind": kind.name,
        "metadata": {"name": request.name},
        **_only(wanted, replicas_path(kind)),
    }
    applied = apply_configuration(request, workload, owned)
    owners = metadata_of(applied)["managedFields"]
    return {**wanted, "metadata": {**wanted["metadata"], "managedFields": owners}}


def _only(obj: Object, path: tuple[str, ...]) -> dict[str, Any]:
    first, *rest = path
    return {first: _only(obj[first], tuple(rest)) if rest else obj[first]}
