"""Requests for the documents, and their answers."""

from collections.abc import Sequence

from podium.api.refused import Refused
from podium.apiserver.requests.messages import Request, Response
from podium.apiserver.requests.negotiation import JSON, parse_media_types
from podium.apiserver.requests.openapi.documents import Document, index, version_2, version_3
from podium.apiserver.requests.parameters import Parameters

# Under an address with its digest, a document never changes.
_FOR_EVER = "public, immutable, max-age=31536000"


def answer(request: Request, segments: Sequence[str], parameters: Parameters) -> Response | None:
    """The answer to a request for a document; None if there is none at its path.

    Args:
        request: as it came.
        segments: its path, split at its slashes.
        parameters: its query.

    Raises:
        Refused: 406 if it accepts no JSON, such as the Protobuf form of older clients alone.
    """
    document = _found(segments)
    if document is None:
        return None
    wanted = parse_media_types(request.header("Accept") or "*/*")
    if not any(one.covers(JSON) for one in wanted):
        message = f"only the following media types are accepted: {JSON}"
        raise Refused(406, "NotAcceptable", message)
    tag = f'"{document.digest}"'
    caching = _FOR_EVER if parameters.text("hash") == document.digest else "no-cache"
    headers = (("Content-Type", JSON), ("ETag", tag), ("Cache-Control", caching))
    if request.header("If-None-Match") == tag:
        return Response(304, "", headers)
    return Response(200, document.text, headers)


def _found(segments: Sequence[str]) -> Document | None:
    match segments:
        case ["openapi", "v2"]:
            return version_2()
        case ["openapi", "v3"]:
            return index()
        case ["openapi", "v3", "api", version]:
            return _version_3("", version)
        case ["openapi", "v3", "apis", group, version] if group:
            return _version_3(group, version)
    return None


def _version_3(group: str, version: str) -> Document | None:
    try:
        return version_3(group, version)
    except KeyError:
        return None
