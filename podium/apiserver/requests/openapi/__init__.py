"""OpenAPI 2 and 3, made from `podium.apiserver.schema` and `podium.apiserver.requests.routes`."""

from podium.apiserver.requests.openapi.documents import answer

__all__ = ["answer"]
