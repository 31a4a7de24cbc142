"""Writes of the verbs: the object itself, and the quotas that admission charges for it."""

from collections.abc import Sequence
from contextlib import nullcontext

import msgspec

from podium.api.objects import Object, is_terminating, place_of
from podium.apiserver.attributes import Attributes
from podium.apiserver.long_work import apart, is_long
from podium.apiserver.refusals import already_exists, entity_too_large
from podium.apiserver.store.store import Store

OBJECT_BYTES_MAX = 7 * 2**20
"""The largest object, as JSON. kube-apiserver's limit is 1.5 MiB of Protobuf, in which parts with
long names and short values, such as containers, are a fifth as long."""


class Writer:
    """Writes objects to the store, or only checks the write in a dry run.

    An object and the quotas charged for it are written together, or not at all.
    """

    def __init__(self, store: Store) -> None:
        self._store = store

    def create(self, request: Attributes, obj: Object, charged: Sequence[Object]) -> Object:
        """Add an object; raises RefusedError: 409, its name is taken; 413, it is too large."""
        _check_size(obj)
        kind, place = request.kind, place_of(obj)
        existing = self._store.get(kind.key, *place)
        if existing is not None:
            raise already_exists(kind, place[1], is_terminating=is_terminating(existing))
        if request.options.dry_run:
            return obj
        with self._store.transaction() if charged else nullcontext():
            self._charge(charged)
            return self._store.create(kind.key, obj)

    def update(self, request: Attributes, obj: Object, charged: Sequence[Object] = ()) -> Object:
        """Replace a stored object; raises RefusedError: 413, it is too large."""
        _check_size(obj)
        if request.options.dry_run:
            return obj
        with self._store.transaction() if charged else nullcontext():
            self._charge(charged)
            return self._store.update(request.kind.key, obj)

    def delete(self, request: Attributes, obj: Object) -> Object:
        """Remove a stored object, and return its last state."""
        if request.options.dry_run:
            return obj
        return self._store.delete(request.kind.key, request.namespace, request.name)

    def _charge(self, charged: Sequence[Object]) -> None:
        for obj in charged:
            self._store.update(obj["kind"], obj)


def _check_size(obj: Object) -> None:
    size = len(apart(msgspec.json.encode, obj)) if is_long() else 0
    if size > OBJECT_BYTES_MAX:
        most = f"the object would take {size} bytes as JSON; at most {OBJECT_BYTES_MAX} are kept"
        raise entity_too_large(most)
