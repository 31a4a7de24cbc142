"""Kinds that a scheduler has yet to list, or may not list; each is reported once."""

import logging
from collections.abc import Iterable

from podium.cluster.drivers.driver_events import DriverEvent, Listed, ListFailed, Relisted, Started
from podium.cluster.real.logs import fields
from podium.machines.async_api import ForbiddenError, NotServedError

_logger = logging.getLogger(__name__)


class InformerHealth:
    """Follows lists of the kinds that decisions need, and watches; a hook of the live driver."""

    def __init__(self, kinds: Iterable[str]) -> None:
        self._kinds = frozenset(kinds)
        self._unlisted = set(self._kinds)
        self._told: dict[str, type[Exception]] = {}

    @property
    def ailment(self) -> str:
        """Describe the lists that are missing; empty if none is."""
        if not self._unlisted:
            return ""
        barred = sorted(kind for kind in self._unlisted if self._told.get(kind) is ForbiddenError)
        if barred:
            return f"may not list and watch {', '.join(barred)}"
        return f"waits for lists of {', '.join(sorted(self._unlisted))}"

    def follow(self, event: DriverEvent) -> None:
        match event:
            case Started():
                self._unlisted = set(self._kinds)
            case Listed(kind=kind):
                self._unlisted.discard(kind)
                if self._told.pop(kind, None) is not None:
                    _logger.info("lists and watches a kind again", extra=fields(kind=kind))
            case Relisted(kind=kind):
                _logger.info("a watch has expired; lists anew", extra=fields(kind=kind))
            case ListFailed(kind=kind, error=error):
                what = "can't list or watch a kind; tries again"
                if isinstance(error, NotServedError):
                    self._unlisted.discard(kind)
                    what = "the server knows no such kind; goes on without"
                elif isinstance(error, ForbiddenError):
                    what = "may not list and watch a kind; goes on as soon as it may"
                if self._told.get(kind) is not type(error):
                    self._told[kind] = type(error)
                    _logger.warning(what, extra=fields(kind=kind, error=str(error)))
