"""Objects that name their creator."""

from podium.apiserver.authentication.users import User
from tests.apiserver.requests.client import MERGE


def test_a_signing_request_names_its_creator_for_good(client):
    path = "/apis/certificates.k8s.io/v1/certificatesigningrequests"
    spec = {"signerName": "example.com/s", "request": "YQ=="}
    client.user = User("eve", ("system:masters",), "e-uid", (("scope", ("one", "two")),))
    made = client.ask("POST", path, {"metadata": {"name": "x"}, "spec": {**spec, "uid": "0"}})
    creator = {"username": "eve", "uid": "e-uid", "groups": ["system:masters"]}
    stored = {**spec, **creator, "extra": {"scope": ["one", "two"]}}
    assert (made.code, made.body["spec"]) == (201, stored)
    client.user = User("mallory", ("system:masters",), "u")
    answer = client.ask("PATCH", f"{path}/x", {"spec": {"extra": None}}, content_type=MERGE)
    assert (answer.code, answer.body["spec"]) == (200, stored)
