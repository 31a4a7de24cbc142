"""Routes, media types, selections, patches and tokens in tables of functions and results."""

import base64
import copy
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from podium.api.kinds.builtin_kinds import KINDS
from podium.apiserver.admission.pod_plugins import merge_tolerations
from podium.apiserver.authentication.users import Attempt, PolicyRule
from podium.apiserver.patching.ownership.field_sets import from_fields_v1, paths
from podium.apiserver.patching.patch_result import json_patched, merge_patched
from podium.apiserver.registry import BUILT_IN
from podium.apiserver.requests import negotiation
from podium.apiserver.requests.discovery import document
from podium.apiserver.requests.routes import is_served, route
from podium.apiserver.selection import parse_selection
from podium.apiserver.store import continue_token
from tests.objects import Obj
from tests.tables import assert_results

FILES = sorted(Path(__file__).parent.glob("*.txt"))
PATCHED: Obj = {"a": {"b": [1, 2, 3], "c~/d": None}, "e": "f"}
POD: Obj = {
    "metadata": {"name": "a", "namespace": "n", "labels": {"app": "web"}},
    "spec": {"nodeName": "node-1", "schedulerName": "default-scheduler"},
    "status": {"phase": "Pending", "podIPs": [{"ip": "10.0.0.1"}]},
}


def routed(method: str, path: str) -> str:
    """The verb, the kind in the version that it is shown in, the place and the subresource."""
    found = route(method, path.split("/"))
    place = f"{found.namespace}/{found.name}" if found.namespace else found.name
    return f"{found.verb} {found.api_version} {found.kind.name} {place} {found.subresource}".strip()


def accepted(accept: str, offered: str = "answers") -> str:
    """The form of an answer, or of a stream."""
    form = negotiation.output(accept, streams=offered == "streams")
    return f"{form.media_type} {form.shape} {form.meta_version}" if form.shape else form.media_type


def permits(rule: Mapping[str, Any], attempt: Mapping[str, str]) -> bool:
    """Whether a rule permits a request."""
    return PolicyRule(**{field: (*values,) for field, values in rule.items()}).permits(
        Attempt(**attempt)
    )


def json_patch(*operations: Obj) -> Any:
    """The object {a: {b: [1, 2, 3], c~/d: null}, e: f} after the operations."""
    before = copy.deepcopy(PATCHED)
    patched = json_patched(PATCHED, [*operations])
    assert before == PATCHED
    return patched


def selects(kind: str, obj: Obj, fields: str) -> bool:
    """Whether a field selector selects an object."""
    named = {"metadata": {"name": "x"}, **obj}
    assert not parse_selection(KINDS[kind], "", f"{fields},metadata.name=another").matches(named)
    return parse_selection(KINDS[kind], "", fields).matches(named)


def served_kind(api_version: str, kind: str) -> str | None:
    found = BUILT_IN.of({"apiVersion": api_version, "kind": kind})
    return None if found is None else found.name


def packed_token(text: str) -> tuple[int, str]:
    """What a continue token says that holds a text in base64."""
    return continue_token.decode(base64.urlsafe_b64encode(text.encode()).rstrip(b"=").decode())


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "accepted": accepted,
    "aggregated": negotiation.accepts_aggregated,
    "announced": lambda path: document(path.split("/"), ""),
    "body": lambda content_type, body, kind: negotiation.input_type(
        content_type, body.encode(), KINDS[kind]
    ),
    "fields-v1": lambda raw: [*paths(from_fields_v1(raw))],
    "json-patch": json_patch,
    "merge-patch": merge_patched,
    "merged-tolerations": merge_tolerations,
    "packed-token": packed_token,
    "patch-type": lambda content_type: negotiation.patch_type(content_type, KINDS["Pod"]),
    "permits": permits,
    "pod": lambda labels, fields: parse_selection(KINDS["Pod"], labels, fields).matches(POD),
    "pretty": negotiation.is_pretty,
    "route": routed,
    "selection": lambda kind, labels, fields: str(parse_selection(KINDS[kind], labels, fields)),
    "selects": selects,
    "served": lambda path: is_served(path.split("/")),
    "served-kind": served_kind,
    "token": continue_token.decode,
}


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_each_function_returns_what_its_table_says(file: Path) -> None:
    assert_results(file, FUNCTIONS)
