"""Roles and their bindings, which nothing acts on: their names are parts of paths, and no more."""

from podium.api.kinds import KINDS
from podium.apiserver.kinds.registration import Registration
from podium.apiserver.validation.checks import a_string, fields
from podium.apiserver.validation.metadata import object_meta


def _faults_of_segment(name: str) -> list[str]:
    """What keeps a name from being a part of a path."""
    faults = [f"may not contain '{sign}'" for sign in "/%" if sign in name]
    return [f"may not be '{name}'"] if name in (".", "..") else faults


ROLE, CLUSTER_ROLE, ROLE_BINDING, CLUSTER_ROLE_BINDING = (
    Registration(
        kind=KINDS[name], validate=fields(metadata=object_meta(a_string(_faults_of_segment)))
    )
    for name in ("Role", "ClusterRole", "RoleBinding", "ClusterRoleBinding")
)
