"""Get and list: by selection, page by page, as of a version."""

from random import Random
from typing import Any

import pytest

from podium.api.kinds.builtin_kinds import KINDS
from podium.apiserver.attributes import Attributes
from podium.apiserver.selection import parse_selection
from podium.apiserver.server import ApiServer, ListOptions
from podium.apiserver.store.store import Store
from tests import replacing
from tests.apiserver.verbs.helpers import NOW_S, a_pod, create, replace

POD = KINDS["Pod"]


def names(server: ApiServer, page: ListOptions, labels: str = "") -> list[str]:
    listing = server.list(POD, "", parse_selection(POD, labels, ""), page)
    return [pod["metadata"]["name"] for pod in listing.items]


@pytest.fixture
def stocked(server: ApiServer) -> ApiServer:
    for number in range(5):
        parity = "even" if number % 2 == 0 else "odd"
        create(server, "Pod", a_pod(f"p{number}", metadata={"labels": {"parity": parity}}))
    return server


def test_pages_show_the_state_of_the_first_one(stocked: ApiServer) -> None:
    first = stocked.list(POD, "default", options=ListOptions(limit=2))
    assert first.remaining == 3
    stocked.delete(Attributes(POD, "default", "p3", NOW_S))
    create(stocked, "Pod", a_pod("p9"))
    rest = stocked.list(
        POD, "default", options=ListOptions(limit=9, continue_token=first.continue_token)
    )
    assert [pod["metadata"]["name"] for pod in rest.items] == ["p2", "p3", "p4"]
    assert (rest.resource_version, rest.remaining) == (first.resource_version, None)


def test_selected_pages_do_not_tell_how_many_are_left(stocked: ApiServer) -> None:
    selection = parse_selection(POD, "parity=even", "")
    page = stocked.list(POD, "default", selection, ListOptions(limit=2))
    assert [pod["metadata"]["name"] for pod in page.items] == ["p0", "p2"]
    assert page.remaining is None
    assert page.continue_token


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        (ListOptions(), 6),
        (ListOptions(resource_version="0"), 6),
        (ListOptions(limit=-1), 6),
        (ListOptions(resource_version="{}", resource_version_match="Exact"), 5),
        (ListOptions(resource_version="{}", resource_version_match="NotOlderThan"), 6),
        (ListOptions(resource_version="{}"), 6),
        # Before there was a match to ask for, a limit asked for that very version.
        (ListOptions(resource_version="{}", limit=9), 5),
    ],
)
def test_versions(stocked: ApiServer, page: ListOptions, expected: int) -> None:
    version = page.resource_version.format(stocked.store.revision)
    create(stocked, "Pod", a_pod("later"))
    asked = replacing.replace(page, resource_version=version)
    assert len(names(stocked, asked)) == expected


def test_a_list_that_expires_can_go_on_as_things_are_now() -> None:
    server = ApiServer(Store(history_max=4), Random(1))
    server.bootstrap(NOW_S)
    for number in range(3):
        create(server, "Pod", a_pod(f"p{number}"))
    first = server.list(POD, "", options=ListOptions(limit=1))
    pod: Any = server.get(POD, "default", "p2")
    for number in range(6):
        labels = {"n": str(number)}
        pod = replace(server, "Pod", {**pod, "metadata": {**pod["metadata"], "labels": labels}})
    with pytest.raises(Exception, match="continue parameter is too old") as caught:
        server.list(POD, "", options=ListOptions(continue_token=first.continue_token))
    status = caught.value.status()  # type: ignore[attr-defined]
    assert (status["code"], status["reason"]) == (410, "Expired")
    again = ListOptions(continue_token=status["metadata"]["continue"])
    assert names(server, again) == ["p1", "p2"]
