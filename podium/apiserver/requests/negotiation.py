"""Negotiation of the media types of requests and responses.

Responses are JSON or YAML: the object itself, a `Table`, or only its metadata. Protobuf is never
written, and read for few kinds only; clients that prefer it also accept JSON.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from podium.api.errors import RefusedError
from podium.api.kinds.builtin_kinds import Kind
from podium.api.kinds.custom_kinds import CustomKind
from podium.apiserver.decoding.bodies import PatchType
from podium.apiserver.protobuf.messages import PREFIX, is_read
from podium.apiserver.refusals import not_acceptable

JSON = "application/json"
YAML = "application/yaml"
PROTOBUF = "application/vnd.kubernetes.protobuf"

TABLE = "Table"
PARTIAL = "PartialObjectMetadata"
PARTIAL_LIST = "PartialObjectMetadataList"

_SPOKEN = (JSON, YAML)
_UNDERSTOOD = (JSON, YAML, PROTOBUF)
_STREAMED = (f"{JSON};stream=watch", f"{PROTOBUF};stream=watch")
META_GROUP = "meta.k8s.io"
_META_VERSIONS = ("v1", "v1beta1")
_SHAPES = (TABLE, PARTIAL, PARTIAL_LIST)
# User agents of people, who get indented answers.
_HUMAN_AGENTS = ("curl", "Wget", "Mozilla/5.0")


@dataclass(frozen=True, slots=True)
class MediaType:
    """A media type such as `application/json;as=Table`, with its quality from 0 to 1."""

    type: str
    subtype: str
    parameters: Mapping[str, str]
    quality: float = 1.0

    def covers(self, media_type: str) -> bool:
        """Return whether this media type, which may have wildcards, includes another one."""
        kind, _, subtype = media_type.partition("/")
        return self.type in (kind, "*") and self.subtype in (subtype, "*")


@dataclass(frozen=True, slots=True)
class Output:
    """The format of a response."""

    media_type: str = JSON
    shape: str = ""
    """`Table`, `PartialObjectMetadata` or `PartialObjectMetadataList`; empty for the object
    itself."""
    meta_version: str = "v1"
    """Version of the group meta.k8s.io for the shape."""


def parse_media_types(header: str) -> list[MediaType]:
    """Parse an Accept header; media types are sorted by quality, then by specificity."""
    accepted = [parse_media_type(clause) for clause in header.split(",") if clause.strip()]
    return sorted(accepted, key=lambda each: (-each.quality, each.type == "*", each.subtype == "*"))


def parse_media_type(text: str) -> MediaType:
    """Parse a media type with its parameters."""
    essence, *rest = (part.strip() for part in text.split(";"))
    pairs = [part.partition("=") for part in rest if part]
    parameters = {key.strip().lower(): value.strip().strip('"') for key, _, value in pairs}
    kind, _, subtype = essence.lower().partition("/")
    try:
        quality = float(parameters.pop("q", "1"))
    except ValueError:
        quality = 1.0
    return MediaType(kind, subtype or "*", parameters, quality)


# Clients use few headers.
@lru_cache(maxsize=256)
def output(accept: str, *, streams: bool = False, tables: bool = True) -> Output:
    """Return the format of the response for an Accept header; raises RefusedError (406)."""
    wanted = parse_media_types(accept or "*/*")
    if not any(each.covers(spoken) for each in wanted for spoken in _UNDERSTOOD):
        available = ", ".join(_UNDERSTOOD + _STREAMED if streams else _UNDERSTOOD)
        raise not_acceptable(f"406: Not Acceptable\n\nAvailable representations: {available}")
    for media_type in wanted:
        spoken = next(filter(media_type.covers, _SPOKEN), None)
        if spoken is None:
            continue
        parameters = media_type.parameters
        if not parameters.keys() & {"as", "g", "v"}:
            return Output(spoken)
        shape, version = parameters.get("as", ""), parameters.get("v", "")
        is_known = shape in _SHAPES and version in _META_VERSIONS
        if is_known and parameters.get("g") == META_GROUP and (tables or shape != TABLE):
            return Output(spoken, shape, version)
    raise not_acceptable(f"only the following media types are accepted: {', '.join(_SPOKEN)}")


def accepts_aggregated(accept: str) -> bool:
    """Return whether a client accepts aggregated discovery."""
    wanted = {"as": "APIGroupDiscoveryList", "g": "apidiscovery.k8s.io", "v": "v2"}
    return any(wanted.items() <= each.parameters.items() for each in parse_media_types(accept))


def input_type(content_type: str, body: bytes, kind: Kind) -> str:
    """Return the media type of a body, JSON by default; raises RefusedError (415)."""
    essence = content_type.partition(";")[0].strip().lower() or JSON
    if essence not in _UNDERSTOOD:
        raise _unsupported(_UNDERSTOOD)
    if essence == PROTOBUF and body.startswith(PREFIX) and body != PREFIX and not is_read(kind):
        raise _unsupported(_SPOKEN)
    return essence


def patch_type(content_type: str, kind: Kind) -> PatchType:
    """Return the type of a patch by its Content-Type; raises RefusedError (415)."""
    essence = content_type.partition(";")[0].strip().lower()
    if essence not in set(PatchType):
        raise RefusedError(415, "UnsupportedMediaType", "415: Unsupported Media Type", details={})
    if essence == PatchType.STRATEGIC and isinstance(kind, CustomKind):
        # Its schema doesn't define how lists are merged.
        raise _unsupported((PatchType.JSON, PatchType.MERGE, PatchType.APPLY))
    return PatchType(essence)


def _unsupported(accepted: Sequence[str]) -> RefusedError:
    message = "the body of the request was in an unknown format - accepted media types include: "
    return RefusedError(415, "UnsupportedMediaType", message + ", ".join(accepted))


def is_pretty(wanted: str, user_agent: str) -> bool:
    """Return whether JSON is indented: if requested, or by default for browsers and curl."""
    if wanted:
        return wanted in ("1", "t", "T", "true", "TRUE", "True")
    return user_agent.startswith(_HUMAN_AGENTS)
