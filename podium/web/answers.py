"""What pages are told when they ask about one object, or try something out."""

from typing import Any, Protocol

from podium.apiserver.users import User
from podium.web.pages import NodePage, PodPage


class Answers(Protocol):
    """Answers the questions of pages; what can't be answered is refused."""

    async def pod_page(self, namespace: str, name: str) -> PodPage:
        """All about a pod."""
        ...

    async def node_page(self, name: str) -> NodePage:
        """All about a node."""
        ...

    async def plan(self, manifests: bytes) -> Any:
        """What applying manifests would do."""
        ...

    async def apply(self, manifests: bytes, user: User) -> Any:
        """Apply manifests, as a user."""
        ...

    def close(self) -> None:
        """Let go of what is under way."""
        ...
