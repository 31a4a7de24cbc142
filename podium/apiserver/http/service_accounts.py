"""Authentication of service accounts, by the tokens that the API server has signed for them."""

from collections.abc import Callable

from podium.apiserver.authentication.service_account_tokens import ServiceAccountTokens
from podium.apiserver.authentication.users import User
from podium.apiserver.http.users import bearer_token


class ServiceAccounts:
    """Knows service accounts by their tokens; follows `Authenticator`.

    Args:
        tokens: checks them.
        now_s: tells the time, in seconds since the epoch, by which they expire.
    """

    def __init__(self, tokens: ServiceAccountTokens, now_s: Callable[[], float]) -> None:
        self._tokens = tokens
        self._now_s = now_s

    def user(self, authorization: str) -> User | None:
        token = bearer_token(authorization)
        return self._tokens.user(token, self._now_s()) if token.count(".") == 2 else None
