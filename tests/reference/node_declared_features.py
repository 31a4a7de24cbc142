"""NodeDeclaredFeatures, one node at a time."""

from podium.api.objects import Object
from tests.reference.verdict import UNRESOLVABLE, Verdict


def filter_node(pod: Object, node: Object) -> Verdict:
    declared = node["status"].get("declaredFeatures", [])
    for feature in ("RestartAllContainersOnContainerExits", "UserNamespacesHostNetworkSupport"):
        if _needs(pod["spec"], feature) and feature not in declared:
            return UNRESOLVABLE, ("node(s) didn't match Pod's required features",)
    return None


def _needs(spec: Object, feature: str) -> bool:
    if feature == "UserNamespacesHostNetworkSupport":
        return spec.get("hostNetwork", False) and not spec.get("hostUsers", True)
    for kind in ("containers", "initContainers"):
        for container in spec.get(kind, []):
            for rule in container.get("restartPolicyRules", []):
                if rule["action"] == "RestartAllContainers":
                    return True
    return False
