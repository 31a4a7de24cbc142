"""Events as they go over the wire, written out once for all watches that see them alike."""

from collections.abc import Mapping
from typing import Any

from podium.apiserver.requests import Watching, encoded
from podium.apiserver.requests.negotiation import TABLE
from podium.apiserver.requests.presenting import Form

Event = Mapping[str, Any]

# Ages in tables are told as of the moment; bookmarks and errors are one watch's own.
_SHARED_TYPES = frozenset({"ADDED", "MODIFIED", "DELETED"})
_LENGTH_MAX = 16 * 2**20


class EventTexts:
    """The texts of the last events.

    What an object of some version looks like in some form is always the same, so that form, type
    of event, and version say what the text is. All watches must be of one store.

    Args:
        length_max: how many bytes of texts are remembered at most.
    """

    def __init__(self, length_max: int = _LENGTH_MAX) -> None:
        self._length_max = length_max
        self._length = 0
        self._texts: dict[tuple[int, str, str], bytes] = {}
        self._forms: dict[Form, int] = {}

    def form_number(self, form: Form) -> int:
        """The number of a form, by which it is told from others."""
        return self._forms.setdefault(form, len(self._forms))

    def text(self, watching: Watching, form_number: int, event: Event, now_s: float) -> bytes:
        """An event, as one line.

        Args:
            watching: whose event it is.
            form_number: of its form.
            event: as its stream gives it.
            now_s: the time that ages are told as of, in seconds since the epoch.
        """
        if event["type"] not in _SHARED_TYPES or watching.form.output.shape == TABLE:
            return encoded(watching.shown(event, now_s))
        key = (form_number, event["type"], event["object"]["metadata"]["resourceVersion"])
        text = self._texts.get(key)
        if text is None:
            text = encoded(watching.shown(event, now_s))
            self._length += len(text)
            if self._length > self._length_max:
                self._texts.clear()
                self._length = len(text)
            self._texts[key] = text
        return text
