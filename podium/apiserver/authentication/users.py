"""Users: who sends a request, and what they may do, in rules like those of RBAC.

Some groups have rules here, which hold in all namespaces; others, and single users, have them by
roles and bindings (`podium/apiserver/rbac/`). What no rule permits is forbidden.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import msgspec

ANY = "*"
READING = ("get", "list", "watch")


class Attempt(msgspec.Struct, frozen=True):
    """The verb and the resource (or non-resource URL) of a request.

    Attributes:
        verb: as in discovery, such as `list`.
        group: the API group; empty for the core group.
        namespace: empty for cluster-scoped resources and for all namespaces.
        name: of the object; empty for all of them.
        path: such as `/metrics`; empty for resources.
    """

    verb: str
    group: str = ""
    resource: str = ""
    subresource: str = ""
    namespace: str = ""
    name: str = ""
    path: str = ""

    @property
    def full_resource(self) -> str:
        """The resource with its subresource, such as `pods/eviction`."""
        return f"{self.resource}/{self.subresource}" if self.subresource else self.resource


@dataclass(frozen=True, slots=True)
class Rule:
    """What is permitted: verbs on resources, on paths, or on both; `*` stands for all.

    Attributes:
        resources: such as `pods`, `pods/eviction` or `*/scale`.
        names: of objects; empty for all of them.
        paths: non-resource URLs; one that ends with `*` stands for all that begin so.
    """

    verbs: tuple[str, ...]
    groups: tuple[str, ...] = ()
    resources: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()

    def permits(self, attempt: Attempt) -> bool:
        """Whether it lets an attempt through."""
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
"""The group of all whose name is known."""

UNAUTHENTICATED = "system:unauthenticated"
"""The group of all others."""

MASTERS = "system:masters"
"""The group of those who may do everything."""

NODES = "system:nodes"
"""The group of nodes' agents; what else each may do depends on the node."""

READERS = "podium:readers"
"""The group of those who may see everything, and change nothing."""

_NODE_USER = "system:node:"
_SERVICE_ACCOUNT_USER = "system:serviceaccount:"
_SERVICE_ACCOUNTS = "system:serviceaccounts"
_REVIEWS = ("selfsubjectaccessreviews", "selfsubjectrulesreviews")
_FOR_ALL = ("/healthz", "/livez", "/readyz", "/version")
_DISCOVERY = ("/api", "/api/*", "/apis", "/apis/*", "/openapi", "/openapi/*", "/version/")

RULES: Mapping[str, tuple[Rule, ...]] = {
    MASTERS: (Rule((ANY,), (ANY,), (ANY,)), Rule((ANY,), paths=(ANY,))),
    NODES: (
        Rule(("create", "patch", "update"), ("", "events.k8s.io"), ("events",)),
        Rule(READING, ("",), ("services",)),
        Rule(READING, ("node.k8s.io",), ("runtimeclasses",)),
        Rule(("create",), ("authorization.k8s.io",), ("subjectaccessreviews",)),
    ),
    READERS: (Rule(READING, (ANY,), (ANY,)), Rule(("get",), paths=(ANY,))),
    # To look around, and to ask what one may do: Kubernetes' cluster roles system:discovery and
    # system:basic-user.
    AUTHENTICATED: (
        Rule(("create",), ("authorization.k8s.io",), _REVIEWS),
        Rule(("create",), ("authentication.k8s.io",), ("selfsubjectreviews",)),
        Rule(("get",), paths=(*_FOR_ALL, *_DISCOVERY)),
    ),
    # Less than Kubernetes' system:public-info-viewer: single checks are for those who are known.
    UNAUTHENTICATED: (Rule(("get",), paths=_FOR_ALL),),
}
"""What the members of a group may do."""


# A client sends many requests with the same groups.
@lru_cache(256)
def _rules_of(groups: tuple[str, ...]) -> tuple[Rule, ...]:
    return tuple(rule for group in groups for rule in RULES.get(group, ()))


class User(msgspec.Struct, frozen=True):
    """A user who sends requests; no rule goes by what is known in `extra`."""

    name: str
    groups: tuple[str, ...] = (AUTHENTICATED,)
    uid: str = ""
    extra: tuple[tuple[str, tuple[str, ...]], ...] = ()

    @property
    def rules(self) -> tuple[Rule, ...]:
        """What they may do as members of groups, whatever roles and bindings there are."""
        return _rules_of(self.groups)

    @property
    def node(self) -> str | None:
        """The name of the node whose agent this is; None if it is none's."""
        is_agent = NODES in self.groups and self.name.startswith(_NODE_USER)
        return self.name.removeprefix(_NODE_USER) if is_agent else None

    def may(self, attempt: Attempt) -> bool:
        """Whether they may do something by these rules."""
        return any(rule.permits(attempt) for rule in self.rules)


ADMIN = User("kubernetes-admin", (MASTERS, AUTHENTICATED))
"""Who may do everything; who asks if nobody else is said to."""

READER = User("podium-reader", (READERS, AUTHENTICATED))
"""Who may see everything, and change nothing."""

ANONYMOUS = User("system:anonymous", (UNAUTHENTICATED,))
"""Who sends requests without saying who they are."""


def node_user(name: str) -> User:
    """The user that a node's agent is."""
    return User(f"{_NODE_USER}{name}", (NODES, AUTHENTICATED))


def service_account_user(namespace: str, name: str) -> User:
    """The user that a service account is."""
    groups = (_SERVICE_ACCOUNTS, f"{_SERVICE_ACCOUNTS}:{namespace}", AUTHENTICATED)
    return User(f"{_SERVICE_ACCOUNT_USER}{namespace}:{name}", groups)


def service_account_of(user: str) -> tuple[str, str] | None:
    """Namespace and name of the service account that a user is; None if they are none."""
    parts = user.removeprefix(_SERVICE_ACCOUNT_USER).split(":")
    is_one = user.startswith(_SERVICE_ACCOUNT_USER) and len(parts) == 2
    return (parts[0], parts[1]) if is_one else None


def permits(permitted: Sequence[str], wanted: str) -> bool:
    """Whether a list of a rule has this in it, or everything."""
    return ANY in permitted or wanted in permitted


def matches(pattern: str, path: str) -> bool:
    """Whether a path is one that a rule tells; a `*` at the end stands for any rest."""
    return path.startswith(pattern[:-1]) if pattern.endswith(ANY) else path == pattern
