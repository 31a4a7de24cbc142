"""The API of kube-apiserver v1.36 without HTTP: `handle` takes requests and returns responses."""

from podium.apiserver.requests.messages import NodeLog, Request, Response, encoded
from podium.apiserver.requests.request_handler import handle
from podium.apiserver.requests.response_forms import Watching

__all__ = ["NodeLog", "Request", "Response", "Watching", "encoded", "handle"]
