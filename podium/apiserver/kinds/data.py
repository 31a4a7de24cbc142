"""ConfigMaps, Secrets and ServiceAccounts: objects that hold data, which may be sealed."""

import json
from base64 import b64decode, b64encode
from binascii import Error as Base64Error
from typing import Any

from podium.api.errors import ErrorKind, FieldError
from podium.api.kinds.builtin_kinds import KINDS
from podium.api.objects import Object, part
from podium.apiserver.kinds.registration import rules
from podium.apiserver.kinds.registration.defaulting import filled
from podium.apiserver.kinds.registration.registration import Registration
from podium.apiserver.kinds.registration.rules import Rule
from podium.apiserver.kinds.registration.selectable_fields import texts
from podium.apiserver.kinds.registration.strategy import Strategy
from podium.apiserver.kinds.registration.table_cells import AGE, NAME, Column, count
from podium.apiserver.validation import checks
from podium.apiserver.validation.checks import Check, Faults, a_dict, join
from podium.apiserver.validation.metadata import object_check
from podium.apiserver.validation.names import config_key

SIZE_MAX_BYTES = 1024 * 1024
_SERVICE_ACCOUNT_NAME = "kubernetes.io/service-account.name"

# What a secret of a type has to hold.
_NEEDED_KEYS = {
    "kubernetes.io/dockercfg": (".dockercfg",),
    "kubernetes.io/dockerconfigjson": (".dockerconfigjson",),
    "kubernetes.io/tls": ("tls.crt", "tls.key"),
    "kubernetes.io/ssh-auth": ("ssh-privatekey",),
}
_JSON_TYPES = ("kubernetes.io/dockercfg", "kubernetes.io/dockerconfigjson")


def _keys(field: str) -> Check:
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
            yield checks.required(f"metadata.annotations[{_SERVICE_ACCOUNT_NAME}]")
    elif kind == "kubernetes.io/basic-auth":
        if "username" not in data and "password" not in data:
            yield checks.required(f"{where}[username]")
            yield checks.required(f"{where}[password]")
    else:
        for key in _NEEDED_KEYS.get(str(kind), ()):
            if key not in data:
                yield checks.required(f"{where}[{key}]")
            elif kind in _JSON_TYPES and not _is_json_object(data[key]):
                message = "must be a JSON object"
                yield FieldError(f"{where}[{key}]", "<secret contents redacted>", message)


def _is_json_object(encoded: Any) -> bool:
    try:
        return isinstance(json.loads(b64decode(encoded)), dict)
    except (Base64Error, TypeError, ValueError):
        return False


def _with_plain_text(secret: Object) -> Object:
    """A Secret: what is written as plain text becomes data like the rest."""
    secret = filled(secret, type="Opaque")
    plain = secret.get("stringData")
    if plain is None:
        return secret
    encoded = {key: b64encode(str(value).encode()).decode() for key, value in plain.items()}
    rest = {name: value for name, value in secret.items() if name != "stringData"}
    return {**rest, "data": {**part(rest, "data"), **encoded}} if encoded else rest


def _changed(check: Check, *fields: str) -> Rule:
    """Data stays as it is if it is marked as immutable, and so does the mark."""

    def sealed(new: Object, old: Object) -> Faults:
        if old.get("immutable") is not True:
            return
        message = "field is immutable when `immutable` is set"
        if new.get("immutable") is not True:
            yield checks.forbidden("immutable", message)
        for field in fields:
            if part(new, field) != part(old, field):
                yield checks.forbidden(field, message)

    return rules.all_of(sealed, rules.valid(check))


_valid_map = object_check(
    _keys("data"),
    _no_key_twice,
    _keys("binaryData"),
    _map_size,
    immutable=checks.boolean,
    data=checks.mapping(checks.text),
    binaryData=checks.mapping(checks.text),
)
_valid_secret = object_check(
    _keys("data"),
    _secret_size,
    _fits_type,
    immutable=checks.boolean,
    type=checks.text,
    data=checks.mapping(checks.text),
)
_named = checks.each(checks.fields(name=checks.text))


def _entries(config_map: Object, _now_s: float) -> int:
    return len(part(config_map, "data")) + len(part(config_map, "binaryData"))


CONFIG_MAP = Registration(
    kind=KINDS["ConfigMap"],
    validate=_valid_map,
    validate_update=rules.all_of(rules.metadata, _changed(_valid_map, "data", "binaryData")),
    columns=(NAME, Column("Data", _entries, "Number of entries."), AGE),
)

SECRET = Registration(
    kind=KINDS["Secret"],
    defaults=_with_plain_text,
    validate=_valid_secret,
    validate_update=rules.all_of(
        rules.metadata, rules.immutable("type"), _changed(_valid_secret, "data")
    ),
    columns=(
        NAME,
        Column("Type", ".type", "What is in it."),
        Column("Data", count(".data"), "Number of entries."),
        AGE,
    ),
    selectable=texts("type"),
)

SERVICE_ACCOUNT = Registration(
    kind=KINDS["ServiceAccount"],
    validate=object_check(
        secrets=_named, imagePullSecrets=_named, automountServiceAccountToken=checks.boolean
    ),
    strategy=Strategy(answers_object=True),
    columns=(NAME, AGE),
)
