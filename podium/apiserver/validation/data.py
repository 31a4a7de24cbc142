"""ConfigMaps, Secrets, and other objects that hold data."""

import json
import re
from base64 import b64decode
from binascii import Error as Base64Error
from typing import Any

from podium.api.errors import ErrorKind, FieldError
from podium.apiserver.validation.checks import (
    Check,
    Faults,
    a_dict,
    a_string,
    boolean,
    each,
    fields,
    integer,
    join,
    mapping,
    required,
    text,
)
from podium.apiserver.validation.metadata import object_meta

SIZE_MAX_BYTES = 1024 * 1024
_KEY_LENGTH_MAX = 253
_KEY = re.compile(r"[-._a-zA-Z0-9]+", re.ASCII)
_KEY_RULE = (
    "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. "
    "'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')"
)
_SERVICE_ACCOUNT_NAME = "kubernetes.io/service-account.name"

# What a secret of a type has to hold.
_NEEDED_KEYS = {
    "kubernetes.io/dockercfg": (".dockercfg",),
    "kubernetes.io/dockerconfigjson": (".dockerconfigjson",),
    "kubernetes.io/tls": ("tls.crt", "tls.key"),
    "kubernetes.io/ssh-auth": ("ssh-privatekey",),
}
_JSON_TYPES = ("kubernetes.io/dockercfg", "kubernetes.io/dockerconfigjson")


def _key_faults(key: str) -> list[str]:
    faults = []
    if len(key) > _KEY_LENGTH_MAX:
        faults.append(f"must be no more than {_KEY_LENGTH_MAX} bytes")
    if not _KEY.fullmatch(key):
        faults.append(_KEY_RULE)
    if key in (".", ".."):
        faults.append(f"must not be '{key}'")
    elif key.startswith(".."):
        faults.append("must not start with '..'")
    return faults


config_key = a_string(_key_faults)
"""A key of the data."""


def _keys(field: str) -> Check:
    """The keys of the data are fit to be names of files."""

    def check(value: Any, path: str) -> Faults:
        for key in a_dict(value.get(field)):
            yield from config_key(key, f"{join(path, field)}[{key}]")

    return check


def _no_key_twice(value: Any, path: str) -> Faults:
    for key in a_dict(value.get("data")).keys() & a_dict(value.get("binaryData")).keys():
        message = "duplicate of key present in binaryData"
        yield FieldError(f"{join(path, 'data')}[{key}]", key, message)


def _too_large(path: str) -> FieldError:
    message = f"may not be more than {SIZE_MAX_BYTES} bytes"
    return FieldError(path, None, message, ErrorKind.TOO_LONG)


def _map_size(value: Any, path: str) -> Faults:
    size = sum(len(str(entry).encode()) for entry in a_dict(value.get("data")).values())
    size += sum(_decoded_size(entry) for entry in a_dict(value.get("binaryData")).values())
    if size > SIZE_MAX_BYTES:
        yield _too_large(path)


def _secret_size(value: Any, path: str) -> Faults:
    size = sum(_decoded_size(entry) for entry in a_dict(value.get("data")).values())
    if size > SIZE_MAX_BYTES:
        yield _too_large(join(path, "data"))


def _decoded_size(entry: object) -> int:
    return len(entry) * 3 // 4 if isinstance(entry, str) else 0


def _fits_type(value: Any, path: str) -> Faults:
    kind, data = value.get("type"), a_dict(value.get("data"))
    where = join(path, "data")
    if kind == "kubernetes.io/service-account-token":
        notes = a_dict(a_dict(value.get("metadata")).get("annotations"))
        if not notes.get(_SERVICE_ACCOUNT_NAME):
            yield required(f"metadata.annotations[{_SERVICE_ACCOUNT_NAME}]")
    elif kind == "kubernetes.io/basic-auth":
        if "username" not in data and "password" not in data:
            yield required(f"{where}[username]")
            yield required(f"{where}[password]")
    else:
        for key in _NEEDED_KEYS.get(str(kind), ()):
            if key not in data:
                yield required(f"{where}[{key}]")
            elif kind in _JSON_TYPES and not _is_json_object(data[key]):
                message = "must be a JSON object"
                yield FieldError(f"{where}[{key}]", "<secret contents redacted>", message)


def _is_json_object(encoded: Any) -> bool:
    try:
        return isinstance(json.loads(b64decode(encoded)), dict)
    except (Base64Error, TypeError, ValueError):
        return False


config_map = fields(
    _keys("data"),
    _no_key_twice,
    _keys("binaryData"),
    _map_size,
    metadata=object_meta(),
    immutable=boolean,
    data=mapping(text),
    binaryData=mapping(text),
)
"""A ConfigMap."""

secret = fields(
    _keys("data"),
    _secret_size,
    _fits_type,
    metadata=object_meta(),
    immutable=boolean,
    type=text,
    data=mapping(text),
)
"""A Secret."""

service_account = fields(
    metadata=object_meta(),
    secrets=each(fields(name=text)),
    imagePullSecrets=each(fields(name=text)),
    automountServiceAccountToken=boolean,
)
"""A ServiceAccount."""


def _has_data(value: Any, path: str) -> Faults:
    if value.get("data") is None:
        yield required(join(path, "data"), "data is mandatory")


controller_revision = fields(_has_data, metadata=object_meta(), revision=integer(0))
"""A ControllerRevision: a state that a workload may go back to."""
