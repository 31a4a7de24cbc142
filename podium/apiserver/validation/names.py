"""Checks of names, labels and port names."""

import re
from collections.abc import Callable, Mapping, Sequence

from podium.api.selectors.labels import validate_label_key, validate_label_value, validate_subdomain
from podium.apiserver.validation.checks import Faults, a_string

_DNS_LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_DNS_LABEL_RULE = (
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and "
    "must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex "
    f"used for validation is '{_DNS_LABEL}')"
)


_KEY_RULE = (
    "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. "
    "'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')"
)
_SUBDOMAIN = re.compile(rf"{_DNS_LABEL}(\.{_DNS_LABEL})*")


def _all_of(*rules: tuple[str, Callable[[str], object]]) -> Callable[[str], Sequence[str]]:
    return lambda name: [message for message, is_right in rules if not is_right(name)]


def _shorter(limit: int, unit: str = "characters") -> tuple[str, Callable[[str], object]]:
    return f"must be no more than {limit} {unit}", lambda name: len(name) <= limit


_is_dns_label = re.compile(_DNS_LABEL).fullmatch
_dns_label_faults = _all_of(
    _shorter(63),
    ("must not contain dots", lambda name: _is_dns_label(name) or not _SUBDOMAIN.fullmatch(name)),
    (_DNS_LABEL_RULE, lambda name: _is_dns_label(name) or _SUBDOMAIN.fullmatch(name)),
)


def validate_dns_label(name: str) -> Sequence[str]:
    """Return the messages on a DNS label, such as the name of a namespace; empty if it is valid."""
    # Nearly all names are right, and each new pod has one.
    return () if len(name) <= 63 and _is_dns_label(name) else _dns_label_faults(name)


dns_label = a_string(validate_dns_label)
# As IsValidPortName judges.
port_name = a_string(
    _all_of(
        _shorter(15),
        (
            "must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)",
            re.compile("[-a-z0-9]+").fullmatch,
        ),
        ("must contain at least one letter (a-z)", re.compile("[a-z]").search),
        ("must not contain consecutive hyphens", lambda name: "--" not in name),
        ("must not begin or end with a hyphen", lambda name: name == name.strip("-")),
    )
)
subdomain = a_string(validate_subdomain)
label_key = a_string(validate_label_key)
label_value = a_string(validate_label_value)


def label_map(labels: Mapping[str, str], path: str) -> Faults:
    """Check labels; all faults have the path of the map, as in kube-apiserver."""
    for key, value in labels.items():
        yield from label_key(key, path)
        yield from label_value(value, path)


config_key = a_string(
    _all_of(
        _shorter(253, "bytes"),
        (_KEY_RULE, re.compile(r"[-._a-zA-Z0-9]+", re.ASCII).fullmatch),
        ("must not be '.'", lambda key: key != "."),
        ("must not be '..'", lambda key: key != ".."),
        ("must not start with '..'", lambda key: key == ".." or not key.startswith("..")),
    )
)
"""Checks a key of the data of a ConfigMap or Secret, which must be usable as a file name."""
