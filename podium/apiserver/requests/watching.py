"""Watches as bodies of answers: a stream of events, each object in the form that was negotiated."""

from collections.abc import Mapping
from typing import Any

from podium.apiserver.requests.presenting import Form, shown
from podium.apiserver.verbs.watching import WatchStream

Event = Mapping[str, Any]


class Watching:
    """A watch that has been answered and goes on.

    Attributes:
        stream: where the events come from; whoever serves the watch closes it.
        form: how objects are shown.
        timeout_s: after how many seconds it ends; None leaves it to whoever serves it.
    """

    def __init__(self, stream: WatchStream, form: Form, timeout_s: int | None) -> None:
        self.stream = stream
        self.timeout_s = timeout_s
        self.form = form
        self._needs_headers = True

    @property
    def has_ended(self) -> bool:
        """Whether nothing will come any more."""
        return self.stream.has_ended

    def take(self, now_s: float) -> list[Event]:
        """What has happened since the last call.

        Args:
            now_s: the time that ages in tables are told as of, in seconds since the epoch.
        """
        return [self.shown(event, now_s) for event in self.stream.take()]

    def finish(self, now_s: float) -> list[Event]:
        """What has happened since the last call, with the bookmark that a watch ends with.

        Bookmarks are told to those who understand them only.
        """
        events = self.take(now_s)
        bookmark = self.stream.bookmark() if self.stream.allows_bookmarks else None
        if bookmark is not None:
            events.append(self.shown(bookmark, now_s))
        self.stream.close()
        return events

    def shown(self, event: Event, now_s: float) -> Event:
        """An event of the stream, in the form that is wanted."""
        headers, self._needs_headers = self._needs_headers, False
        obj = shown(self.form, event["object"], now_s, headers=headers)
        return {"type": event["type"], "object": obj}
