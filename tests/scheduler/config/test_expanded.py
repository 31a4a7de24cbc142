"""What holds of profiles once they are expanded."""

import pytest

from podium.api.documents.document import InvalidDocumentError
from podium.scheduler.config.document import ExtensionPoint, PluginConfig, Profile
from podium.scheduler.config.expansion import Expanded, check_expanded


def profile(
    name: str, sorters: str = "PrioritySort", binders: str = "DefaultBinder", by: str = "age"
) -> tuple[Profile, Expanded]:
    expanded = {point: {} for point in ExtensionPoint} | {
        ExtensionPoint.QUEUE_SORT: dict.fromkeys(sorters.split(), 0),
        ExtensionPoint.BIND: dict.fromkeys(binders.split(), 0),
    }
    config = PluginConfig(name="OtherSort", args={"by": by})
    return Profile(scheduler_name=name, plugin_config=(config,)), expanded


def test_good_profiles() -> None:
    check_expanded([profile("a"), profile("b", binders="Custom DefaultBinder", by="size")])
    check_expanded([profile("a", "OtherSort"), profile("b", "OtherSort")])


@pytest.mark.parametrize(
    ("profiles", "faults"),
    [
        (
            [profile("a", sorters=""), profile("b")],
            [
                "profiles[0].plugins.queueSort: Invalid value: []: "
                "a needs exactly one queueSort plugin",
                'profiles[1].plugins.queueSort: Invalid value: "PrioritySort": '
                "queueSort plugin and arguments must be the same in all profiles",
            ],
        ),
        (
            [profile("a", sorters="PrioritySort OtherSort")],
            [
                'profiles[0].plugins.queueSort: Invalid value: ["PrioritySort","OtherSort"]: '
                "a needs exactly one queueSort plugin"
            ],
        ),
        (
            [profile("a"), profile("b", sorters="OtherSort")],
            [
                'profiles[1].plugins.queueSort: Invalid value: "OtherSort": '
                "queueSort plugin and arguments must be the same in all profiles"
            ],
        ),
        (
            [profile("a", "OtherSort"), profile("b", "OtherSort", by="size")],
            [
                'profiles[1].plugins.queueSort: Invalid value: "OtherSort": '
                "queueSort plugin and arguments must be the same in all profiles"
            ],
        ),
        (
            [profile("a"), profile("b", binders="")],
            ["profiles[1].plugins.bind: Invalid value: []: b needs at least one bind plugin"],
        ),
    ],
)
def test_bad_profiles(profiles: list[tuple[Profile, Expanded]], faults: list[str]) -> None:
    with pytest.raises(InvalidDocumentError) as caught:
        check_expanded(profiles)
    assert [str(error) for error in caught.value.errors] == faults
