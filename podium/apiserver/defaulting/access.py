"""What is filled into bindings of roles."""

from podium.api.objects import Object
from podium.apiserver.defaulting.copying import each, filled, inside

_GROUP = "rbac.authorization.k8s.io"


def binding(binding: Object) -> Object:
    """A RoleBinding or ClusterRoleBinding."""

    def subject(subject: Object) -> Object:
        is_account = subject.get("kind") == "ServiceAccount"
        return subject if is_account else filled(subject, apiGroup=_GROUP)

    def role(role: Object) -> Object:
        return filled(role, apiGroup=_GROUP)

    return inside(binding, roleRef=role, subjects=each(subject))
