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

from podium.api.objects import Object, name, namespace, uid
from podium.apiserver.users import User, service_account_user
from podium.store.store import Store

ISSUER = "https://kubernetes.default.svc.cluster.local"
"""Who issues the tokens, and whom they are for unless other audiences are asked for."""

_HEADER = {"alg": "HS256", "typ": "JWT"}
_PRIVATE = "kubernetes.io"
_BOUND = ("Pod", "Secret", "Node")


class ServiceAccountTokens:
    """Signs tokens, and knows service accounts by them.

    Args:
        key: what it signs with; whoever has it can make tokens.
        store: tells what is still there.
    """

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
        """A new token.

        Args:
            account: the ServiceAccount.
            bound: the Pod, Secret or Node with which the token ends; None for none.
            audiences: whom it is for.
            from_s: since when it holds, in seconds since the epoch.
            until_s: when it expires.
        """
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
        expected = self._signature(content).encode()
        if not hmac.compare_digest(signature.encode(errors="surrogatepass"), expected):
            return None
        # Nobody else has signed it, so its claims are as they were written here.
        claims = _decoded(content.partition(".")[2])
        if ISSUER not in claims["aud"] or not claims["nbf"] <= now_s < claims["exp"]:
            return None
        private = claims[_PRIVATE]
        place, account = private["namespace"], private["serviceaccount"]
        if not self._is_there("ServiceAccount", place, account):
            return None
        for kind in _BOUND:
            bound = private.get(kind.lower())
            if bound and not self._is_there(kind, "" if kind == "Node" else place, bound):
                return None
        return service_account_user(place, account["name"])

    def _is_there(self, kind: str, place: str, told: Mapping[str, str]) -> bool:
        found = self._store.get(kind, place, told["name"])
        return found is not None and uid(found) == told["uid"]

    def _signature(self, content: str) -> str:
        text = content.encode(errors="surrogatepass")
        return _base64(hmac.new(self._key, text, hashlib.sha256).digest())


def _encoded(part: Mapping[str, Any]) -> str:
    return _base64(json.dumps(part, separators=(",", ":")).encode())


def _decoded(part: str) -> Any:
    return json.loads(urlsafe_b64decode(part + "=" * (-len(part) % 4)))


def _base64(content: bytes) -> str:
    return urlsafe_b64encode(content).decode().rstrip("=")
