"""Names and labels: checks over the rules in `podium.api.selectors.labels`."""

import re

from podium.api.selectors.labels import validate_label_key, validate_label_value, validate_subdomain
from podium.apiserver.validation.checks import Faults, a_string, mapping, text

_LABEL_LENGTH_MAX = 63
_PORT_NAME_LENGTH_MAX = 15
_DNS_LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_DNS_LABEL_RULE = (
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and "
    "must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex "
    f"used for validation is '{_DNS_LABEL}')"
)


_SUBDOMAIN = re.compile(rf"{_DNS_LABEL}(\.{_DNS_LABEL})*")


def validate_dns_label(name: str) -> list[str]:
    """What is wrong with a DNS label, as namespaces' and containers' names are."""
    faults = []
    if len(name) > _LABEL_LENGTH_MAX:
        faults.append(f"must be no more than {_LABEL_LENGTH_MAX} characters")
    if not re.fullmatch(_DNS_LABEL, name):
        has_dots = _SUBDOMAIN.fullmatch(name) is not None
        faults.append("must not contain dots" if has_dots else _DNS_LABEL_RULE)
    return faults


def validate_port_name(name: str) -> list[str]:
    """What is wrong with the name of a port, as IsValidPortName judges."""
    faults = []
    if len(name) > _PORT_NAME_LENGTH_MAX:
        faults.append(f"must be no more than {_PORT_NAME_LENGTH_MAX} characters")
    if not re.fullmatch("[-a-z0-9]+", name):
        faults.append("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)")
    if not re.search("[a-z]", name):
        faults.append("must contain at least one letter (a-z)")
    if "--" in name:
        faults.append("must not contain consecutive hyphens")
    if name.startswith("-") or name.endswith("-"):
        faults.append("must not begin or end with a hyphen")
    return faults


_KEY_LENGTH_MAX = 253
_KEY = re.compile(r"[-._a-zA-Z0-9]+", re.ASCII)
_KEY_RULE = (
    "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. "
    "'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')"
)


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


dns_label = a_string(validate_dns_label)
port_name = a_string(validate_port_name)
subdomain = a_string(validate_subdomain)
label_key = a_string(validate_label_key)
label_value = a_string(validate_label_value)
strings = mapping(text)


def label_map(value: object, path: str) -> Faults:
    """An object of labels; all faults stand at the object itself, as kube-apiserver has it."""
    if not isinstance(value, dict):
        yield from strings(value, path)
        return
    for key, entry in value.items():
        yield from label_key(key, path)
        yield from label_value(entry, path if isinstance(entry, str) else f"{path}[{key}]")


config_key = a_string(_key_faults)
"""A key of the data of a ConfigMap or Secret, fit to be the name of a file."""
