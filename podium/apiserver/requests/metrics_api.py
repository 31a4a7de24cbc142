"""The metrics API (metrics.k8s.io/v1beta1): the current usage of nodes and pods."""

from typing import Any

from podium.api.kinds.builtin_kinds import KINDS
from podium.api.objects import Object
from podium.api.usage import Usage
from podium.api.values.quantity import NANOS_PER_UNIT, Format, Quantity
from podium.api.values.times import timestamp
from podium.apiserver.refusals import not_found
from podium.apiserver.requests.calls import Call
from podium.apiserver.requests.messages import Response
from podium.apiserver.requests.response_forms import shown_list
from podium.apiserver.requests.routes import no_such_method
from podium.apiserver.selection import parse_selection
from podium.apiserver.store.kind_index import Page

# metrics-server's window; simulated usage needs no time to be measured.
_WINDOW = "30s"
_MEASURED = {"nodes": KINDS["Node"], "pods": KINDS["Pod"]}


def answer(call: Call) -> Response:
    """Answer with the usage of a node or a running pod, or of all that are selected."""
    info, query = call.info, call.parameters
    kind = _MEASURED[info.kind.plural]
    if info.verb == "get":
        metrics = _measured(call, call.server.get(kind, info.namespace, info.name))
        if metrics is None:
            raise not_found(info.kind, info.name)
        return call.answer(metrics)
    if query.flag("watch"):
        raise no_such_method()
    selection = parse_selection(kind, query.text("labelSelector"), query.text("fieldSelector"))
    page = call.server.list(kind, info.namespace, selection)
    measured = [found for obj in page.items if (found := _measured(call, obj)) is not None]
    return call.respond(200, shown_list(call.form, Page(measured, page.revision), call.now_s))


def _measured(call: Call, obj: Object) -> Object | None:
    usage = call.server.usage
    assert usage is not None
    if call.info.kind.plural == "nodes":
        node = usage.node(obj, call.now_s)
        return None if node is None else {**_head(obj, call.now_s), "usage": _amounts(node)}
    pod = usage.pod(obj, call.now_s)
    if pod is None:
        return None
    containers = [{"name": name, "usage": _amounts(usage)} for name, usage in pod.items()]
    return {**_head(obj, call.now_s), "containers": containers}


def _head(obj: Object, now_s: float) -> dict[str, Any]:
    own = obj["metadata"]
    named = {field: own[field] for field in ("name", "namespace", "labels") if own.get(field)}
    now = timestamp(now_s)
    return {"metadata": {**named, "creationTimestamp": now}, "timestamp": now, "window": _WINDOW}


def _amounts(usage: Usage) -> Object:
    return {
        "cpu": str(Quantity(usage.cpu_nanos, Format.DECIMAL_SI)),
        "memory": str(Quantity(usage.memory_bytes * NANOS_PER_UNIT, Format.BINARY_SI)),
    }
