"""Plays recorded exchanges of a real API server in process, and compares the answers.

An exchange is a list of requests, in a namespace of its own, with the answers of kube-apiserver
v1.36.2. `{ns}` and `{id}` in them stand for names, `${i.path}` for a value of the i-th answer.
What is recorded must be answered: the code, and every field but those that differ from run to
run. An answer may hold more.
"""

import gzip
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from podium.apiserver.requests import Request, Response, Watching, encoded, handle
from podium.cluster.virtual import Cluster, ClusterOptions
from tests.apiserver.requests.client import last_events_of

RECORDS = Path(__file__).parent / "data/api/exchanges.jsonl.gz"
START_S = 1_800_000_000.0
# Those with which the exchanges were recorded.
CONTROLLERS = frozenset({
    "daemonset-controller", "deployment-controller", "disruption-controller",
    "generic-garbage-collector", "job-controller", "namespace-controller",
    "node-lifecycle-controller", "pod-garbage-collector", "replicaset-controller",
    "replication-controller", "resourcequota-controller", "statefulset-controller",
    "taint-eviction-controller",
})  # fmt: skip
# Between two requests, for controllers to do their part, and between two tries of one.
PAUSE_S = 0.05
RETRY_S = 0.25
TRIES = 60
HOST = "127.0.0.1:26443"

VOLATILE = frozenset({
    "acquireTime", "clusterIP", "clusterIPs", "completionTime", "continue", "creationTimestamp",
    "deletionTimestamp", "disruptedPods", "eventTime", "firstTimestamp", "lastHeartbeatTime",
    "lastProbeTime", "lastTimestamp", "lastTransitionTime", "lastUpdateTime", "managedFields",
    "pod-template-hash", "remainingItemCount", "renewTime", "resourceVersion", "selfLink",
    "startTime", "suffix", "time", "uid",
})  # fmt: skip
AGES = frozenset({"Age", "First Seen", "Last Seen"})
# Messages in the words of the recorded server's decoder or types: the code and the reason count.
INNER_WORDS = re.compile(r"Go (struct|value)|scheme\.go|unknown conversion|core\.\w+\{")
ABSENT: tuple[Any, ...] = (None, {}, [], "", False, 0)


@dataclass(frozen=True)
class Difference:
    """Where an answer isn't as recorded: a path, what was recorded, and what was answered."""

    step: int
    path: str
    recorded: Any
    answered: Any


def records() -> Iterator[dict[str, Any]]:
    with gzip.open(RECORDS, "rt") as lines:
        yield from map(json.loads, lines)


class Player:
    """A cluster without nodes and schedulers, as the recorded one was, and its clients."""

    def __init__(self) -> None:
        options = ClusterOptions(
            start_s=START_S, schedulers=(), nodes=None, controllers=CONTROLLERS
        )
        self._cluster = Cluster(options)
        self._cluster.start()

    def wait(self, duration_s: float) -> None:
        self._cluster.driver.advance(duration_s)

    def ask(self, recorded: Mapping[str, Any]) -> tuple[Response, Any]:
        """The answer to a request, and its body as a client reads it."""
        now_s = self._cluster.driver.now_s
        response = handle(self._cluster.server, _request(recorded), now_s)
        return response, _plain(response, now_s)


def play(exchange: Mapping[str, Any]) -> list[Difference]:
    """The first difference of each step, for all steps that aren't as recorded."""
    player, names = Player(), {"ns": "t1-77001", "id": "x1-77001"}
    namespace = {"metadata": {"name": names["ns"]}}
    player.ask({"method": "POST", "path": "/api/v1/namespaces", "body": namespace})
    answers: list[Any] = []
    differences = []
    for number, step in enumerate(exchange["steps"]):
        player.wait(step.get("wait", PAUSE_S))
        request = {key: fill(value, names, answers) for key, value in step["request"].items()}
        response, body = ask_until(player, request, step.get("until", {}))
        answers.append(body)
        found = compare(step["response"], response, scrub(body, names), names)
        if found is not None:
            differences.append(Difference(number, *found))
    return differences


def ask_until(
    player: Player, request: Mapping[str, Any], wanted: Mapping[str, Any]
) -> tuple[Response, Any]:
    """The first answer with what is wanted in it, or the last one there was patience for."""
    for _ in range(TRIES):
        response, body = player.ask(request)
        if all(_holds(body, path, value) for path, value in wanted.items()):
            break
        player.wait(RETRY_S)
    return response, body


def _holds(body: Any, path: str, value: Any) -> bool:
    try:
        return bool(lookup([body], f"0.{path}") == value)
    except (KeyError, IndexError, TypeError):
        return False


def _request(recorded: Mapping[str, Any]) -> Request:
    body = recorded.get("body")
    headers = {
        "Host": HOST,
        "User-Agent": "replay/1",
        "Accept": recorded.get("accept") or "application/json",
    }
    if body is not None:
        headers["Content-Type"] = recorded.get("contentType") or "application/json"
        body = body if isinstance(body, str) else json.dumps(body)
    return Request(recorded["method"], recorded["path"], headers, (body or "").encode())


def _plain(response: Response, now_s: float) -> Any:
    if isinstance(response.body, Watching):
        # Of a watch, the list of all that it told until its end.
        lines = map(encoded, last_events_of(response.body, now_s))
        return [json.loads(line) for line in lines]
    text = response.content().decode()
    return json.loads(text) if "json" in response.header("Content-Type") else text


def lookup(answers: list[Any], reference: str) -> Any:
    number, *path = reference.split(".")
    found = answers[int(number)]
    for key in path:
        found = found[int(key)] if isinstance(found, list) else found[key]
    return found


def fill(value: Any, names: Mapping[str, str], answers: list[Any]) -> Any:
    """The request with its names and its references to earlier answers filled in."""
    if isinstance(value, list):
        return [fill(one, names, answers) for one in value]
    if isinstance(value, dict):
        return {fill(k, names, answers): fill(v, names, answers) for k, v in value.items()}
    if not isinstance(value, str):
        return value
    for key, name in names.items():
        value = value.replace("{" + key + "}", name)
    whole = re.fullmatch(r"\$\{([^}]+)\}", value)
    if whole:
        return lookup(answers, whole[1])
    return re.sub(r"\$\{([^}]+)\}", lambda one: quote(str(lookup(answers, one[1]))), value)


def scrub(value: Any, names: Mapping[str, str]) -> Any:
    """The answer without what differs from run to run, as it was scrubbed for the record."""
    if isinstance(value, dict):
        if value.get("kind") == "Table":
            return scrub_table(value, names)
        return {k: scrub(v, names) for k, v in value.items() if k not in VOLATILE}
    if isinstance(value, list):
        return [scrub(one, names) for one in value]
    if not isinstance(value, str):
        return value
    for key, name in names.items():
        value = value.replace(name, "{" + key + "}")
    value = re.sub(r"in record \(\d+\)", "in record (<version>)", value)
    value = re.sub(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "<uid>", value)
    return re.sub(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", "<time>", value)


def scrub_table(table: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    columns = [column["name"] for column in table["columnDefinitions"]]
    cells = (zip(columns, row["cells"], strict=True) for row in table["rows"])
    return {
        "columns": columns,
        "rows": [[scrub(cell, names) for name, cell in row if name not in AGES] for row in cells],
    }


def compare(
    recorded: Mapping[str, Any], response: Response, body: Any, names: Mapping[str, str]
) -> tuple[str, Any, Any] | None:
    """The first place where an answer isn't as recorded."""
    if recorded["code"] != response.code:
        return "code", recorded["code"], response.code
    warning = scrub(response.header("Warning"), names)
    if recorded.get("warning", "") != warning:
        return "warning", recorded.get("warning", ""), warning
    told = recorded["body"]
    if isinstance(told, list) and not isinstance(body, list):
        # A watch that was refused was recorded as if it were the only event.
        body = [body]
    return missing(told, body, "body")


def missing(recorded: Any, answered: Any, path: str) -> tuple[str, Any, Any] | None:
    """The first place where something recorded isn't in the answer."""
    if isinstance(recorded, dict) and isinstance(answered, dict):
        for key, value in recorded.items():
            if key not in answered and value not in ABSENT:
                return f"{path}.{key}", value, "(absent)"
            found = key in answered and missing(value, answered[key], f"{path}.{key}")
            if found:
                return found
        return None
    if isinstance(recorded, list) and isinstance(answered, list):
        if len(recorded) != len(answered):
            return f"{path}.length", len(recorded), len(answered)
        for number, (one, other) in enumerate(zip(recorded, answered, strict=True)):
            found = missing(one, other, f"{path}[{number}]")
            if found:
                return found
        return None
    if isinstance(recorded, str) and isinstance(answered, str) and INNER_WORDS.search(recorded):
        return None
    return None if recorded == answered else (path, recorded, answered)
