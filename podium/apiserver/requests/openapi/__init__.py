"""OpenAPI: the documents, of versions 2 and 3, that tell clients what objects look like.

They are made from the types that objects are checked by (`podium.apiserver.schema`) and from what
is served (`podium.apiserver.requests.routes`), so that they can't say anything else.
"""

from podium.apiserver.requests.openapi.documents import answer

__all__ = ["answer"]
