"""A call: a request that has found its route, with all that its handler needs."""

from dataclasses import dataclass

from podium.api.kinds import Kind
from podium.api.objects import Object
from podium.apiserver.decoding import WARN, Decoded, decode
from podium.apiserver.long_work import apart
from podium.apiserver.requests import options
from podium.apiserver.requests.messages import Headers, Request, Response, warning
from podium.apiserver.requests.negotiation import TABLE, Output, input_type
from podium.apiserver.requests.node_restriction import judge_of
from podium.apiserver.requests.node_users import node_of
from podium.apiserver.requests.parameters import Parameters
from podium.apiserver.requests.presenting import Form, Include, included, shown
from podium.apiserver.requests.routes import Route
from podium.apiserver.server import ApiServer, WriteOptions


@dataclass(frozen=True, slots=True)
class Call:
    """A request on its route.

    Attributes:
        server: who carries it out.
        request: as it came.
        route: what it is about.
        parameters: its query.
        output: the form that its answer is wanted in.
        now_s: the time, in seconds since the epoch.
    """

    server: ApiServer
    request: Request
    route: Route
    parameters: Parameters
    output: Output
    now_s: float

    @property
    def form(self) -> Form:
        """How the objects of the route's kind are shown."""
        return self.form_of(self.route.kind, self.route.api_version)

    def form_of(self, kind: Kind, api_version: str) -> Form:
        """How objects of some kind are shown in some version."""
        include = Include.METADATA
        if self.output.shape == TABLE:
            include = included(self.parameters.text("includeObject"))
        return Form(self.output, kind, api_version, include)

    @property
    def field_validation(self) -> str:
        """What becomes of fields that nobody knows."""
        return self.parameters.text("fieldValidation") or WARN

    def decoded(self, kind: Kind, api_version: str = "") -> Decoded:
        """The body, which should hold an object of a kind, in a version.

        Raises:
            Refused: it holds something else.
        """
        body = self.request.body
        media_type = input_type(self.request.header("Content-Type"), body, kind.key)
        return apart(
            decode,
            body,
            media_type,
            kind,
            api_version=api_version,
            field_validation=self.field_validation,
        )

    def write_options(self, kind: str, *, is_apply: bool = False) -> WriteOptions:
        """How to write, as the query says it.

        Args:
            kind: what the options are called, such as `CreateOptions`.
            is_apply: whether it is a server-side apply, which has to name its manager.

        Raises:
            Refused: 422, with all that is wrong.
        """
        query = self.parameters
        named = query.text("fieldManager")
        faults = options.patch_faults(query, is_apply=is_apply) if kind == "PatchOptions" else []
        faults += options.write_faults(query.texts("dryRun"), named, query.text("fieldValidation"))
        options.check(kind, faults)
        node = node_of(self.request.user)
        return WriteOptions(
            dry_run=bool(query.texts("dryRun")),
            field_manager=options.field_manager(named, self.request.header("User-Agent")),
            force=bool(query.flag("force")),
            judge=None if node is None else judge_of(node, self.route),
        )

    def answer(
        self, obj: Object, form: Form, *, code: int = 200, warnings: tuple[str, ...] = ()
    ) -> Response:
        """An object, in the form that it is wanted in."""
        return self.respond(code, shown(form, obj, self.now_s), warnings)

    def respond(self, code: int, body: Object, warnings: tuple[str, ...] = ()) -> Response:
        """A body as it is, in the media type that was negotiated."""
        headers: Headers = (("Content-Type", self.output.media_type),)
        return Response(code, body, headers + tuple(map(warning, dict.fromkeys(warnings))))
