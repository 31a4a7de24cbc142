"""A routed request with all inputs of its handler."""

import msgspec

from podium.api.kinds.builtin_kinds import Kind
from podium.api.objects import Object
from podium.apiserver.attributes import Attributes, WriteOptions
from podium.apiserver.decoding.bodies import decode
from podium.apiserver.decoding.typed import WARN, DecodedObject
from podium.apiserver.long_work import apart
from podium.apiserver.requests import query_options
from podium.apiserver.requests.messages import Headers, Request, Response, warning
from podium.apiserver.requests.negotiation import TABLE, Output, input_type
from podium.apiserver.requests.response_forms import Form, included, shown
from podium.apiserver.requests.routes import SUBRESOURCE_KINDS, RequestInfo
from podium.apiserver.server import ApiServer


class Call(msgspec.Struct, frozen=True):
    """A routed request, its options, and the format of the response."""

    server: ApiServer
    request: Request
    info: RequestInfo
    parameters: query_options.Parameters
    output: Output
    now_s: float

    @property
    def taken(self) -> tuple[Kind, str]:
        """The kind and version of the objects in the request's and the response's bodies."""
        body = SUBRESOURCE_KINDS.get(self.info.subresource)
        if body is not None:
            return body, body.api_version
        return self.info.kind, self.info.api_version

    @property
    def form(self) -> Form:
        """The form in which the response shows objects."""
        include = self.parameters.text("includeObject") if self.output.shape == TABLE else ""
        return Form(self.output, *self.taken, included(include))

    @property
    def field_validation(self) -> str:
        """The treatment of unknown and repeated fields: `Strict`, `Warn` or `Ignore`."""
        return self.parameters.text("fieldValidation") or WARN

    def decoded(self, kind: Kind, api_version: str = "") -> DecodedObject:
        """Decode the body as an object of a kind and version; raises RefusedError."""
        body = self.request.body
        return apart(
            decode,
            body,
            input_type(self.request.header("Content-Type"), body, kind),
            kind,
            api_version=api_version,
            field_validation=self.field_validation,
        )

    def attributes(self, kind: str, *, is_apply: bool = False) -> Attributes:
        """Return this request's write, with options of a `kind`; raises RefusedError (422)."""
        user_agent = self.request.header("User-Agent")
        return self.attributes_with(
            query_options.write_options(self.parameters, kind, user_agent, is_apply=is_apply)
        )

    def attributes_with(self, how: WriteOptions) -> Attributes:
        """Return the write of this request, with the given options."""
        info, user = self.info, self.request.user
        return Attributes(
            info.kind, info.namespace, info.name, self.now_s, info.subresource, how, user
        )

    def answer(self, obj: Object, *, code: int = 200, warnings: tuple[str, ...] = ()) -> Response:
        """Return a response with an object in the negotiated form."""
        return self.respond(code, shown(self.form, obj, self.now_s), warnings)

    def respond(self, code: int, body: Object, warnings: tuple[str, ...] = ()) -> Response:
        """Return a response with a body in the negotiated media type, without changing its form."""
        headers: Headers = (("Content-Type", self.output.media_type),)
        return Response(code, body, headers + tuple(map(warning, dict.fromkeys(warnings))))
