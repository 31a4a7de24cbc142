"""Service account tokens: JSON Web Tokens (HS256), signed with a key of the API server.

The claims are those of v1.36. A token becomes invalid when it expires, and when its service account
or the object that it is bound to is deleted (or replaced by an object with the same name).
"""

import hashlib
import hmac
import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from podium.api.objects import Object, name, uid
from podium.api.objects import namespace as namespace_of
from podium.apiserver.authentication.users import User, service_account_user
from podium.apiserver.store.store import Store

ISSUER = "https://kubernetes.default.svc.cluster.local"
"""Issuer of the tokens, and their default audience."""

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
    """Signs service account tokens with a secret key, and authenticates them."""

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
        """Return a new token, valid from `from_s` to `until_s` in seconds since the epoch."""
        self._count += 1
        private: dict[str, Any] = {
            "namespace": namespace_of(account),
            "serviceaccount": {"name": name(account), "uid": uid(account)},
        }
        if bound is not None:
            private[bound["kind"].lower()] = {"name": name(bound), "uid": uid(bound)}
        user = service_account_user(namespace_of(account), name(account))
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
        """Return the user of a token; None if the token is invalid, or not for the API server."""
        content, _, signature = token.rpartition(".")
        if content.count(".") != 1:
            return None
        expected = self._signature(content).encode()
        if not hmac.compare_digest(signature.encode(errors="surrogatepass"), expected):
            return None
        payload = content.partition(".")[2]
        try:
            payload_json = urlsafe_b64decode(payload + "=" * (-len(payload) % 4))
            claims = msgspec.json.decode(payload_json, type=_Claims)
        except ValueError:
            return None
        if ISSUER not in claims.aud or not claims.nbf <= now_s < claims.exp:
            return None
        private = claims.private
        for kind in ("ServiceAccount", *_BOUND):
            named: _Named | None = getattr(private, kind.lower())
            namespace = "" if kind == "Node" else private.namespace
            if named is not None:
                stored = self._store.get(kind, namespace, named.name)
                if stored is None or uid(stored) != named.uid:
                    return None
        return service_account_user(private.namespace, private.serviceaccount.name)

    def _signature(self, content: str) -> str:
        text = content.encode(errors="surrogatepass")
        return _base64(hmac.new(self._key, text, hashlib.sha256).digest())


def _encoded(part: Mapping[str, Any]) -> str:
    return _base64(json.dumps(part, separators=(",", ":")).encode())


def _base64(content: bytes) -> str:
    return urlsafe_b64encode(content).decode().rstrip("=")
