"""Registrations of the kinds that definitions bring."""

from functools import lru_cache, partial

from podium.api.kinds.custom_kinds import CustomKind
from podium.apiserver.custom_resources.structural_faults import faults
from podium.apiserver.decoding.custom_objects import with_defaults
from podium.apiserver.kinds.registration import rules
from podium.apiserver.kinds.registration.registration import Registration
from podium.apiserver.kinds.registration.selectable_fields import ReadField, text
from podium.apiserver.schema.json_paths import steps


@lru_cache(maxsize=256)
def custom_registration(kind: CustomKind) -> Registration:
    """What the definition of a kind says of it, in the kind's version."""
    rule = rules.all_of(rules.metadata, lambda new, old: faults(kind, new, old))
    paths = [one["jsonPath"] for one in kind.definition.get("selectableFields") or ()]
    return Registration(
        kind=kind,
        defaults=partial(with_defaults, kind),
        validate=lambda obj, _path: faults(kind, obj),
        validate_update=rule,
        validate_subresource_update=dict.fromkeys(kind.subresources, rule),
        words="apart conditional" if "status" in kind.subresources else "counts conditional",
        selectable={".".join(steps(path)): _as_written(".".join(steps(path))) for path in paths},
        unselectable="field label not supported: {}",
    )


def _as_written(path: str) -> ReadField:
    read = text(path)
    words = {"True": "true", "False": "false"}
    return lambda obj: words.get(read(obj), read(obj))
