"""What may change of CustomResourceDefinitions."""

from podium.api.custom_kinds import is_established
from podium.api.errors import FieldError
from podium.api.objects import Object
from podium.apiserver.update_validation.metadata import metadata
from podium.apiserver.update_validation.rules import Faults, at, immutable_value
from podium.apiserver.validation.definitions import definition

_ALWAYS = ("spec.group", "spec.names.plural")
_ONCE_SERVED = ("spec.scope", "spec.names.kind")
_REMAINS = (
    "missing from spec.versions; {0} was previously a storage version, and must remain in "
    "spec.versions until a storage migration ensures no data remains persisted in {0} and removes "
    "{0} from status.storedVersions"
)


def update(new: Object, old: Object) -> Faults:
    """What may change of a definition."""
    yield from metadata(new, old)
    yield from definition(new, "")
    for path in (*(_ONCE_SERVED if is_established(old) else ()), *_ALWAYS):
        yield from immutable_value(at(new, path), at(old, path), path)
    there = [one.get("name") for one in at(new, "spec.versions") or ()]
    for index, stored in enumerate(at(old, "status.storedVersions") or ()):
        if stored not in there:
            why = _REMAINS.format(stored)
            yield FieldError(f"status.storedVersions[{index}]", stored, why)
