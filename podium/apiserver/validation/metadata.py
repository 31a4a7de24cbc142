"""The `metadata` of objects."""

from typing import Any

from podium.api.errors import FieldError
from podium.api.labels import validate_label_key
from podium.apiserver.validation.checks import (
    Check,
    Faults,
    boolean,
    dicts,
    each,
    fields,
    integer,
    mapping,
    needed,
    text,
    time,
)
from podium.apiserver.validation.names import dns_label, label_map, subdomain
from podium.apiserver.validation.remembered import remembered


def _one_controller(value: Any, path: str) -> Faults:
    controllers = [
        f"{o.get('kind')} {o.get('name')}" for _, o in dicts(value) if o.get("controller")
    ]
    if len(controllers) > 1:
        message = f"Only one reference can have Controller set to true. Found {controllers}"
        yield FieldError(path, controllers, message)


def _owners(value: Any, path: str) -> Faults:
    yield from each(_owner)(value, path)
    yield from _one_controller(value, path)


def _annotation_key(value: str, path: str) -> Faults:
    for message in validate_label_key(value.lower()):
        yield FieldError(path, value, message)


_owner = fields(
    apiVersion=needed(text),
    kind=needed(text),
    name=needed(text),
    uid=needed(text),
    controller=boolean,
)


def object_meta(name: Check = subdomain) -> Check:
    """The metadata of a whole object; `name` judges its name."""
    return fields(
        name=name,
        namespace=remembered(dns_label),
        generateName=text,
        uid=text,
        labels=remembered(label_map),
        annotations=_annotations,
        ownerReferences=remembered(_owners),
        finalizers=each(text),
        creationTimestamp=remembered(time),
        deletionTimestamp=time,
        deletionGracePeriodSeconds=integer(0),
    )


_annotations = mapping(text, _annotation_key)
template_meta = fields(labels=label_map, annotations=_annotations)
