"""The formats of texts that Kubernetes names, such as those of labels, and their checks."""

import re
from collections.abc import Callable, Sequence
from datetime import date
from functools import partial

from podium.api.cel.functions.overloads import (
    PER_CHARACTER,
    Cost,
    function,
    matching,
    method,
    share,
    size_of,
)
from podium.api.cel.functions.urls import parse_url
from podium.api.cel.type_system import NAMED_FORMAT, STRING, STRINGS
from podium.api.cel.values import ABSENT, CelError, NamedFormat, OptionalValue
from podium.api.errors import InvalidValueError
from podium.api.selectors.labels import (
    validate_dns_1035_label,
    validate_dns_label,
    validate_label_key,
    validate_label_value,
    validate_subdomain,
)
from podium.api.values.times import parse_time

_UUID = re.compile("[0-9a-f]{8}(-?[0-9a-f]{4}){3}-?[0-9a-f]{12}", re.IGNORECASE | re.ASCII)
_BASE64 = re.compile(
    "([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})", re.ASCII
)
_DATE = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
_TIME_PATTERN_LENGTH = 66
# Estimates take all formats for the longest, whose pattern costs this many times the text.
_PER_CHARACTER_OF_ANY = 32

Faults = Callable[[str], Sequence[str]]


def _of_prefix(faults: Faults) -> Faults:
    """Return the check of a prefix of a name, to which more is added, so it may end with a dash."""
    return lambda text: faults(f"{text[:-2]}a" if len(text) > 1 and text[-1] == "-" else text)


def _unless(is_valid: Callable[[str], object], message: str) -> Faults:
    def faults(text: str) -> Sequence[str]:
        try:
            return () if is_valid(text) else (message,)
        except (ValueError, InvalidValueError):
            return (message,)

    return faults


def _uri_faults(text: str) -> Sequence[str]:
    try:
        parse_url(text)
    except CelError as error:
        return (str(error),)
    return ()


def _is_date(text: str) -> bool:
    return _DATE.fullmatch(text) is not None and date.fromisoformat(text) is not None


def _is_time(text: str) -> bool:
    return parse_time(text.replace("t", "T").replace("z", "Z")) is not None


_FORMATS = {
    name: NamedFormat(shown, faults, length)
    for name, shown, faults, length in (
        ("dns1123Label", "DNS1123Label", validate_dns_label, 30),
        ("dns1123Subdomain", "DNS1123Subdomain", validate_subdomain, 60),
        ("dns1035Label", "DNS1035Label", validate_dns_1035_label, 30),
        ("qualifiedName", "QualifiedName", validate_label_key, 60),
        ("dns1123LabelPrefix", "DNS1123LabelPrefix", _of_prefix(validate_dns_label), 30),
        ("dns1123SubdomainPrefix", "DNS1123SubdomainPrefix", _of_prefix(validate_subdomain), 60),
        ("dns1035LabelPrefix", "DNS1035LabelPrefix", _of_prefix(validate_dns_1035_label), 30),
        ("labelValue", "LabelValue", validate_label_value, 40),
        ("uri", "URI", _uri_faults, 1103),
        ("uuid", "uuid", _unless(_UUID.fullmatch, "does not match the UUID format"), 73),
        ("byte", "byte", _unless(_BASE64.fullmatch, "invalid base64"), 84),
        ("date", "date", _unless(_is_date, "invalid date"), _TIME_PATTERN_LENGTH),
        ("datetime", "datetime", _unless(_is_time, "invalid datetime"), _TIME_PATTERN_LENGTH),
    )
}


def _named(name: str) -> OptionalValue:
    return OptionalValue(True, _FORMATS[name]) if name in _FORMATS else ABSENT


def _validate(named: NamedFormat, text: str) -> OptionalValue:
    faults = named.faults(text)
    return OptionalValue(True, [*faults]) if faults else ABSENT


_CHECK = Cost(
    lambda arguments: share(arguments[1].size.most, PER_CHARACTER) * _PER_CHARACTER_OF_ANY,
    lambda values, _: matching(size_of(values[1]), values[0].pattern_length),
)

OVERLOADS = (
    function("format.named", (STRING,), ("optional", NAMED_FORMAT), _named),
    *(
        function(f"format.{name}", (), NAMED_FORMAT, partial(_FORMATS.__getitem__, name))
        for name in _FORMATS
    ),
    method("validate", (NAMED_FORMAT, STRING), ("optional", STRINGS), _validate, _CHECK),
)
