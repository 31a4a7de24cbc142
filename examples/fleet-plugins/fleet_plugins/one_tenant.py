from podium.api.objects import labels
from podium.scheduler.framework.status import unresolvable, unschedulable
from podium.scheduler.framework.third_party_plugins import NodePlugin

TENANT = "example.com/tenant"


class OneTenant(NodePlugin):
    name = "OneTenant"

    def filter_node(self, pod, node):
        tenant = pod.cls.labels.get(TENANT)
        if tenant is None:
            return None
        if labels(node.node).get(TENANT, tenant) != tenant:
            return unresolvable("node(s) were reserved for another tenant")
        if any(other.cls.labels.get(TENANT, tenant) != tenant for other in node.pods):
            return unschedulable("node(s) ran pods of another tenant")
        return None

    def score_node(self, pod, node):
        tenant = pod.cls.labels.get(TENANT)
        return sum(other.cls.labels.get(TENANT) == tenant for other in node.pods)
