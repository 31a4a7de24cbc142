"""Requests for the documents, and their answers."""

from collections.abc import Sequence

from podium.api.refused import RefusedError
from podium.apiserver.registry import Registry
from podium.apiserver.requests.messages import Request, Response
from podium.apiserver.requests.negotiation import JSON, parse_media_types
from podium.apiserver.requests.openapi.documents import (
    Document,
    index,
    version_2,
    version_3,
)
from podium.apiserver.requests.parameters import Parameters

# Under an address with its digest, a document never changes.
_FOR_EVER = "public, immutable, max-age=31536000"


def answer(
    kinds: Registry, request: Request, segments: Sequence[str], parameters: Parameters
) -> Response | None:
    """The answer to a request for a document; None if there is none at its path.

    Args:
        kinds: that are served.
        request: as it came.
        segments: its path, split at its slashes.
        parameters: its query.

    Raises:
        RefusedError: 406 if it accepts none of the forms that there are.
    """
    document = _found(kinds, segments, request.header("Accept") or "*/*")
    if document is None:
        return None
    tag = f'"{document.digest}"'
    caching = _FOR_EVER if parameters.text("hash") == document.digest else "no-cache"
    headers = (
        ("Content-Type", document.media_type),
        ("ETag", tag),
        ("Cache-Control", caching),
        ("Vary", "Accept"),
    )
    if request.header("If-None-Match") == tag:
        return Response(304, b"", headers)
    return Response(200, document.content, headers)


def _found(kinds: Registry, segments: Sequence[str], accept: str) -> Document | None:
    if segments == ["openapi", "v2"]:
        document: Document | None = version_2(kinds)
    else:
        document = _found_3(kinds, segments)
    if document and not any(wanted.covers(JSON) for wanted in parse_media_types(accept)):
        message = f"only the following media types are accepted: {JSON}"
        raise RefusedError(406, "NotAcceptable", message)
    return document


def _found_3(kinds: Registry, segments: Sequence[str]) -> Document | None:
    match segments:
        case ["openapi", "v3"]:
            return index(kinds)
        case ["openapi", "v3", "api", version]:
            return _version_3(kinds, "", version)
        case ["openapi", "v3", "apis", group, version] if group:
            return _version_3(kinds, group, version)
    return None


def _version_3(kinds: Registry, group: str, version: str) -> Document | None:
    is_served = (group, version) in kinds.by_plural
    return version_3(kinds, group, version) if is_served else None
