"""Results of selectors by device."""

from collections import defaultdict
from collections.abc import Sequence

from podium.api.cel.values import CelError
from podium.scheduler.devices.claim_requests import CompiledSelector
from podium.scheduler.devices.published_devices import PublishedDevice


class Selections:
    """Results of selectors by device, found out once for all devices with equal contents.

    Args:
        contents: by number of a device, what identifies all that selectors read of it.
    """

    def __init__(self, contents: Sequence[int] = ()) -> None:
        self._contents = contents
        self._results: dict[str, dict[int, bool | CelError]] = defaultdict(dict)

    def of(self, selector: CompiledSelector, device: PublishedDevice) -> bool:
        """Return whether a device is selected.

        Raises:
            CelError: the evaluation failed.
        """
        content = self._contents[device.number]
        by_content = self._results[selector.expression]
        result = by_content.get(content)
        if result is None:
            result = by_content[content] = self._found(selector, device)
        if isinstance(result, CelError):
            raise result
        return result

    def _found(self, selector: CompiledSelector, device: PublishedDevice) -> bool | CelError:
        if selector.selector is None:
            return CelError(selector.error)
        try:
            return selector.selector.matches(device.for_selectors)
        except CelError as error:
            return CelError(f"CEL runtime error: {error}")
