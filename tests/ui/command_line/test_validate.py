"""Faults of manifests: in reports, by `up`, of a pipe; `tests/cases/validation.md` has the rest."""

import json

from podium.api.codec.field_validation import FieldValidation
from podium.cluster.embedded.initial_objects import read_manifests
from tests.conftest import ROOT
from tests.objects import node

MISSPELT = str(ROOT / "tests/cases/states/validation/misspelt.yaml")


def test_warnings_are_part_of_a_report_and_go_to_standard_error(podium, write) -> None:
    state = write("state.yaml", node("n"))
    command = ("plan", "-f", state, "--apply", MISSPELT, "--validate=warn")
    report = json.loads(podium(*command, "-o", "json").stdout)
    assert sum("unknown field" in one for one in report["warnings"]) == 3
    printed = podium(*command)
    assert (printed.stdout.count("warning: "), printed.stderr.count("warning: ")) == (0, 3)


def test_a_state_may_be_warned_about_by_up_too() -> None:
    found = read_manifests([MISSPELT], validation=FieldValidation.WARN)
    assert sum("unknown field" in one for one in found.warnings) == 3


def test_an_empty_pipe_is_nothing_to_apply(podium, write) -> None:
    state = write("state.yaml", node("n"))
    piped = podium("plan", "-f", state, "--apply", "-", stdin="")
    assert piped.exit_code == 1
    assert "--apply -: there is nothing to apply" in piped.stderr
