"""The roles and bindings that every cluster comes with, as far as Podium has use for them.

Those of v1.36's own controllers and of nodes are missing: here nobody acts under these names, and
what nodes may do is told in `podium/apiserver/authentication/users.py`.
"""

from collections.abc import Iterator
from typing import Any

from podium.api.kinds.builtin_kinds import KINDS, Kind
from podium.api.objects import Object
from podium.apiserver.rbac.authorizer import GROUP

_ROLES = """
cluster-admin
    * | * | *
    * | *
system:aggregate-to-admin
    create | authorization.k8s.io | localsubjectaccessreviews
    all | rbac.authorization.k8s.io | rolebindings roles
system:aggregate-to-edit
    read | core | pods/attach pods/exec pods/portforward pods/proxy secrets services/proxy
    impersonate | core | serviceaccounts
    write | core | pods pods/attach pods/exec pods/portforward pods/proxy
    create | core | pods/eviction
    write | core | configmaps persistentvolumeclaims replicationcontrollers
        replicationcontrollers/scale secrets serviceaccounts services services/proxy
    create | core | serviceaccounts/token
    write | core events.k8s.io | events
    write | apps | daemonsets deployments deployments/rollback deployments/scale replicasets
        replicasets/scale statefulsets statefulsets/scale
    write | autoscaling | horizontalpodautoscalers
    write | batch | cronjobs jobs
    write | extensions | daemonsets deployments deployments/rollback deployments/scale ingresses
        networkpolicies replicasets replicasets/scale replicationcontrollers/scale
    write | policy | poddisruptionbudgets
    write | networking.k8s.io | ingresses networkpolicies
    all | coordination.k8s.io | leases
    write | resource.k8s.io | resourceclaims resourceclaimtemplates
system:aggregate-to-view
    read | core | configmaps endpoints persistentvolumeclaims persistentvolumeclaims/status pods
        replicationcontrollers replicationcontrollers/scale serviceaccounts services services/status
    read | core | bindings limitranges namespaces/status pods/log pods/status
        replicationcontrollers/status resourcequotas resourcequotas/status
    read | core | namespaces
    read | core events.k8s.io | events
    read | discovery.k8s.io | endpointslices
    read | apps | controllerrevisions daemonsets daemonsets/status deployments deployments/scale
        deployments/status replicasets replicasets/scale replicasets/status statefulsets
        statefulsets/scale statefulsets/status
    read | autoscaling | horizontalpodautoscalers horizontalpodautoscalers/status
    read | batch | cronjobs cronjobs/status jobs jobs/status
    read | extensions | daemonsets daemonsets/status deployments deployments/scale
        deployments/status ingresses ingresses/status networkpolicies replicasets replicasets/scale
        replicasets/status replicationcontrollers/scale
    read | policy | poddisruptionbudgets poddisruptionbudgets/status
    read | networking.k8s.io | ingresses ingresses/status networkpolicies
    read | resource.k8s.io | resourceclaims resourceclaims/status resourceclaimtemplates
system:auth-delegator
    create | authentication.k8s.io | tokenreviews
    create | authorization.k8s.io | subjectaccessreviews
system:basic-user
    create | authorization.k8s.io | selfsubjectaccessreviews selfsubjectrulesreviews
    create | authentication.k8s.io | selfsubjectreviews
system:discovery
    get | /api /api/* /apis /apis/* /healthz /livez /openapi /openapi/* /readyz /version /version/
system:kube-controller-manager
    create patch update | core events.k8s.io | events
    create | coordination.k8s.io | leases
    get update | coordination.k8s.io | leases | kube-controller-manager
    create | core | secrets serviceaccounts
    delete | core | secrets
    get | core | configmaps namespaces secrets serviceaccounts
    update | core | secrets serviceaccounts
    create | authentication.k8s.io | tokenreviews
    create | authorization.k8s.io | subjectaccessreviews
    list watch | * | *
    create | core | serviceaccounts/token
system:kube-scheduler
    create patch update | core events.k8s.io | events
    create | coordination.k8s.io | leases
    get list update watch | coordination.k8s.io | leases | kube-scheduler
    all | coordination.k8s.io | leasecandidates
    read | core | nodes
    delete read | core | pods
    create | core | bindings pods/binding
    patch update | core | pods/status
    read | core | replicationcontrollers services
    read | apps extensions | replicasets
    read | apps | statefulsets
    read | policy | poddisruptionbudgets
    read | core | persistentvolumeclaims persistentvolumes
    create | authentication.k8s.io | tokenreviews
    create | authorization.k8s.io | subjectaccessreviews
    read | storage.k8s.io | csinodes
    read | storage.k8s.io | volumeattachments
    read | core | namespaces
    read | storage.k8s.io | csidrivers
    read | storage.k8s.io | csistoragecapacities
    read | resource.k8s.io | deviceclasses
    get list patch update watch | resource.k8s.io | resourceclaims
    get list patch update watch | resource.k8s.io | resourceclaims/status
    update | core | pods/finalizers
    read | resource.k8s.io | resourceslices
    create delete | resource.k8s.io | resourceclaims
    patch update | resource.k8s.io | resourceclaims/binding
system:monitoring
    get | /flagz /healthz /healthz/* /livez /livez/* /metrics /metrics/slis /readyz /readyz/*
        /statusz
    get | core | nodes/metrics
system:public-info-viewer
    get | /healthz /livez /readyz /version /version/
system:volume-scheduler
    get list patch update watch | core | persistentvolumes
    read | storage.k8s.io | storageclasses
    get list patch update watch | core | persistentvolumeclaims
"""
"""Each with its rules: verbs, groups, resources and names, or verbs and paths."""

_VERBS = {
    "all": "create delete deletecollection get list patch update watch",
    "read": "get list watch",
    "write": "create delete deletecollection patch update",
}
_AGGREGATED = {"admin": "", "edit": "admin", "view": "edit"}
"""The roles that are made of others, and the one that they are a part of themselves."""

_BOUND = (
    ("cluster-admin", "Group", "system:masters"),
    ("system:basic-user", "Group", "system:authenticated"),
    ("system:discovery", "Group", "system:authenticated"),
    ("system:kube-controller-manager", "User", "system:kube-controller-manager"),
    ("system:kube-scheduler", "User", "system:kube-scheduler"),
    ("system:monitoring", "Group", "system:monitoring"),
    ("system:public-info-viewer", "Group", "system:authenticated", "system:unauthenticated"),
    ("system:volume-scheduler", "User", "system:kube-scheduler"),
)
_AGGREGATE = "rbac.authorization.k8s.io/aggregate-to-"


def default_access() -> Iterator[tuple[Kind, Object]]:
    """What a cluster has that people share: default roles, and a first service account.

    The service account wakes the controller up that makes those of the other namespaces.
    """
    yield KINDS["ServiceAccount"], {"metadata": {"name": "default", "namespace": "default"}}
    yield from default_roles()


def default_roles() -> Iterator[tuple[Kind, Object]]:
    """The cluster roles and their bindings; what aggregated roles come to isn't filled in."""
    for called, rules in _rules():
        part = called.removeprefix("system:aggregate-to-")
        yield (
            KINDS["ClusterRole"],
            {
                **_named(called, part if part != called else ""),
                "rules": rules,
            },
        )
    for called, part in _AGGREGATED.items():
        chosen = {"matchLabels": {f"{_AGGREGATE}{called}": "true"}}
        yield (
            KINDS["ClusterRole"],
            {
                **_named(called, part),
                "aggregationRule": {"clusterRoleSelectors": [chosen]},
            },
        )
    for called, kind, *subjects in _BOUND:
        yield (
            KINDS["ClusterRoleBinding"],
            {
                **_named(called, ""),
                "roleRef": {"apiGroup": GROUP, "kind": "ClusterRole", "name": called},
                "subjects": [{"apiGroup": GROUP, "kind": kind, "name": one} for one in subjects],
            },
        )


def _named(called: str, part: str) -> dict[str, Any]:
    labels = {"kubernetes.io/bootstrapping": "rbac-defaults"}
    if part:
        labels[f"{_AGGREGATE}{part}"] = "true"
    annotations = {"rbac.authorization.kubernetes.io/autoupdate": "true"}
    return {"metadata": {"name": called, "labels": labels, "annotations": annotations}}


def _rules() -> Iterator[tuple[str, list[Object]]]:
    text = _ROLES.replace("\n        ", " ").strip()
    for role in text.split("\n"):
        if not role.startswith(" "):
            rules: list[Object] = []
            yield role, rules
        else:
            rules.append(_rule(*(part.split() for part in role.split("|"))))


def _rule(
    verbs: list[str], groups: list[str], resources: list[str] | None = None, *names: list[str]
) -> Object:
    every = [one for verb in verbs for one in _VERBS.get(verb, verb).split()]
    if resources is None:
        return {"nonResourceURLs": groups, "verbs": every}
    rule = {
        "apiGroups": ["" if group == "core" else group for group in groups],
        "resources": resources,
        "verbs": every,
    }
    return {**rule, "resourceNames": names[0]} if names else rule
