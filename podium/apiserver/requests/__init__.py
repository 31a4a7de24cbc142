"""Requests (method, path, headers, body) and responses (code, body), as of kube-apiserver v1.36.

`handle` is the whole API without HTTP: it adds routing, negotiation, options, discovery, tables and
watches to the verbs of `ApiServer`.
"""

from podium.apiserver.requests.messages import NodeLog, Request, Response, encoded
from podium.apiserver.requests.request_handler import handle
from podium.apiserver.requests.response_forms import Watching

__all__ = ["NodeLog", "Request", "Response", "Watching", "encoded", "handle"]
