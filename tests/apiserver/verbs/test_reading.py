"""Get and list: by selection, page by page, as of a version."""

from random import Random
from typing import Any

import pytest

from podium.api.kinds import KINDS
from podium.apiserver.attributes import Attributes
from podium.apiserver.selection import parse_selection
from podium.apiserver.server import ApiServer, Page
from podium.store.store import Store
from tests.apiserver.verbs.helpers import NOW_S, a_pod, create, refusal, replace

POD = KINDS["Pod"]


def names(server: ApiServer, page: Page, labels: str = "") -> list[str]:
    listing = server.list(POD, "", parse_selection(POD, labels, ""), page)
    return [pod["metadata"]["name"] for pod in listing.items]


@pytest.fixture
def stocked(server: ApiServer) -> ApiServer:
    for number in range(5):
        parity = "even" if number % 2 == 0 else "odd"
        create(server, "Pod", a_pod(f"p{number}", metadata={"labels": {"parity": parity}}))
    return server


def test_what_is_not_there(server: ApiServer) -> None:
    assert refusal(lambda: server.get(KINDS["PodDisruptionBudget"], "default", "b")) == (
        404,
        "NotFound",
        'poddisruptionbudgets.policy "b" not found',
    )
    assert server.list(POD, "nowhere").items == []


def test_pages_show_the_state_of_the_first_one(stocked: ApiServer) -> None:
    first = stocked.list(POD, "default", page=Page(limit=2))
    assert first.remaining == 3
    stocked.delete(Attributes(POD, "default", "p3", NOW_S))
    create(stocked, "Pod", a_pod("p9"))
    rest = stocked.list(POD, "default", page=Page(limit=9, continue_token=first.continue_token))
    assert [pod["metadata"]["name"] for pod in rest.items] == ["p2", "p3", "p4"]
    assert (rest.resource_version, rest.remaining) == (first.resource_version, None)


def test_selected_pages_do_not_tell_how_many_are_left(stocked: ApiServer) -> None:
    selection = parse_selection(POD, "parity=even", "")
    page = stocked.list(POD, "default", selection, Page(limit=2))
    assert [pod["metadata"]["name"] for pod in page.items] == ["p0", "p2"]
    assert page.remaining is None
    assert page.continue_token


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        (Page(), 6),
        (Page(resource_version="0"), 6),
        (Page(limit=-1), 6),
        (Page(resource_version="{}", match="Exact"), 5),
        (Page(resource_version="{}", match="NotOlderThan"), 6),
        (Page(resource_version="{}"), 6),
        # Before there was a match to ask for, a limit asked for that very version.
        (Page(resource_version="{}", limit=9), 5),
    ],
)
def test_versions(stocked: ApiServer, page: Page, expected: int) -> None:
    version = page.resource_version.format(stocked.store.revision)
    create(stocked, "Pod", a_pod("later"))
    asked = Page(page.limit, page.continue_token, version, page.match)
    assert len(names(stocked, asked)) == expected


def test_versions_that_there_are_not(stocked: ApiServer) -> None:
    current = stocked.store.revision
    too_large = (504, "Timeout", f"Too large resource version: 9999, current: {current}")
    assert refusal(lambda: names(stocked, Page(resource_version="9999"))) == too_large
    exact = Page(resource_version="9999", match="Exact")
    assert refusal(lambda: names(stocked, exact)) == too_large
    for text, why in (("abc", "invalid syntax"), ("9" * 5_000, "value out of range")):
        wrong = f'Invalid value: "{text}": strconv.ParseUint: parsing "{text}": {why}'
        message = f"invalid resource version: resourceVersion: {wrong}"
        page = Page(resource_version=text)
        assert refusal(lambda page=page: names(stocked, page)) == (400, "BadRequest", message)
    assert refusal(lambda: names(stocked, Page(continue_token="garbage")))[:2] == (
        400,
        "BadRequest",
    )


def test_a_list_that_expires_can_go_on_as_things_are_now() -> None:
    server = ApiServer(Store(history_max=4), Random(1))
    server.bootstrap(NOW_S)
    for number in range(3):
        create(server, "Pod", a_pod(f"p{number}"))
    first = server.list(POD, "", page=Page(limit=1))
    pod: Any = server.get(POD, "default", "p2")
    for number in range(6):
        labels = {"n": str(number)}
        pod = replace(server, "Pod", {**pod, "metadata": {**pod["metadata"], "labels": labels}})
    with pytest.raises(Exception, match="continue parameter is too old") as caught:
        server.list(POD, "", page=Page(continue_token=first.continue_token))
    status = caught.value.status()  # type: ignore[attr-defined]
    assert (status["code"], status["reason"]) == (410, "Expired")
    again = Page(continue_token=status["metadata"]["continue"])
    assert names(server, again) == ["p1", "p2"]
