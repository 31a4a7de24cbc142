"""The API server without a network: verbs on objects, as kube-apiserver v1.36 carries them out.

Everything that comes in goes through here, whether a client sends it over HTTP or a controller of
the same process asks for it, so that all of them live by the same rules.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random

from podium.api.custom_kinds import DEFINITION, CustomKind
from podium.api.kinds import Kind
from podium.api.objects import Object
from podium.apiserver.admission import Admission, AdmissionOptions
from podium.apiserver.admission.request import Derived
from podium.apiserver.custom.settling import settle
from podium.apiserver.registry import Registry
from podium.apiserver.selection import ALL, Selection
from podium.apiserver.verbs import reading, watching
from podium.apiserver.verbs.bootstrap import first_objects
from podium.apiserver.verbs.changing import Changer
from podium.apiserver.verbs.creating import Creator
from podium.apiserver.verbs.deleting import Deleter
from podium.apiserver.verbs.options import (
    Deleted,
    DeleteOptions,
    Judge,
    Listing,
    Page,
    PatchRequest,
    WatchOptions,
    WriteOptions,
    Written,
)
from podium.apiserver.verbs.subresources import Subresources
from podium.apiserver.verbs.updating import Updater
from podium.apiserver.verbs.view import StoredView
from podium.apiserver.verbs.watching import WatchStream
from podium.apiserver.verbs.writing import Writer
from podium.store.store import Store

__all__ = [
    "ApiOptions",
    "ApiServer",
    "DeleteOptions",
    "Deleted",
    "Judge",
    "Listing",
    "Page",
    "PatchRequest",
    "WatchOptions",
    "WatchStream",
    "WriteOptions",
    "Written",
]


_DEFAULT_WRITE = WriteOptions()
_DEFAULT_DELETE = DeleteOptions()
_FIRST_PAGE = Page()
_DEFAULT_WATCH = WatchOptions()


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiOptions:
    """How the server is set up.

    Attributes:
        admission: which admission plugins there are, and how they are set.
        names_salt: other generated names come of another one.
    """

    admission: AdmissionOptions = field(default_factory=AdmissionOptions)
    names_salt: str = ""


class ApiServer:
    """The verbs.

    Namespaces are empty for cluster-scoped kinds, and, in lists and watches, for all namespaces.
    Objects are JSON values; what is returned is shared with the store, and mustn't be changed.
    Times are seconds since the epoch. Every verb raises `RefusedError` where kube-apiserver answers
    with anything but success.
    """

    def __init__(self, store: Store, rng: Random, options: ApiOptions | None = None) -> None:
        """Serve what is in a store.

        Args:
            store: the objects.
            rng: chooses uids, addresses and ports.
            options: how the server is set up; as upstream's defaults have it, if None.
        """
        options = options or ApiOptions()
        self.store = store
        admission = Admission(StoredView(store), options.admission)
        writer = Writer(store)
        self._creator = Creator(store, writer, admission, rng, options.names_salt)
        updater = Updater(writer, admission)
        self._changer = Changer(store, self._creator, updater)
        self._deleter = Deleter(store, writer, admission)
        self._subresources = Subresources(store, writer, admission, updater, self._deleter)
        self._kinds = Derived(StoredView(store), DEFINITION.key, Registry)

    @property
    def kinds(self) -> Registry:
        """The kinds that are served now."""
        return self._kinds()

    def bootstrap(self, now_s: float) -> None:
        """Create what every cluster has: the namespaces and the priority classes of the system."""
        for kind, obj in first_objects():
            if self.store.get(kind.key, "", obj["metadata"]["name"]) is None:
                self.create(kind, obj, "", now_s)

    def create(
        self,
        kind: Kind,
        obj: Object,
        namespace: str,
        now_s: float,
        options: WriteOptions = _DEFAULT_WRITE,
    ) -> Object:
        """Create an object, named by its `name` or after its `generateName`."""
        created = self._creator.create(kind, obj, namespace, now_s, options)
        self._settle(kind, now_s)
        return created

    def get(self, kind: Kind, namespace: str, name: str) -> Object:
        """An object as it is now."""
        return reading.get(self.store, kind, namespace, name)

    def list(
        self, kind: Kind, namespace: str, selection: Selection = ALL, page: Page = _FIRST_PAGE
    ) -> Listing:
        """Objects by namespace and name."""
        return reading.list_objects(self.store, kind, namespace, selection, page)

    def replace(
        self,
        kind: Kind,
        obj: Object,
        namespace: str,
        name: str,
        now_s: float,
        options: WriteOptions = _DEFAULT_WRITE,
        subresource: str = "",
    ) -> Written:
        """Replace an object, or what a subresource (`status`, `finalize`, `resize`) is about.

        A resourceVersion in the object must be the current one. Some kinds are created if they
        aren't there.
        """
        written = self._changer.replace(kind, obj, namespace, name, now_s, options, subresource)
        self._settle(kind, now_s)
        return written

    def patch(
        self,
        kind: Kind,
        namespace: str,
        name: str,
        patch: PatchRequest,
        now_s: float,
        options: WriteOptions = _DEFAULT_WRITE,
        subresource: str = "",
    ) -> Written:
        """Patch an object, or what a subresource is about; server-side apply may create it."""
        written = self._changer.patch(kind, namespace, name, patch, now_s, options, subresource)
        self._settle(kind, now_s)
        return written

    def delete(
        self,
        kind: Kind,
        namespace: str,
        name: str,
        how: DeleteOptions = _DEFAULT_DELETE,
        *,
        now_s: float,
        options: WriteOptions = _DEFAULT_WRITE,
    ) -> Deleted:
        """Delete an object, or start its deletion where a grace period or finalizers hold it."""
        deleted = self._deleter.delete(kind, namespace, name, how, now_s, options)
        self._settle(kind, now_s)
        return deleted

    def delete_collection(
        self,
        kind: Kind,
        namespace: str,
        selection: Selection = ALL,
        how: DeleteOptions = _DEFAULT_DELETE,
        *,
        now_s: float,
        page: Page = _FIRST_PAGE,
        options: WriteOptions = _DEFAULT_WRITE,
    ) -> Listing:
        """Delete the objects of a list, one after the other; they are listed as they were."""
        listing = self.list(kind, namespace, selection, page)
        for obj in listing.items:
            metadata = obj["metadata"]
            place, name = metadata.get("namespace", ""), metadata["name"]
            self._deleter.delete(kind, place, name, how, now_s, options)
        self._settle(kind, now_s)
        return listing

    def watch(
        self,
        kind: Kind,
        namespace: str,
        selection: Selection = ALL,
        options: WatchOptions = _DEFAULT_WATCH,
        wake: Callable[[], None] | None = None,
    ) -> WatchStream:
        """Follow the objects of a selection.

        Args:
            kind: of the objects.
            namespace: theirs; empty for all.
            selection: which of them.
            options: where to start.
            wake: called when there may be something to take, once after each time that the
                stream was read to its end; amid a write, so that it should only take note.
        """
        return watching.watch(self.store, kind, namespace, selection, options, wake)

    def bind(
        self,
        namespace: str,
        name: str,
        binding: Object,
        now_s: float,
        options: WriteOptions = _DEFAULT_WRITE,
    ) -> Object:
        """Bind a pod as a `Binding` says; the pod as it is then."""
        return self._subresources.bind(namespace, name, binding, now_s, options)

    def evict(
        self,
        namespace: str,
        name: str,
        eviction: Object,
        now_s: float,
        options: WriteOptions = _DEFAULT_WRITE,
    ) -> None:
        """Evict a pod as an `Eviction` says, unless a budget is against it."""
        self._subresources.evict(namespace, name, eviction, now_s, options)

    def get_scale(self, kind: Kind, namespace: str, name: str) -> Object:
        """The `Scale` of a workload."""
        return self._subresources.get_scale(kind, namespace, name)

    def replace_scale(
        self,
        kind: Kind,
        namespace: str,
        name: str,
        scale: Object,
        now_s: float,
        options: WriteOptions = _DEFAULT_WRITE,
    ) -> Object:
        """Scale a workload as a `Scale` says; the scale as it is then."""
        return self._subresources.replace_scale(kind, namespace, name, scale, now_s, options)

    def patch_scale(
        self,
        kind: Kind,
        namespace: str,
        name: str,
        patch: PatchRequest,
        now_s: float,
        options: WriteOptions = _DEFAULT_WRITE,
    ) -> Object:
        """Patch the `Scale` of a workload; the scale as it is then."""
        return self._subresources.patch_scale(kind, namespace, name, patch, now_s, options)

    def settle(self, now_s: float) -> None:
        """Have the kinds served that definitions bring, however these came into the store."""
        with self.store.transaction():
            settle(self.store, self._delete_at_once, now_s)

    def _settle(self, kind: Kind, now_s: float) -> None:
        """Do what follows from a write for definitions, and for those that wait for their end."""
        if kind is DEFINITION or (isinstance(kind, CustomKind) and kind.is_closing):
            self.settle(now_s)

    def _delete_at_once(self, kind: Kind, namespace: str, name: str, now_s: float) -> object:
        return self._deleter.delete(kind, namespace, name, _DEFAULT_DELETE, now_s, _DEFAULT_WRITE)
