"""Kinds that nobody acts on: only the metadata of their objects is judged."""

from collections.abc import Mapping

from podium.apiserver.validation.checks import Check, a_string, fields
from podium.apiserver.validation.metadata import object_meta


def _faults_of_segment(name: str) -> list[str]:
    """What keeps a name from being a part of a path, as names of roles need be no more."""
    faults = [f"may not contain '{sign}'" for sign in "/%" if sign in name]
    return [f"may not be '{name}'"] if name in (".", "..") else faults


_ordinary = fields(metadata=object_meta())
_role = fields(metadata=object_meta(a_string(_faults_of_segment)))

CHECKS: Mapping[str, Check] = {
    **dict.fromkeys(("Role", "ClusterRole", "RoleBinding", "ClusterRoleBinding"), _role),
    **dict.fromkeys(("CronJob", "HorizontalPodAutoscaler"), _ordinary),
    **dict.fromkeys(("Ingress", "IngressClass", "NetworkPolicy"), _ordinary),
}
"""The checks by the kind's name."""
