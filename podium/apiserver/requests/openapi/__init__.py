"""OpenAPI 2 and 3, generated from `podium.apiserver.schema` and the routes of requests."""

from podium.apiserver.requests.openapi.documents import answer

__all__ = ["answer"]
