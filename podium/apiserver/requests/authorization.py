"""Authorization: whether a user may do what a request asks for."""

import json
from collections.abc import Sequence
from dataclasses import replace

from podium.api.refused import RefusedError
from podium.apiserver.requests.messages import Request
from podium.apiserver.requests.node_users import objection
from podium.apiserver.requests.parameters import Parameters
from podium.apiserver.requests.routes import Route
from podium.apiserver.selection import parse_selection
from podium.apiserver.server import ApiServer
from podium.apiserver.users import AUTHENTICATED, Attempt, User

_IMPERSONATE = "impersonate-"


def in_name_of(request: Request) -> Request:
    """The request as from whom it is to be taken for, as `kubectl --as` says it.

    Raises:
        RefusedError: 400 if groups come without a user, 403 if the sender may not speak for others.
    """
    asked = {name.lower(): value for name, value in request.headers.items()}
    if not any(name.startswith(_IMPERSONATE) for name in asked):
        return request
    name, group = asked.get(f"{_IMPERSONATE}user", ""), asked.get(f"{_IMPERSONATE}group", "")
    if not name:
        raise RefusedError(400, "BadRequest", "requested groups without impersonating a user")
    groups = tuple(filter(None, map(str.strip, group.split(","))))
    for resource, names in (("users", (name,)), ("groups", groups)):
        for one in names:
            attempt = Attempt("impersonate", resource=resource, name=one)
            if not request.user.may(attempt):
                raise _forbidden(request.user, attempt)
    everybody = () if AUTHENTICATED in groups else (AUTHENTICATED,)
    return replace(request, user=User(name, (*groups, *everybody)))


def check(server: ApiServer, user: User, route: Route, parameters: Parameters) -> None:
    """Let those pass who may.

    Args:
        server: tells what belongs to a node, if its agent asks.
        user: who asks.
        route: what for.
        parameters: the query.

    Raises:
        RefusedError: 403, in the words of Kubernetes' RBAC.
    """
    attempt = Attempt(
        verb=_verb(route, parameters),
        group=route.group,
        resource=route.kind.plural,
        subresource=route.subresource,
        namespace=route.namespace,
        name=route.name,
    )
    if user.may(attempt):
        return
    if user.node is None:
        raise _forbidden(user, attempt)
    selection = parse_selection(route.kind, "", parameters.text("fieldSelector"))
    why = objection(server, user.node, attempt, route, selection)
    if why is not None:
        raise _forbidden(user, attempt, why)


def check_path(user: User, method: str, segments: Sequence[str]) -> None:
    """Let those pass who may see a path that leads to no resource.

    Raises:
        RefusedError: 403.
    """
    attempt = Attempt(verb=method.lower(), path="/" + "/".join(segments))
    if not user.may(attempt):
        what = f"cannot {attempt.verb} path {_quoted(attempt.path)}"
        raise RefusedError(
            403, "Forbidden", f"forbidden: User {_quoted(user.name)} {what}", details={}
        )


def _verb(route: Route, parameters: Parameters) -> str:
    is_watch = route.verb == "list" and parameters.flag("watch")
    return "watch" if is_watch else route.verb


def _forbidden(user: User, attempt: Attempt, reason: str = "") -> RefusedError:
    resource = f"resource {_quoted(attempt.full_resource)} in API group {_quoted(attempt.group)}"
    where = f"in the namespace {_quoted(attempt.namespace)}"
    why = f"User {_quoted(user.name)} cannot {attempt.verb} {resource} " + (
        where if attempt.namespace else "at the cluster scope"
    )
    if reason:
        why = f"{why}: {reason}"
    group = f".{attempt.group}" if attempt.group else ""
    name = f" {_quoted(attempt.name)}" if attempt.name else ""
    known = {"name": attempt.name, "group": attempt.group, "kind": attempt.resource}
    return RefusedError(
        403,
        "Forbidden",
        f"{attempt.resource}{group}{name} is forbidden: {why}",
        details={field: value for field, value in known.items() if value},
    )


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
