"""A definition with a bit of everything, and objects of its kind."""

from pathlib import Path
from typing import Any

import yaml

from tests.apiserver.requests.client import Client
from tests.objects import Obj

FILE = Path(__file__).with_name("crontab.yaml")
DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
DEFINITION = f"{DEFINITIONS}/crontabs.stable.example.com"
CRONTABS = "/apis/stable.example.com/v1/namespaces/default/crontabs"


def definition() -> Any:
    return yaml.safe_load(FILE.read_text())


def crontab(name: str, **spec: Any) -> Obj:
    return {
        "apiVersion": "stable.example.com/v1",
        "kind": "CronTab",
        "metadata": {"name": name, "namespace": "default"},
        "spec": {"image": "nginx", **spec},
    }


def serving() -> Client:
    """A client of a server that serves crontabs."""
    client = Client()
    made = client.ask("POST", DEFINITIONS, definition())
    assert made.code == 201, made.body
    return client
