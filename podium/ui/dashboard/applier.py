"""Applying of pasted manifests as a user, through the API server with all its checks."""

import asyncio
from collections.abc import Callable, Sequence
from urllib.parse import quote

import msgspec

from podium.api.errors import RefusedError
from podium.api.kinds.builtin_kinds import Kind
from podium.api.objects import Object, name, namespace, version_of
from podium.apiserver.authentication.users import User
from podium.apiserver.requests import Request, Response
from podium.cluster.embedded.initial_objects import InitialKinds
from podium.cluster.manifests.manifest_sources import File, read_sources
from podium.cluster.manifests.problems import describe
from podium.ui.dashboard.views import Applied

NAME = "manifests"
"""Name of the pasted text in messages."""

MANAGER = "podium-dashboard"
_FORBIDDEN = 403
_CREATED = 201
_REFUSED = 400
_APPLY = {"content-type": "application/apply-patch+yaml"}


class Applier:
    """Applies manifests by forced server-side apply.

    Args:
        answer: sends a request to the API server, and returns the response.
        kind_of: returns the kind of an object; None if the kind isn't served.
        find: returns a stored object by kind, namespace and name.
    """

    def __init__(
        self,
        answer: Callable[[Request], Response],
        kind_of: Callable[[Object], Kind | None],
        find: Callable[[str, str, str], Object | None],
    ) -> None:
        self._answer = answer
        self._kind_of = kind_of
        self._find = find

    def read(self, manifests: bytes) -> list[Object]:
        """Read the objects of a text without validating them; raises ManifestError."""
        kinds = InitialKinds(self._kind_of)
        read = read_sources(
            [File(NAME, manifests)], is_applied=True, kind_of=kinds, faults_of=lambda _: ()
        )
        return [loaded.obj for loaded in read.objects]

    async def apply(self, objects: Sequence[Object], user: User) -> list[Applied]:
        """Apply objects one after the other, and continue after one is refused.

        Raises:
            RefusedError: 403, the user isn't allowed to apply any of the objects.
        """
        applied: list[Applied] = []
        codes: set[int] = set()
        for obj in objects:
            code, one = self._applied(obj, user)
            applied.append(one)
            codes.add(code)
            # Let other requests of the server proceed.
            await asyncio.sleep(0)
        if codes == {_FORBIDDEN}:
            raise RefusedError(_FORBIDDEN, "Forbidden", applied[0].problem)
        return applied

    def _applied(self, obj: Object, user: User) -> tuple[int, Applied]:
        kind = self._kind_of(obj)
        if kind is None:
            problem = f"{obj.get('apiVersion')}, kind {obj.get('kind')}: isn't served"
            return 404, Applied(object=describe(obj), result="", problem=problem)
        place = namespace(obj) if kind.namespaced else ""
        before = self._find(kind.key, place, name(obj))
        version = str(obj["apiVersion"])
        root = f"/apis/{version}" if "/" in version else f"/api/{version}"
        root += f"/namespaces/{quote(place, safe='')}" if place else ""
        named = f"{root}/{kind.plural}/{quote(name(obj), safe='')}"
        path = f"{named}?fieldManager={MANAGER}&force=true"
        response = self._answer(Request("PATCH", path, _APPLY, msgspec.json.encode(obj), user))
        stored = msgspec.json.decode(response.content())
        result, problem = "configured", ""
        if response.code >= _REFUSED:
            result, problem = "", stored["message"]
        elif response.code == _CREATED:
            result = "created"
        elif before is not None and version_of(before) == version_of(stored):
            result = "unchanged"
        return response.code, Applied(object=describe(obj), result=result, problem=problem)
