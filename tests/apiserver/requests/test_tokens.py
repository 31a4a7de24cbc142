"""Tokens of service accounts: who gets which, and for how long they are whose."""

import hashlib
import hmac
import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import Any

import pytest

from podium.apiserver.authentication.users import ISSUER, ServiceAccountTokens, User
from tests.apiserver.requests.client import PODS, Client

ACCOUNTS = "/api/v1/namespaces/default/serviceaccounts"
PATH = f"{ACCOUNTS}/operator/token"
NAME = "system:serviceaccount:default:operator"


@pytest.fixture
def signing(client: Client) -> Client:
    client.server.service_account_tokens = ServiceAccountTokens(b"a key", client.server.store)
    assert client.ask("POST", ACCOUNTS, {"metadata": {"name": "operator"}}).code == 201
    return client


def token(client: Client, **spec: Any) -> str:
    response = client.ask("POST", PATH, {"spec": spec})
    assert response.code == 201, response.body
    return str(response.body["status"]["token"])


def user(client: Client, of: str, after_s: float = 0) -> User | None:
    tokens = client.server.service_account_tokens
    assert tokens is not None
    return tokens.user(of, client.now_s + after_s)


def claims(of: str) -> Any:
    part = of.split(".")[1]
    return json.loads(urlsafe_b64decode(part + "=" * (-len(part) % 4)))


def test_the_answer(signing: Client) -> None:
    given = signing.ask("POST", PATH, {"spec": {"expirationSeconds": 600}}).body
    assert (given["kind"], given["apiVersion"]) == ("TokenRequest", "authentication.k8s.io/v1")
    assert given["metadata"]["name"] == "operator"
    assert given["spec"] == {"expirationSeconds": 600, "audiences": [ISSUER]}
    assert given["status"]["expirationTimestamp"] == "2027-01-15T08:10:00Z"
    said = claims(given["status"]["token"])
    assert (said["sub"], said["iss"], said["aud"]) == (NAME, ISSUER, [ISSUER])
    assert (said["exp"] - said["iat"], said["iat"]) == (600, signing.now_s)
    assert said["kubernetes.io"]["serviceaccount"]["name"] == "operator"


def test_a_token_is_the_accounts_until_it_expires(signing: Client) -> None:
    one = token(signing)
    found = user(signing, one, 3599)
    assert found is not None
    assert found.name == NAME
    assert "system:serviceaccounts:default" in found.groups
    assert user(signing, one, 3600) is None
    assert user(signing, one, -1) is None


def test_nobody_elses_signature_counts(signing: Client) -> None:
    one = token(signing)
    content, _, signature = one.rpartition(".")
    assert user(signing, f"{content}x.{signature}") is None
    assert user(signing, f"{content}.") is None
    other = ServiceAccountTokens(b"another key", signing.server.store)
    assert other.user(one, signing.now_s) is None


@pytest.mark.parametrize("missing", ["exp", "nbf", "aud", "kubernetes.io"])
def test_a_token_that_lacks_a_claim_is_nobodys(signing: Client, missing: str) -> None:
    tokens = ServiceAccountTokens(b"a key", signing.server.store)
    said = {key: value for key, value in claims(token(signing)).items() if key != missing}
    head, body = (urlsafe_b64encode(json.dumps(p).encode()).decode() for p in ({}, said))
    content = f"{head.rstrip('=')}.{body.rstrip('=')}"
    digest = hmac.new(b"a key", content.encode(), hashlib.sha256).digest()
    signature = urlsafe_b64encode(digest).decode().rstrip("=")
    assert tokens.user(f"{content}.{signature}", signing.now_s) is None


def test_a_token_for_others_is_nobodys_here(signing: Client) -> None:
    assert user(signing, token(signing, audiences=["vault"])) is None
    assert user(signing, token(signing, audiences=["vault", ISSUER])) is not None


def test_a_token_ends_with_the_account(signing: Client) -> None:
    one = token(signing)
    signing.ask("DELETE", f"{ACCOUNTS}/operator")
    assert user(signing, one) is None
    signing.ask("POST", ACCOUNTS, {"metadata": {"name": "operator"}})
    assert user(signing, one) is None


def test_a_token_ends_with_what_it_is_bound_to(signing: Client) -> None:
    signing.create_pod("p", spec={"serviceAccountName": "operator", "nodeName": "n1"})
    one = token(signing, boundObjectRef={"apiVersion": "v1", "kind": "Pod", "name": "p"})
    found = user(signing, one)
    assert found is not None
    assert found.extra == (("authentication.kubernetes.io/node-name", ("n1",)),)
    signing.ask("DELETE", f"{PODS}/p?gracePeriodSeconds=0")
    assert user(signing, one) is None
