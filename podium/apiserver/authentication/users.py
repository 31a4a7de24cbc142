"""Users, their tokens, and fixed rules for the groups of users, in the form of RBAC rules.

The fixed rules apply in all namespaces; further rules come from roles and bindings
(`podium/apiserver/rbac/`). Whatever no rule permits is forbidden.

Tokens of service accounts are JSON Web Tokens (HS256), signed with a key of the API server, with
the claims of v1.36. A token becomes invalid when it expires, and when its service account or the
object that it is bound to is deleted (or replaced by an object with the same name).
"""

import hashlib
import hmac
import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import msgspec
from msgspec import structs

from podium.api.objects import Object, name, uid
from podium.api.objects import namespace as namespace_of
from podium.api.pods import node_name_of
from podium.apiserver.store.store import Store

ANY = "*"
READING = ("get", "list", "watch")


class Attempt(msgspec.Struct, frozen=True):
    """The verb, such as `list`, and the resource or path (such as `/metrics`) of a request."""

    verb: str
    group: str = ""
    resource: str = ""
    subresource: str = ""
    namespace: str = ""
    """Empty for cluster-scoped resources and for all namespaces."""
    name: str = ""
    """Name of the object; empty for all objects."""
    path: str = ""

    @property
    def full_resource(self) -> str:
        """The resource with its subresource, such as `pods/eviction`."""
        return f"{self.resource}/{self.subresource}" if self.subresource else self.resource


@dataclass(frozen=True, slots=True)
class PolicyRule:
    """A rule that permits verbs on resources, on paths, or on both; `*` stands for all."""

    verbs: tuple[str, ...]
    groups: tuple[str, ...] = ()
    resources: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    """Names of the objects; empty for all objects."""
    paths: tuple[str, ...] = ()
    """Non-resource URLs; a trailing `*` matches any suffix."""

    def permits(self, attempt: Attempt) -> bool:
        """Return whether the rule permits a request."""
        if not permits(self.verbs, attempt.verb):
            return False
        if attempt.path:
            return any(matches(pattern, attempt.path) for pattern in self.paths)
        of_any = attempt.subresource != "" and f"{ANY}/{attempt.subresource}" in self.resources
        return (
            permits(self.groups, attempt.group)
            and (of_any or permits(self.resources, attempt.full_resource))
            and (not self.names or attempt.name in self.names)
        )


AUTHENTICATED = "system:authenticated"
UNAUTHENTICATED = "system:unauthenticated"
MASTERS = "system:masters"
NODE_NAME = "authentication.kubernetes.io/node-name"
"""Key of `User.extra`: the node that the token of a service account is bound to."""
NODES = "system:nodes"
"""The group of kubelets; the node authorizer gives each access to its node's objects."""

READERS = "podium:readers"
_NODE_USER = "system:node:"
_SERVICE_ACCOUNT_USER = "system:serviceaccount:"
_SERVICE_ACCOUNTS = "system:serviceaccounts"
_REVIEWS = ("selfsubjectaccessreviews", "selfsubjectrulesreviews")
_FOR_ALL = ("/healthz", "/livez", "/readyz", "/version")
_DISCOVERY = ("/api", "/api/*", "/apis", "/apis/*", "/openapi", "/openapi/*", "/version/")

RULES: Mapping[str, tuple[PolicyRule, ...]] = {
    MASTERS: (PolicyRule((ANY,), (ANY,), (ANY,)), PolicyRule((ANY,), paths=(ANY,))),
    NODES: (
        PolicyRule(("create", "patch", "update"), ("", "events.k8s.io"), ("events",)),
        PolicyRule(READING, ("",), ("services",)),
        PolicyRule(READING, ("node.k8s.io",), ("runtimeclasses",)),
        PolicyRule(("create",), ("authorization.k8s.io",), ("subjectaccessreviews",)),
    ),
    READERS: (PolicyRule(READING, (ANY,), (ANY,)), PolicyRule(("get",), paths=(ANY,))),
    # Kubernetes' cluster roles system:discovery and system:basic-user.
    AUTHENTICATED: (
        PolicyRule(("create",), ("authorization.k8s.io",), _REVIEWS),
        PolicyRule(("create",), ("authentication.k8s.io",), ("selfsubjectreviews",)),
        PolicyRule(("get",), paths=(*_FOR_ALL, *_DISCOVERY)),
    ),
    # Less than Kubernetes' system:public-info-viewer, which also permits single health checks.
    UNAUTHENTICATED: (PolicyRule(("get",), paths=_FOR_ALL),),
}


# A client sends many requests with the same groups.
@lru_cache(256)
def _rules_of(groups: tuple[str, ...]) -> tuple[PolicyRule, ...]:
    return tuple(rule for group in groups for rule in RULES.get(group, ()))


class User(msgspec.Struct, frozen=True):
    """The user of a request; of `extra`, only `NODE_NAME` decides anything."""

    name: str
    groups: tuple[str, ...] = (AUTHENTICATED,)
    uid: str = ""
    extra: tuple[tuple[str, tuple[str, ...]], ...] = ()

    @property
    def rules(self) -> tuple[PolicyRule, ...]:
        """The fixed rules for the user's groups, without roles and bindings."""
        return _rules_of(self.groups)

    @property
    def node(self) -> str | None:
        """The name of the node if the user is a kubelet; otherwise None."""
        is_agent = NODES in self.groups and self.name.startswith(_NODE_USER)
        return self.name.removeprefix(_NODE_USER) if is_agent else None

    def may(self, attempt: Attempt) -> bool:
        """Return whether the fixed rules for the user's groups permit a request."""
        return any(rule.permits(attempt) for rule in self.rules)


ADMIN = User("kubernetes-admin", (MASTERS, AUTHENTICATED))
"""The user with all rights, and the default user of requests."""

READER = User("podium-reader", (READERS, AUTHENTICATED))
ANONYMOUS = User("system:anonymous", (UNAUTHENTICATED,))


def node_user(name: str) -> User:
    """Return the user of a node's kubelet."""
    return User(f"{_NODE_USER}{name}", (NODES, AUTHENTICATED))


def service_account_user(namespace: str, name: str) -> User:
    """Return the user of a service account."""
    groups = (_SERVICE_ACCOUNTS, f"{_SERVICE_ACCOUNTS}:{namespace}", AUTHENTICATED)
    return User(f"{_SERVICE_ACCOUNT_USER}{namespace}:{name}", groups)


def service_account_of(user: str) -> tuple[str, str] | None:
    """Return namespace and name of a service account by its user name; None for other users."""
    parts = user.removeprefix(_SERVICE_ACCOUNT_USER).split(":")
    is_one = user.startswith(_SERVICE_ACCOUNT_USER) and len(parts) == 2
    return (parts[0], parts[1]) if is_one else None


def permits(permitted: Sequence[str], wanted: str) -> bool:
    """Return whether a list in a rule contains a value or `*`."""
    return ANY in permitted or wanted in permitted


def matches(pattern: str, path: str) -> bool:
    """Return whether a path equals a rule's path, of which a trailing `*` matches any suffix."""
    return path.startswith(pattern[:-1]) if pattern.endswith(ANY) else path == pattern


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
        claims = {
            "aud": [*audiences],
            "exp": until_s,
            "iat": from_s,
            "iss": ISSUER,
            "jti": f"{uid(account)}/{from_s}/{self._count}",
            _PRIVATE: private,
            "nbf": from_s,
            "sub": service_account_user(namespace_of(account), name(account)).name,
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
        private, node_name = claims.private, ""
        for kind in ("ServiceAccount", *_BOUND):
            named: _Named | None = getattr(private, kind.lower())
            namespace = "" if kind == "Node" else private.namespace
            if named is not None:
                stored = self._store.get(kind, namespace, named.name)
                if stored is None or uid(stored) != named.uid:
                    return None
                if kind in ("Pod", "Node"):
                    node_name = node_name_of(stored) if kind == "Pod" else named.name
        user = service_account_user(private.namespace, private.serviceaccount.name)
        return structs.replace(user, extra=((NODE_NAME, (node_name,)),)) if node_name else user

    def _signature(self, content: str) -> str:
        text = content.encode(errors="surrogatepass")
        return _base64(hmac.new(self._key, text, hashlib.sha256).digest())


def _encoded(part: Mapping[str, Any]) -> str:
    return _base64(json.dumps(part, separators=(",", ":")).encode())


def _base64(content: bytes) -> str:
    return urlsafe_b64encode(content).decode().rstrip("=")
