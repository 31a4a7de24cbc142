import numpy as np

from podium.api.objects import annotations
from podium.scheduler.framework.interface import default_normalize
from podium.scheduler.framework.third_party_plugins import ArrayPlugin


class Maintenance(ArrayPlugin):
    name = "Maintenance"
    reason = "node(s) were about to be maintained"

    def filter_nodes(self, pod, nodes):
        if annotations(pod.obj).get("example.com/short") == "true":
            return np.ones(len(nodes), bool)
        return nodes.label("example.com/maintenance") != self.args.get("window", "now")

    def score_nodes(self, pod, nodes):
        return nodes.pod_counts()

    def normalize(self, scores):
        return default_normalize(scores, reverse=True)
