"""Requests: method, path, headers and body in, code and body out, as kube-apiserver v1.36 answers.

`handle` is the whole API without HTTP: routing, negotiation, options, discovery, tables and watches
around the verbs of `ApiServer`.
"""

from podium.apiserver.requests.messages import NodeLog, Request, Response, encoded
from podium.apiserver.requests.request_handler import handle
from podium.apiserver.requests.response_forms import Watching

__all__ = ["NodeLog", "Request", "Response", "Watching", "encoded", "handle"]
