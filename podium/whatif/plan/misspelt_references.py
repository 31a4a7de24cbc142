"""Names that were likely meant where the API rejects a reference that leads nowhere."""

import re

from podium.api.objects import name
from podium.api.priority import SYSTEM_PRIORITY_CLASSES
from podium.api.values.misspelling import likely_meant
from podium.apiserver.store.store import Store

# In the words of kube-apiserver and its admission plugins; of each the kind that is referred to.
_MISSING = (
    (re.compile(r"no PriorityClass with name (\S+) was found"), "PriorityClass"),
    (re.compile(r'RuntimeClass "([^"]+)" not found'), "RuntimeClass"),
    (re.compile(r'namespaces "([^"]+)" not found'), "Namespace"),
)
_ALWAYS_THERE = {"PriorityClass": (*SYSTEM_PRIORITY_CLASSES,)}


def with_likely_name(message: str, store: Store) -> str:
    """The API's message, with the name that was likely meant where what it names isn't there."""
    for pattern, kind in _MISSING:
        if found := pattern.search(message):
            known = (*map(name, store.list(kind).items), *_ALWAYS_THERE.get(kind, ()))
            return message + likely_meant(found[1], known)
    return message
