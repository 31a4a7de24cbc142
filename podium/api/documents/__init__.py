"""Documents that Podium reads besides Kubernetes' objects, declared as types.

A document is a class derived from `Document`. `decode` checks a value against it and reports all
faults at once, each with its field and what would be accepted there.
"""

from podium.api.documents.decoder import Decoded, InvalidDocumentError, decode, read
from podium.api.documents.document import Document, fault, refuse
from podium.api.documents.fields import (
    INT32_MAX,
    INT64_MAX,
    Amounts,
    Bits,
    Choice,
    Duration,
    FrozenSet,
    Range,
    Required,
    Tuple,
    member_of,
    unsupported,
)

__all__ = [
    "INT32_MAX",
    "INT64_MAX",
    "Amounts",
    "Bits",
    "Choice",
    "Decoded",
    "Document",
    "Duration",
    "FrozenSet",
    "InvalidDocumentError",
    "Range",
    "Required",
    "Tuple",
    "decode",
    "fault",
    "member_of",
    "read",
    "refuse",
    "unsupported",
]
