"""Tokens of nodes: each made from one secret and the node's name, so that none has to be kept.

Whoever may read the secret, which is a file of the cluster's owner, makes a token for a node; the
server, which has the secret, too, knows by it which node asks. Without the secret, a token is of
no use to make another one. To take all of them back, remove the file and start the server anew.
"""

import hashlib
import hmac

from podium.apiserver.authentication.users import User, node_user
from podium.apiserver.http.users import bearer_token

_PREFIX = "node"
_SEPARATOR = ":"


def node_token(secret: str, node: str) -> str:
    """The token of a node."""
    return _SEPARATOR.join((_PREFIX, node, _signature(secret, node)))


class NodeTokens:
    """Knows nodes by their tokens; follows `Authenticator`."""

    def __init__(self, secret: str) -> None:
        self._secret = secret

    def user(self, authorization: str) -> User | None:
        prefix, _, rest = bearer_token(authorization).partition(_SEPARATOR)
        node, _, signature = rest.partition(_SEPARATOR)
        expected = _signature(self._secret, node)
        is_known = hmac.compare_digest(signature.encode(errors="surrogatepass"), expected.encode())
        return node_user(node) if prefix == _PREFIX and node and is_known else None


def _signature(secret: str, node: str) -> str:
    name = node.encode(errors="surrogatepass")
    return hmac.new(secret.encode(), name, hashlib.sha256).hexdigest()
