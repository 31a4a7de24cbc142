"""What kubectl's apply by the client has noted on an object, where kubectl applies on the server.

Whoever goes from the one to the other meets no conflicts with itself: what the annotation holds,
and nobody has changed since, may be applied anew. The annotation is kept up to date, so that the
way back is open.

Source: the field managers of apimachinery, v1.36.
"""

import json

from podium.api.codec.go_json import escaped
from podium.api.objects import Object, annotations, metadata_of
from podium.api.well_known import LAST_APPLIED
from podium.apiserver.patching.ownership.field_comparison import compare
from podium.apiserver.patching.ownership.field_sets import NOTHING, FieldSet, difference
from podium.apiserver.patching.ownership.steps import UntypedError, owned_fields
from podium.apiserver.patching.ownership.type_faults import type_faults
from podium.apiserver.schema import Struct
from podium.apiserver.validation.metadata import ANNOTATIONS_SIZE_MAX_BYTES, annotations_size_bytes

KUBECTL = "kubectl"
"""The field manager of `kubectl apply --server-side`; others leave the annotation alone."""


def unchanged_fields(live: Object, api_version: str, struct: Struct) -> FieldSet:
    """The fields that kubectl has noted as applied, and that are still as it has noted them.

    None are if there is no note, or one that isn't an object of the version.
    """
    try:
        noted = json.loads(annotations(live).get(LAST_APPLIED) or "null")
    except ValueError:
        return NOTHING
    if not isinstance(noted, dict) or noted.get("apiVersion") != api_version:
        return NOTHING
    if any(type_faults(noted, struct)):
        return NOTHING
    try:
        fields = owned_fields(noted, struct)
        for differing in compare(noted, live, struct):
            fields = difference(fields, differing)
    except UntypedError:
        return NOTHING
    return fields


def renoted(obj: Object, configuration: Object) -> Object:
    """The object with the configuration as kubectl's note, if it has one.

    The note goes if the annotations would be too large with it.
    """
    notes = annotations(obj)
    if not notes.get(LAST_APPLIED):
        return obj
    metadata, said = metadata_of(configuration), annotations(configuration)
    if LAST_APPLIED in said:
        rest = {key: value for key, value in said.items() if key != LAST_APPLIED}
        configuration = {**configuration, "metadata": {**metadata, "annotations": rest}}
    text = json.dumps(configuration, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    notes = {**notes, LAST_APPLIED: f"{escaped(text)}\n"}
    if annotations_size_bytes(notes) > ANNOTATIONS_SIZE_MAX_BYTES:
        del notes[LAST_APPLIED]
    return {**obj, "metadata": {**metadata_of(obj), "annotations": notes}}
