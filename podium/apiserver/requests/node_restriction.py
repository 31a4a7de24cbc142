"""NodeRestriction: what a node's agent may write, with the rules and messages of v1.36.

Its own Node, but neither its taints nor labels by which pods are kept from nodes; the status of
pods on it; its own Lease. It may delete and evict pods on it, and no others.
"""

from collections.abc import Callable, Mapping

from podium.api.kinds import KINDS
from podium.api.objects import Object, labels, name, status_of
from podium.api.pods import node_name_of
from podium.api.refused import RefusedError
from podium.apiserver.refusals import forbidden
from podium.apiserver.requests.routes import Route
from podium.apiserver.server import ApiServer, Judge
from podium.control.heartbeats import LEASE_NAMESPACE

RESTRICTED = "node-restriction.kubernetes.io"
_KUBERNETES = ("kubernetes.io", "k8s.io")
_OF_KUBELETS = ("kubelet.kubernetes.io", "node.kubernetes.io")
_ALLOWED = frozenset(
    {
        "kubernetes.io/hostname",
        "kubernetes.io/os",
        "kubernetes.io/arch",
        "beta.kubernetes.io/os",
        "beta.kubernetes.io/arch",
        "beta.kubernetes.io/instance-type",
        "node.kubernetes.io/instance-type",
        "topology.kubernetes.io/zone",
        "topology.kubernetes.io/region",
        "failure-domain.beta.kubernetes.io/zone",
        "failure-domain.beta.kubernetes.io/region",
    }
)


def judge_of(node: str, route: Route) -> Judge:
    """Who is asked about what a node writes, before it is stored.

    Args:
        node: its name.
        route: where to.
    """

    def judge(old: Object | None, new: Object) -> None:
        check = _CHECKS.get(route.kind.key)
        why = None if check is None else check(node, route, old, new)
        if why is not None:
            raise forbidden(route.kind, route.name or name(new), why)

    return judge


def check_removal(server: ApiServer, node: str, route: Route) -> None:
    """Let a node delete and evict only what is its own.

    Raises:
        RefusedError: 403, or 404 if there is no such pod.
    """
    if route.kind.key != "Pod" or (route.subresource, route.verb) not in _REMOVALS:
        return
    pod = server.get(KINDS["Pod"], route.namespace, route.name)
    if node_name_of(pod) == node:
        return
    who, what = (f'"{node}"', "delete") if route.verb == "delete" else (node, "evict")
    why = f"node {who} can only {what} pods with spec.nodeName set to itself"
    raise _forbidden_pod(route, why)


_REMOVALS = frozenset({("", "delete"), ("eviction", "create")})


def _forbidden_pod(route: Route, why: str) -> RefusedError:
    return forbidden(route.kind, route.name, why)


def _node(node: str, route: Route, old: Object | None, new: Object) -> str | None:
    called = route.name or name(new)
    if called != node:
        return f'node "{node}" is not allowed to modify node "{called}"'
    spec, before = new.get("spec") or {}, (old or {}).get("spec") or {}
    if old is not None and (spec.get("taints") or []) != (before.get("taints") or []):
        return f'node "{node}" is not allowed to modify taints'
    own, former = labels(new), {} if old is None else labels(old)
    changed = {key for key in {*own, *former} if own.get(key) != former.get(key)}
    wrong = ", ".join(sorted(filter(_is_forbidden, changed)))
    if not wrong:
        return None
    if old is None:
        return f'node "{node}" is not allowed to set the following labels: {wrong}'
    return f"is not allowed to modify labels: {wrong}"


def _pod(node: str, _: Route, old: Object | None, new: Object) -> str | None:
    if old is None or node_name_of(old) != node:
        whose = "pods with spec.nodeName set to itself"
        return f'node "{node}" can only update pod status for {whose}'
    if labels(old) != labels(new):
        return f'node "{node}" cannot update labels through pod status'
    claims = "resourceClaimStatuses"
    if status_of(old).get(claims) != status_of(new).get(claims):
        return f'node "{node}" cannot update resource claim statues'
    return None


def _lease(node: str, route: Route, _: Object | None, new: Object) -> str | None:
    if route.namespace != LEASE_NAMESPACE:
        return f'can only access leases in the "{LEASE_NAMESPACE}" system namespace'
    if (route.name or name(new)) != node:
        return "can only access node lease with the same name as the requesting node"
    return None


_CHECKS: Mapping[str, Callable[[str, Route, Object | None, Object], str | None]] = {
    "Node": _node,
    "Pod": _pod,
    "Lease": _lease,
}


def _is_forbidden(label: str) -> bool:
    """Whether a label isn't the node's own to set."""
    domain = label.rpartition("/")[0]
    if _is_within(domain, RESTRICTED):
        return True
    if not any(_is_within(domain, one) for one in _KUBERNETES) or label in _ALLOWED:
        return False
    return not any(_is_within(domain, one) for one in _OF_KUBELETS)


def _is_within(domain: str, parent: str) -> bool:
    return domain == parent or domain.endswith(f".{parent}")
