"""Tokens of service accounts: JSON Web Tokens, signed with the API server's own key (HS256).

Their claims are those of v1.36. A token is void once it has expired, or once the service account,
or the object that it is bound to, is gone or is another one of that name.
"""

import hashlib
import hmac
import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from podium.api.objects import Object, name, namespace, uid
from podium.apiserver.authentication.users import User, service_account_user
from podium.apiserver.store.store import Store

ISSUER = "https://kubernetes.default.svc.cluster.local"
"""Who issues the tokens, and whom they are for unless other audiences are asked for."""

_HEADER = {"alg": "HS256", "typ": "JWT"}
_PRIVATE = "kubernetes.io"
_BOUND = ("Pod", "Secret", "Node")


class _Named(msgspec.Struct):
    name: str
    uid: str


class _Private(msgspec.Struct):
    namespace: str
    serviceaccount: _Named
    pod: _Named | None = None
    secret: _Named | None = None
    node: _Named | None = None


class _Claims(msgspec.Struct):
    aud: tuple[str, ...]
    nbf: float
    exp: float
    private: _Private = msgspec.field(name=_PRIVATE)


class ServiceAccountTokens:
    """Signs tokens with a secret key, and knows service accounts by them."""

    def __init__(self, key: bytes, store: Store) -> None:
        self._key = key
        self._store = store
        self._count = 0

    def signed(
        self,
        account: Object,
        bound: Object | None,
        audiences: Sequence[str],
        from_s: int,
        until_s: int,
    ) -> str:
        """A new token, void when the bound object is gone; times in seconds since the epoch."""
        self._count += 1
        private: dict[str, Any] = {
            "namespace": namespace(account),
            "serviceaccount": {"name": name(account), "uid": uid(account)},
        }
        if bound is not None:
            private[bound["kind"].lower()] = {"name": name(bound), "uid": uid(bound)}
        user = service_account_user(namespace(account), name(account))
        claims = {
            "aud": [*audiences],
            "exp": until_s,
            "iat": from_s,
            "iss": ISSUER,
            "jti": f"{uid(account)}/{from_s}/{self._count}",
            _PRIVATE: private,
            "nbf": from_s,
            "sub": user.name,
        }
        content = f"{_encoded(_HEADER)}.{_encoded(claims)}"
        return f"{content}.{self._signature(content)}"

    def user(self, token: str, now_s: float) -> User | None:
        """Whose token this is; None if it is nobody's, or not for this server, or void."""
        content, _, signature = token.rpartition(".")
        if content.count(".") != 1:
            return None
        expected = self._signature(content).encode()
        if not hmac.compare_digest(signature.encode(errors="surrogatepass"), expected):
            return None
        claims = _decoded(content.partition(".")[2])
        if claims is None or ISSUER not in claims.aud or not claims.nbf <= now_s < claims.exp:
            return None
        private = claims.private
        if not self._is_there("ServiceAccount", private.namespace, private.serviceaccount):
            return None
        for kind in _BOUND:
            bound = getattr(private, kind.lower())
            place = "" if kind == "Node" else private.namespace
            if bound is not None and not self._is_there(kind, place, bound):
                return None
        return service_account_user(private.namespace, private.serviceaccount.name)

    def _is_there(self, kind: str, place: str, named: "_Named") -> bool:
        found = self._store.get(kind, place, named.name)
        return found is not None and uid(found) == named.uid

    def _signature(self, content: str) -> str:
        text = content.encode(errors="surrogatepass")
        return _base64(hmac.new(self._key, text, hashlib.sha256).digest())


def _encoded(part: Mapping[str, Any]) -> str:
    return _base64(json.dumps(part, separators=(",", ":")).encode())


def _decoded(part: str) -> "_Claims | None":
    try:
        content = urlsafe_b64decode(part + "=" * (-len(part) % 4))
        return msgspec.json.decode(content, type=_Claims)
    except ValueError:
        return None


def _base64(content: bytes) -> str:
    return urlsafe_b64encode(content).decode().rstrip("=")
