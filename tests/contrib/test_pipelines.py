"""The steps of the pipelines do what they say, with stand-ins for `gh` and `curl`."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.conftest import ROOT

ACTION = ROOT / "contrib/github-action/action.yml"
TEMPLATE = ROOT / "contrib/gitlab/podium-plan.yml"
STATE = str(ROOT / "examples/best-practice/state")
ORANGE = str(ROOT / "examples/best-practice/orange.yaml")
MARK = "<!-- podium-plan:plan -->"

pytestmark = pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")

# Each notes its arguments; where it is asked for comments, it prints what a file has.
STAND_INS = {
    "podium": f'[ -z "$REAL" ] || exec "{sys.executable}" -m podium "$@"; '
    'printf "%s\\n" "$@" > "$WORDS"; echo "## Podium plan"; exit "${PLAN:-0}"',
    "gh": 'echo "$@" >> "$CALLS"; case " $* " in *" -X "*) exit "${REFUSED:-0}";; esac; cat "$IDS"',
    "curl": 'echo "$@" >> "$CALLS"; case " $* " in *" -X "*) exit 0;; esac; '
    'for last; do :; done; cat "$PAGES/${last##*=}"',
}


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "bin").mkdir()
    for name, script in STAND_INS.items():
        path = tmp_path / "bin" / name
        path.write_text(f"#!/bin/bash\n{script}\n")
        path.chmod(0o755)
    (tmp_path / "ids").touch()
    return tmp_path


def bash(script: str, place: Path, env: dict[str, str]) -> subprocess.CompletedProcess[str]:
    paths = {"WORDS": "words", "CALLS": "calls", "IDS": "ids", "PAGES": ".", "RUNNER_TEMP": "."}
    paths |= {"GITHUB_OUTPUT": "output", "GITHUB_STEP_SUMMARY": "summary"}
    known = {name: str(place / path) for name, path in paths.items()}
    program = f"{place / 'bin'}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script],
        env={**os.environ, **known, "PYTHONPATH": str(ROOT), "PATH": program, **env},
        cwd=place,
        capture_output=True,
        text=True,
        check=False,
    )


def act(place: Path, given: dict[str, str], **env: str) -> int:
    """Run the steps of the action as a runner does; the first exit code that isn't 0."""
    action = yaml.safe_load(ACTION.read_text())
    values = {f"inputs.{name}": str(one["default"]) for name, one in action["inputs"].items()}
    values |= {f"inputs.{name}": value for name, value in given.items()}
    for step in action["runs"]["steps"]:
        assert "${{" not in step["run"], "what is given is data, and no part of a script"
        if "if" in step and not values["inputs.pull-request"]:
            continue
        named = {name: filled(value, values) for name, value in step["env"].items()}
        done = bash(step["run"], place, {"GITHUB_REPOSITORY": "o/r", **named, **env})
        if done.returncode:
            return done.returncode
        if (place / "output").exists():
            lines = (place / "output").read_text().splitlines()
            told = (line.partition("=") for line in lines)
            values |= {f"steps.plan.outputs.{name}": value for name, _, value in told}
    return 0


def filled(text: str, values: dict[str, str]) -> str:
    return re.sub(r"\$\{\{ (.+?) \}\}", lambda found: values[found[1]], text)


GIVEN = {"podium": "", "state": STATE, "apply": f"{ORANGE}\n", "pull-request": "7", "token": "t"}


def calls(place: Path) -> list[str]:
    return (place / "calls").read_text().splitlines() if (place / "calls").exists() else []


def test_the_action_writes_a_comment_and_then_updates_it(place: Path) -> None:
    assert act(place, GIVEN, REAL="1") == 0
    assert calls(place)[-1].startswith("api --silent -X POST repos/o/r/issues/7/comments -F body=@")
    body = (place / "podium-plan.md").read_text()
    assert body.startswith(f"{MARK}\n## Podium plan\n")
    assert "1 preempted" in (place / "summary").read_text()
    (place / "ids").write_text("41\n42\n")
    assert act(place, GIVEN) == 0
    assert calls(place)[-1].startswith("api --silent -X PATCH repos/o/r/issues/comments/41 ")


def test_the_action_fails_as_it_is_told(place: Path) -> None:
    asked = {**GIVEN, "fail-on": "preemption,pending", "args": "--seeds 2"}
    assert act(place, asked, PLAN="2") == 2
    assert "-X POST" in calls(place)[-1]
    words = (place / "words").read_text().split("\n")
    gates = ["--fail-on", "preemption,pending", "--seeds", "2"]
    assert words[:-1] == ["plan", "-f", STATE, "--apply", ORANGE, *gates, "-o", "markdown"]
    assert act(place, {**asked, "pull-request": ""}, PLAN="2", REFUSED="1") == 2
    assert act(place, GIVEN, REFUSED="1") == 0


def test_an_error_of_the_action_leaves_the_comment_alone(place: Path) -> None:
    assert act(place, GIVEN, PLAN="1") == 1
    assert calls(place) == []


def test_what_is_given_to_the_action_is_never_run(place: Path) -> None:
    hostile = "$(touch hacked); `touch hacked` \"; touch hacked; '"
    everywhere = dict.fromkeys(("apply", "state", "fail-on", "args", "name"), hostile)
    assert act(place, {**GIVEN, **everywhere}) == 0
    assert (place / "words").read_text().startswith(f"plan\n-f\n{hostile}\n--apply\n{hostile}\n")
    assert not (place / "hacked").exists()


def job(place: Path, **given: str) -> subprocess.CompletedProcess[str]:
    template: dict[str, Any] = yaml.safe_load(TEMPLATE.read_text())[".podium-plan"]
    (script,) = template["script"]
    project = {"CI_API_V4_URL": "api", "CI_PROJECT_ID": "3", "CI_MERGE_REQUEST_IID": "9"}
    ours = {"PODIUM_PACKAGE": "", "PODIUM_STATE": STATE, "PODIUM_APPLY": ORANGE}
    return bash(script, place, {**template["variables"], **ours, **project, **given})


def test_the_job_writes_a_note_and_then_updates_it(place: Path) -> None:
    (place / "1").write_text(json.dumps([{"id": 5, "body": "hello"}]))
    (place / "2").write_text("[]")
    done = job(place, PODIUM_TOKEN="secret", PODIUM_FAIL_ON="preemption", PLAN="2")
    assert done.returncode == 2, done.stderr
    assert "-X POST api/projects/3/merge_requests/9/notes " in calls(place)[-1]
    (place / "2").write_text(json.dumps([{"id": 6, "body": f"{MARK}\nold"}]))
    assert job(place, PODIUM_TOKEN="secret").returncode == 0
    assert "-X PUT api/projects/3/merge_requests/9/notes/6 " in calls(place)[-1]
    assert not any("secret" in call for call in calls(place))


def test_the_job_writes_no_note_without_a_token(place: Path) -> None:
    assert job(place).returncode == 0
    assert calls(place) == []
    assert (place / "podium-plan.md").read_text() == f"{MARK}\n## Podium plan\n"
    assert job(place, PLAN="1", PODIUM_TOKEN="secret").returncode == 1
    assert calls(place) == []


def test_the_inputs_are_documented() -> None:
    page = (ROOT / "contrib/README.md").read_text()
    inputs = yaml.safe_load(ACTION.read_text())["inputs"]
    variables = yaml.safe_load(TEMPLATE.read_text())[".podium-plan"]["variables"]
    assert [name for name in (*inputs, *variables) if f"`{name}`" not in page] == []
