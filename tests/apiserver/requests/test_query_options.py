"""The options of requests, from queries and from DeleteOptions."""

import pytest

from podium.api.refused import RefusedError
from podium.apiserver.requests.query_options import (
    check_delete_options,
    delete_options,
    field_manager,
    list_options,
    parse_query,
    patch_faults,
    write_faults,
)


def listed(query: str, *, watch: bool = False):
    return list_options(parse_query(query), watch=watch)


def test_what_a_list_is_to_show():
    wanted = listed("labelSelector=a%3Db&fieldSelector=x%3Dy&limit=5&continue=c&resourceVersion=7")
    assert (wanted.label_selector, wanted.field_selector) == ("a=b", "x=y")
    assert (wanted.limit, wanted.continue_token, wanted.resource_version) == (5, "c", "7")
    assert not wanted.watch


@pytest.mark.parametrize("value", ["1", "true", "", "yes"])
def test_a_switch_is_turned_on_by_anything(value):
    assert listed(f"watch={value}").watch


@pytest.mark.parametrize("value", ["0", "false", "FALSE"])
def test_but_by_what_says_no(value):
    assert not listed(f"watch={value}").watch


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("abc", "invalid syntax"),
        ("", "invalid syntax"),
        ("1_0", "invalid syntax"),
        ("9223372036854775808", "value out of range"),
        pytest.param("9" * 5_000, "value out of range", id="many digits"),
    ],
)
def test_numbers_that_are_none(text, why):
    with pytest.raises(RefusedError) as refusal:
        listed(f"limit={text}")
    assert refusal.value.code == 400
    assert refusal.value.message == f'strconv.ParseInt: parsing "{text}": {why}'


def test_a_watch_from_anywhere_starts_with_what_is_there():
    assert listed("watch=1").send_initial_events
    assert listed("resourceVersion=0", watch=True).send_initial_events
    assert listed("watch=1&resourceVersion=5").send_initial_events is None
    assert listed("resourceVersion=0").send_initial_events is None


UNLESS_GIVEN = "resourceVersionMatch is forbidden unless resourceVersion is provided"
WITH_CONTINUE = "resourceVersionMatch is forbidden when continue is provided"


@pytest.mark.parametrize(
    ("query", "causes"),
    [
        ("resourceVersionMatch=Exact", [f"Forbidden: {UNLESS_GIVEN}"]),
        (
            "resourceVersionMatch=Exact&resourceVersion=1&continue=c",
            [f"Forbidden: {WITH_CONTINUE}"],
        ),
        (
            "resourceVersionMatch=Foo&resourceVersion=1",
            ['Unsupported value: "Foo": supported values: "Exact", "NotOlderThan", ""'],
        ),
        (
            "resourceVersionMatch=Exact&resourceVersion=0",
            ['Forbidden: resourceVersionMatch "exact" is forbidden for resourceVersion "0"'],
        ),
        ("sendInitialEvents=1", ["Forbidden: sendInitialEvents is forbidden for list"]),
        (
            "watch=1&sendInitialEvents=0",
            ["Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"],
        ),
        (
            "watch=1&resourceVersionMatch=Exact&continue=c",
            [
                "Forbidden: resourceVersionMatch is forbidden for watch unless sendInitialEvents "
                "is provided",
                'Unsupported value: "Exact": supported values: "NotOlderThan"',
                f"Forbidden: {WITH_CONTINUE}",
            ],
        ),
    ],
)
def test_list_options_that_do_not_go_together(query, causes):
    with pytest.raises(RefusedError) as refusal:
        listed(query)
    assert refusal.value.code == 422
    assert refusal.value.message.startswith('ListOptions.meta.k8s.io "" is invalid: ')
    assert [cause.message for cause in refusal.value.causes] == causes


@pytest.mark.parametrize(
    ("dry_run", "manager", "validation", "faults"),
    [
        (("All",), "me", "Strict", []),
        ((), "", "", []),
        (
            ("All", "Some"),
            "",
            "",
            ['dryRun: Unsupported value: ["All","Some"]: supported values: "All"'],
        ),
        ((), "x" * 129, "", ["fieldManager: Too long: may not be more than 128 bytes"]),
        (
            (),
            "é\n",
            "",
            ['fieldManager: Invalid value: "é\\n": invalid character U+000A (at position 2)'],
        ),
        (
            (),
            "",
            "Loose",
            [
                'fieldValidation: Unsupported value: "Loose": '
                'supported values: "", "Ignore", "Strict", "Warn"'
            ],
        ),
    ],
)
def test_options_of_writes(dry_run, manager, validation, faults):
    assert [str(fault) for fault in write_faults(dry_run, manager, validation)] == faults


@pytest.mark.parametrize(
    ("query", "is_apply", "faults"),
    [
        ("force=1", False, ["force: Forbidden: may not be specified for non-apply patch"]),
        ("force=1&fieldManager=x", True, []),
        ("", True, ["fieldManager: Required value: is required for apply patch"]),
        ("", False, []),
    ],
)
def test_options_of_patches(query, is_apply, faults):
    found = patch_faults(parse_query(query), is_apply=is_apply)
    assert [str(fault) for fault in found] == faults


def test_delete_options_from_a_query():
    query = "gracePeriodSeconds=0&propagationPolicy=Orphan&dryRun=All&uid=u"
    assert delete_options(parse_query(query)) == {
        "gracePeriodSeconds": 0,
        "propagationPolicy": "Orphan",
        "dryRun": ["All"],
        "preconditions": {"uid": "u"},
    }
    assert delete_options(parse_query("orphanDependents=false")) == {"orphanDependents": False}
    assert delete_options(parse_query("")) == {}


@pytest.mark.parametrize(
    ("options", "causes"),
    [
        (
            {"propagationPolicy": "Now"},
            [
                'Unsupported value: "Now": supported values: '
                '"Foreground", "Background", "Orphan", "nil"'
            ],
        ),
        (
            {"propagationPolicy": "Orphan", "orphanDependents": True},
            [
                'Invalid value: "Orphan": orphanDependents and deletionPropagation cannot be both '
                "set"
            ],
        ),
        ({"dryRun": ["Some"]}, ['Unsupported value: ["Some"]: supported values: "All"']),
    ],
)
def test_delete_options_that_are_wrong(options, causes):
    with pytest.raises(RefusedError) as refusal:
        check_delete_options(options)
    assert refusal.value.code == 422
    assert [cause.message for cause in refusal.value.causes] == causes


@pytest.mark.parametrize(
    ("named", "user_agent", "manager"),
    [
        ("me", "kubectl/v1", "me"),
        ("", "kubectl-client-side-apply/v1 (linux)", "kubectl-client-side-apply"),
        ("", "", "unknown"),
        ("", "a\tb/1", "ab"),
        ("", "é" * 100, "é" * 64),
    ],
)
def test_who_writes(named, user_agent, manager):
    assert field_manager(named, user_agent) == manager
