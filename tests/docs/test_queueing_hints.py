"""docs/queueing-hints.md lists the events for which the default plugins are registered."""

from collections.abc import Iterator
from typing import NamedTuple

from podium.scheduler.framework.cluster_events import Action
from podium.scheduler.queue.hints import QueueProfile
from podium.scheduler.scheduler import Scheduler
from tests.conftest import ROOT
from tests.docs.markdown import Table, parts

PAGE = (ROOT / "docs/queueing-hints.md").read_text()
PROFILE = "default-scheduler"
ACTIONS = {str(a.name).title().replace("_", ""): a for a in Action} | {"Update": Action.UPDATE}


class Registration(NamedTuple):
    """A row of the table, or an entry of a plugin's events."""

    plugin: str
    resource: str
    action: Action
    has_hint: bool


def listed() -> Iterator[Registration]:
    for table in (part for part in parts(PAGE) if isinstance(part, Table)):
        for row in table.rows:
            if "plugin" in row:
                action = Action(0)
                for name in row["actions"].split(", "):
                    action |= ACTIONS[name]
                hinted = row["the pod is tried again if"] != "always"
                yield Registration(row["plugin"], row["resource"], action, hinted)


def registered() -> Iterator[Registration]:
    profile = QueueProfile.of(Scheduler().pipelines[PROFILE])
    for plugin, entries in profile.hints.items():
        for event, hint in ((entry.event, entry.hint) for entry in entries):
            yield Registration(plugin, event.resource, event.action, hint is not None)


def per_action(registrations: Iterator[Registration]) -> set[Registration]:
    """One registration for each of the actions: some plugins ask one hint about several."""
    return {found._replace(action=one) for found in registrations for one in found.action}


def test_the_table_is_what_the_plugins_register() -> None:
    rows = [*listed()]
    assert per_action(iter(rows)) == per_action(registered())
    assert len({row[:3] for row in rows}) == len(rows)


def test_every_plugin_of_the_gaps_is_in_the_table() -> None:
    gaps = {
        row["the pod was rejected by"]
        for part in parts(PAGE)
        if isinstance(part, Table)
        for row in part.rows
        if "the pod was rejected by" in row
    }
    assert gaps
    assert gaps <= {row.plugin for row in listed()}
