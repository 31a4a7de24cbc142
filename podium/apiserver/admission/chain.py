"""All admission plugins, which run one after the other in kube-apiserver's order.

A write passes them twice: `admit` completes the object before it is validated, `validate` judges
the completed object and names what the store has to write with it. A plugin only sees the kinds and
operations that it handles.
"""

from collections.abc import Mapping, Sequence

from podium.api.errors import PodiumError
from podium.api.objects import Object
from podium.apiserver.admission.claim_resize import PersistentVolumeClaimResize
from podium.apiserver.admission.in_use import StorageObjectInUseProtection
from podium.apiserver.admission.limit_ranger import LimitRanger
from podium.apiserver.admission.namespace_lifecycle import NamespaceLifecycle
from podium.apiserver.admission.node_restriction import NodeRestriction
from podium.apiserver.admission.node_taint import TaintNodesByCondition
from podium.apiserver.admission.plugin import ALL_NAMESPACED, AdmissionOptions, Plugin, View
from podium.apiserver.admission.priority import Priority
from podium.apiserver.admission.resource_quota import ResourceQuota
from podium.apiserver.admission.runtime_class import RuntimeClass
from podium.apiserver.admission.service_account import ServiceAccount
from podium.apiserver.admission.storage_class import DefaultStorageClass
from podium.apiserver.admission.tolerations import DefaultTolerationSeconds
from podium.apiserver.admission.topology_labels import PodTopologyLabels
from podium.apiserver.attributes import Attributes, Operation

PLUGINS: tuple[type[Plugin], ...] = (
    NamespaceLifecycle,
    LimitRanger,
    ServiceAccount,
    NodeRestriction,
    TaintNodesByCondition,
    Priority,
    DefaultTolerationSeconds,
    DefaultStorageClass,
    StorageObjectInUseProtection,
    PersistentVolumeClaimResize,
    RuntimeClass,
    PodTopologyLabels,
    # Last, so that nothing is charged that another plugin refuses.
    ResourceQuota,
)


_METHODS = {"admit": Plugin.admit, "validate": Plugin.validate, "charge": Plugin.charge}


class UnknownPluginError(PodiumError):
    """The options name an unknown admission plugin."""


class Admission:
    """Runs the enabled admission plugins, in v1.36's order, on each write.

    Raises:
        UnknownPluginError: the options name an unknown plugin.
    """

    def __init__(self, view: View, options: AdmissionOptions | None = None) -> None:
        options = options or AdmissionOptions()
        known = {plugin.__name__ for plugin in PLUGINS}
        unknown = sorted((options.enabled | options.disabled) - known)
        if unknown:
            listed = ", ".join(sorted(known))
            raise UnknownPluginError(
                f"there is no admission plugin {unknown[0]}; there are {listed}"
            )
        self._plugins = tuple(
            plugin(view, options)
            for plugin in PLUGINS
            if (
                plugin.__name__ not in options.disabled
                if plugin.on_by_default
                else plugin.__name__ in options.enabled
            )
        )
        self._known: dict[tuple[str, str, Operation], Mapping[str, Sequence[Plugin]]] = {}

    def admit(self, request: Attributes, obj: Object) -> Object:
        """Complete an object before it is validated; raises RefusedError.

        Args:
            obj: the object as it is to be stored, or, for a subresource such as `binding`, the one
                that was posted.
        """
        for plugin in self._concerned(request)["admit"]:
            obj = plugin.admit(request, obj)
        return obj

    def validate(self, request: Attributes, obj: Object) -> Sequence[Object]:
        """Judge the object after validation, and charge quotas; raises RefusedError.

        Returns:
            Other objects, changed, to be stored if and only if this one is: quotas with their new
            use. Their resourceVersion is that of the stored ones.
        """
        concerned = self._concerned(request)
        for plugin in concerned["validate"]:
            plugin.validate(request, obj)
        charging = concerned["charge"]
        return [other for plugin in charging for other in plugin.charge(request, obj)]

    def _concerned(self, request: Attributes) -> Mapping[str, Sequence[Plugin]]:
        """The plugins that handle such requests, by the methods that they have of their own."""
        key = (request.kind.key, request.subresource, request.operation)
        concerned = self._known.get(key)
        if concerned is None:
            more = ALL_NAMESPACED if request.kind.namespaced else request.resource
            asked = [
                plugin
                for plugin in self._plugins
                if request.operation
                in plugin.handles.get(request.resource, plugin.handles.get(more, frozenset()))
            ]
            concerned = self._known[key] = {
                method: [
                    p for p in asked if getattr(type(p), method) is not getattr(Plugin, method)
                ]
                for method in ("admit", "validate", "charge")
            }
        return concerned
