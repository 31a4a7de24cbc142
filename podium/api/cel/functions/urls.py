"""Functions of URLs, which Go's `net/url` reads."""

import re
from urllib.parse import quote, unquote, unquote_plus

from podium.api.cel.functions.overloads import TRAVERSAL, function, method, of_first
from podium.api.cel.functions.quantities import succeeds
from podium.api.cel.type_system import BOOL, STRING, STRINGS, URL
from podium.api.cel.values import CelError, Url

_SHAPE = re.compile(
    r"(?:(?P<scheme>[a-zA-Z][a-zA-Z0-9+.-]*):)?(?://(?P<authority>[^/?]*))?"
    r"(?P<path>[^?]*)(?:\?(?P<query>.*))?",
    re.DOTALL,
)
_HOST = re.compile(r"(?P<name>\[[^\]]*\]|[^:\[\]]*)(?P<port>:[0-9]*)?", re.ASCII)
_BAD_ESCAPE = re.compile("%(?![0-9a-fA-F]{2}).{0,2}", re.DOTALL)
_CONTROL = re.compile("[\0-\x1f\x7f]")
_NOT_IN_HOST = re.compile(r"""[^-A-Za-z0-9_.~!$&'()*+,;=:\[\]<>"%\u0080-\U0010ffff]""")
# What needs no escape in a path.
_PATH_CHARACTERS = "/:@&=+$,;!'()*[]%"


def parse_url(text: str) -> Url:
    """Parse an absolute URL or path, as of an HTTP request; raises CelError."""

    def fail(why: str) -> CelError:
        return CelError(f'parse "{text}": {why}')

    if _CONTROL.search(text):
        raise fail("net/url: invalid control character in URL")
    if not text:
        raise fail("empty url")
    match = _SHAPE.fullmatch(text)
    assert match is not None
    scheme, authority, path = match["scheme"], match["authority"], match["path"]
    if scheme is None and text != "*" and not text.startswith("/"):
        before = text.partition("/")[0]
        bad_scheme = ":" in before and not before[:1].isalpha()
        if bad_scheme:
            missing = before.startswith(":")
            raise fail("missing protocol scheme" if missing else _FIRST_SEGMENT)
        raise fail("invalid URI for request")
    if authority is not None and scheme is None and not text.startswith("///"):
        # An absolute path may begin with two slashes, in a request.
        authority, path = None, f"//{authority}{path}"
    if scheme is not None and authority is None and not path.startswith("/"):
        # An opaque URL, such as `mailto:`, has no path.
        path = ""
    for part in (authority or "", path):
        if bad := _BAD_ESCAPE.search(part):
            raise fail(f'invalid URL escape "{bad[0]}"')
    user, _, host = (authority or "").rpartition("@")
    if bad := _NOT_IN_HOST.search(host):
        raise fail(f'invalid character "{bad[0]}" in host name')
    if host and not _HOST.fullmatch(host):
        after = host[host.rfind(":") :] if ":" in host else host
        raise fail(f'invalid port "{after}" after host')
    path, _, fragment = path.partition("#")
    query, _, more = (match["query"] or "").partition("#")
    return Url((scheme or "").lower(), unquote(host), path, query, f"{user}#{fragment or more}")


_FIRST_SEGMENT = "first path segment in URL cannot contain colon"


def _url(text: str) -> Url:
    try:
        return parse_url(text)
    except CelError as error:
        raise CelError(f"URL parse error during conversion from string: {error}") from None


def _hostname(url: Url) -> str:
    match = _HOST.fullmatch(url.host)
    return url.host if match is None else match["name"].strip("[]")


def _port(url: Url) -> str:
    match = _HOST.fullmatch(url.host)
    return "" if match is None else (match["port"] or "")[1:]


def _query(url: Url) -> dict[str, list[str]]:
    values: dict[str, list[str]] = {}
    for part in url.query.split("&"):
        name, _, value = part.partition("=")
        if part and ";" not in part and not _BAD_ESCAPE.search(part):
            values.setdefault(unquote_plus(name), []).append(unquote_plus(value))
    return values


OVERLOADS = (
    function("url", (STRING,), URL, _url, TRAVERSAL, of_first),
    function("isURL", (STRING,), BOOL, succeeds(parse_url)),
    method("getScheme", (URL,), STRING, lambda url: url.scheme),
    method("getHost", (URL,), STRING, lambda url: url.host),
    method("getHostname", (URL,), STRING, _hostname),
    method("getPort", (URL,), STRING, _port),
    method("getEscapedPath", (URL,), STRING, lambda url: quote(url.path, _PATH_CHARACTERS)),
    method("getQuery", (URL,), ("map", STRING, STRINGS), _query),
)
