"""`podium plan`: options, formats, exit codes, errors."""

import json
import re
from urllib.parse import quote

import pytest
import yaml

from podium.api.codec.yaml_text import write_yaml
from tests.objects import Obj, budget, node, pod, priority_class

HIGH = priority_class("high", 1000)
STATE = [HIGH, node("n", "1"), budget("low", minAvailable=1), pod("low", on="n")]
NEW = pod("new", priorityClassName="high")


@pytest.fixture
def files(write) -> list[str]:
    return ["-f", write("state.yaml", *STATE), "--apply", write("new.yaml", NEW)]


def test_html_is_one_file(podium, files) -> None:
    result = podium("plan", *files, "-o", "html")
    assert result.exit_code == 0
    assert result.output.startswith("<!DOCTYPE html>")
    assert '<td class="bad">default/low</td>' in result.output
    titles = re.findall("<h2>(.*?)</h2>", result.output)
    assert titles[:4] == [
        "Summary",
        "Nodes before and after",
        "Pods over time",
        "What follows from what",
    ]
    assert '<i class="bad" style="width: ' in result.output
    assert 'title="default/low terminates' not in result.output
    assert 'title="terminates on n from t+0s"' in result.output
    assert "<summary>Decision: default/new preempts on n, t+0s</summary>" in result.output
    assert "default/new needs room" in result.output


def test_html_shows_hostile_words_as_they_are_and_asks_for_nothing(podium, write) -> None:
    hostile = "</i><script src=//x.example></script>\"'"
    state = [HIGH, node("n", "1"), pod("low", on="n"), pod("other", schedulerName=hostile)]
    files = ["-f", write("state.yaml", *state), "--apply", write("new.yaml", NEW)]
    shown = podium("plan", *files, "-o", "html").output
    assert "x.example" in shown
    assert "<script" not in shown
    assert not re.findall(r"""(?:src|href)=["']?(?!data:)""", re.sub("<td.*?</td>", "", shown))
    assert "url(" not in shown


def test_json_and_yaml_say_the_same(podium, files) -> None:
    as_json = json.loads(podium("plan", *files, "-o", "json").output)
    assert as_json == yaml.safe_load(podium("plan", *files, "-o", "yaml").output)
    (placement,) = as_json["placements"]
    assert (placement["pod"], placement["node"], placement["at"]) == ("default/new", "n", 30.0)
    assert list(as_json)[:4] == ["apiVersion", "kind", "counts", "workloads"]


def test_reports_for_code_forges(podium, files) -> None:
    gates = ["--fail-on", "preemption,pending"]
    log = json.loads(podium("plan", *files, *gates, "-o", "sarif").stdout)
    (result,) = log["runs"][0]["results"]
    message = "default/low is preempted on n by default/new"
    assert (result["ruleId"], result["message"]["text"]) == ("preemption", message)
    # Code forges show results only beside a file: that of whoever is behind them.
    place = result["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == quote(files[-1])
    assert place["region"]["startLine"] >= 1


def test_standard_input_is_read_once(podium, write) -> None:
    text = write_yaml({"apiVersion": "v1", "kind": "List", "items": [node("n"), pod("p")]})
    assert "default/p  n " in podium("plan", "-f", "-", stdin=text).output
    result = podium("plan", "-f", "-", "--apply", "-", stdin=text)
    assert (result.exit_code, result.output) == (
        1,
        "error: standard input (-) can be read only once\n",
    )


FITS, PENDING = [node("n", "1"), pod("big", "9")], ([node("n", "1")], [pod("p", "2")])
CODES = [
    *((STATE, [NEW], f"--fail-on {one}", 2) for one in ("preemption", "eviction", "pdb-violation")),
    (STATE, [NEW], "--fail-on pending", 0),
    (STATE, [NEW], "--fail-on pending --fail-on preemption", 2),
    (*PENDING, "--fail-on preemption,eviction,pdb-violation", 0),
    (*PENDING, "--fail-on preemption --fail-on eviction", 0),
    (FITS, [pod("fits")], "--fail-on pending", 2),
    (FITS, [pod("fits")], "--fail-on pending --baseline", 0),
    ([node("n"), pod("p", on="n")], [], "--delete pod/p --fail-on eviction", 0),
    ([node("n"), pod("p", on="n")], [], "--delete node/n --fail-on eviction", 2),
]


@pytest.mark.parametrize(("state", "news", "options", "code"), CODES)
def test_the_exit_code_says_whether_a_condition_is_met(
    podium, write, state: list[Obj], news: list[Obj], options: str, code: int
) -> None:
    files = ["-f", write("s.yaml", *state)]
    files += ["--apply", write("n.yaml", *news)] if news else []
    assert podium("plan", *files, *options.split()).exit_code == code
