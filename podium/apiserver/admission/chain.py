"""The admission plugins, run in kube-apiserver's order.

Each write passes all plugins twice: `admit` completes the object before validation; `validate`
checks the completed object and returns the quotas to store with it. A plugin is only called for the
kinds and operations that it handles.
"""

from collections.abc import Sequence

from podium.api.errors import PodiumError
from podium.api.objects import Object
from podium.apiserver.admission import (
    namespace_plugins,
    pod_plugins,
    storage_plugins,
)
from podium.apiserver.admission.node_plugins import NodeRestriction, TaintNodesByCondition
from podium.apiserver.admission.plugin import ALL_NAMESPACED, AdmissionOptions, AdmissionPlugin
from podium.apiserver.attributes import Attributes, Operation
from podium.apiserver.store.store import Store

PLUGINS: tuple[type[AdmissionPlugin], ...] = (
    namespace_plugins.NamespaceLifecycle,
    namespace_plugins.LimitRanger,
    pod_plugins.ServiceAccount,
    NodeRestriction,
    TaintNodesByCondition,
    pod_plugins.Priority,
    pod_plugins.DefaultTolerationSeconds,
    storage_plugins.DefaultStorageClass,
    storage_plugins.StorageObjectInUseProtection,
    storage_plugins.PersistentVolumeClaimResize,
    pod_plugins.RuntimeClass,
    pod_plugins.PodTopologyLabels,
    # Last, so that nothing is charged that another plugin refuses.
    namespace_plugins.ResourceQuota,
)


class UnknownPluginError(PodiumError):
    """The options contain the name of an unknown admission plugin."""


class Admission:
    """Runs the enabled admission plugins on each write; raises UnknownPluginError."""

    def __init__(self, store: Store, options: AdmissionOptions | None = None) -> None:
        options = options or AdmissionOptions()
        known = {plugin.__name__ for plugin in PLUGINS}
        unknown = sorted((options.enabled | options.disabled) - known)
        if unknown:
            listed = ", ".join(sorted(known))
            raise UnknownPluginError(
                f"there is no admission plugin {unknown[0]}; there are {listed}"
            )
        self._plugins = tuple(
            plugin(store, options)
            for plugin in PLUGINS
            if (
                plugin.__name__ not in options.disabled
                if plugin.on_by_default
                else plugin.__name__ in options.enabled
            )
        )
        self._known: dict[tuple[str, str, Operation], Sequence[AdmissionPlugin]] = {}

    def admit(self, request: Attributes, obj: Object) -> Object:
        """Complete an object, or a subresource's posted object; raises RefusedError."""
        for plugin in self._concerned(request):
            obj = plugin.admit(request, obj)
        return obj

    def validate(self, request: Attributes, obj: Object) -> Sequence[Object]:
        """Check a valid object; return the charged quotas to store with it; raises RefusedError."""
        concerned = self._concerned(request)
        for plugin in concerned:
            plugin.validate(request, obj)
        return [quota for plugin in concerned for quota in plugin.charge(request, obj)]

    def _concerned(self, request: Attributes) -> Sequence[AdmissionPlugin]:
        """Return the plugins that handle a request."""
        key = (request.kind.key, request.subresource, request.operation)
        if key not in self._known:
            more = ALL_NAMESPACED if request.kind.namespaced else request.resource
            self._known[key] = [
                plugin
                for plugin in self._plugins
                if request.operation
                in plugin.handles.get(request.resource, plugin.handles.get(more, frozenset()))
            ]
        return self._known[key]
