"""docs/queueing-hints.md lists the events for which the default plugins are registered."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from podium.scheduler.framework.cluster_events import Action
from podium.scheduler.queue.hints import QueueProfile
from podium.scheduler.scheduler import Scheduler
from tests.conftest import ROOT

PAGE = (ROOT / "docs/queueing-hints.md").read_text()
GAPS, REGISTRATIONS = PAGE.split("## All registrations")
PROFILE = "default-scheduler"
ACTIONS = {str(a.name).title().replace("_", ""): a for a in Action} | {"Update": Action.UPDATE}


class Registration(NamedTuple):
    """An entry of the page, or of a plugin's events."""

    plugin: str
    resource: str
    action: Action
    has_hint: bool


def listed() -> Iterator[Registration]:
    plugin = ""
    for line in REGISTRATIONS.splitlines():
        if heading := re.fullmatch(r"\*\*(\w+)\*\*", line):
            plugin = heading[1]
        elif line.startswith("- "):
            entry = re.fullmatch(r"- (\w+) (\w+(?:, \w+)*)(: .+)?", line)
            assert entry is not None, line
            action = Action(0)
            for name in entry[2].split(", "):
                action |= ACTIONS[name]
            yield Registration(plugin, entry[1], action, entry[3] is not None)


def registered() -> Iterator[Registration]:
    profile = QueueProfile.of(Scheduler().pipelines[PROFILE])
    for plugin, entries in profile.hints.items():
        for event, hint in ((entry.event, entry.hint) for entry in entries):
            yield Registration(plugin, event.resource, event.action, hint is not None)


def per_action(registrations: Iterator[Registration]) -> set[Registration]:
    """One registration for each of the actions: some plugins ask one hint about several."""
    return {found._replace(action=one) for found in registrations for one in found.action}


def test_the_page_lists_what_the_plugins_register() -> None:
    entries = [*listed()]
    assert per_action(iter(entries)) == per_action(registered())
    assert len({entry[:3] for entry in entries}) == len(entries)


def test_every_plugin_of_the_gaps_has_registrations() -> None:
    gaps = set(re.findall(r"^- \*\*(\w+)\*\*", GAPS, re.MULTILINE))
    assert gaps
    assert gaps <= {entry.plugin for entry in listed()}
