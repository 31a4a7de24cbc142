"""Answers about a cluster that runs."""

from typing import Any

from podium.api.kinds import KINDS
from podium.api.refused import RefusedError
from podium.apiserver.decoding.yaml_writing import write_yaml
from podium.apiserver.refusals import not_found
from podium.apiserver.users import User
from podium.web.feed import Feed
from podium.web.pages import NodePage, PodPage
from podium.web.source import Source


class LiveAnswers:
    """`Answers` about what a source has now.

    Args:
        source: the cluster.
        feed: knows what has happened.
    """

    def __init__(self, source: Source, feed: Feed) -> None:
        self._source = source
        self._feed = feed

    async def pod_page(self, namespace: str, name: str) -> PodPage:
        history = self._feed.history("Pod", namespace, name)
        pod = self._source.find("Pod", namespace, name)
        if pod is None and not history:
            raise not_found(KINDS["Pod"], name)
        manifest = "" if pod is None else write_yaml(pod)
        return PodPage(manifest=manifest, history=history, explanation=None, problem="not yet")

    async def node_page(self, name: str) -> NodePage:
        history = self._feed.history("Node", "", name)
        node = self._source.find("Node", "", name)
        if node is None and not history:
            raise not_found(KINDS["Node"], name)
        manifest = "" if node is None else write_yaml(node)
        return NodePage(manifest=manifest, signals=[], history=history)

    async def plan(self, manifests: bytes) -> Any:
        raise RefusedError(405, "MethodNotAllowed", "nothing can be planned here")

    async def apply(self, manifests: bytes, user: User) -> Any:
        raise RefusedError(405, "MethodNotAllowed", "nothing can be applied here")

    def close(self) -> None:
        """There is nothing to let go."""
