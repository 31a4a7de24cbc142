"""CSI migration of in-tree volumes by the rules of csi-translation-lib, v1.36."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from podium.api.errors import PodiumError
from podium.api.objects import Object, annotations, entries, labels, part, spec_of
from podium.api.volumes.claims_and_volumes import ZONES_DELIMITER
from podium.api.well_known import REGION_LABEL, ZONE_LABEL

BETA_ZONE_LABEL = "failure-domain.beta.kubernetes.io/zone"
BETA_REGION_LABEL = "failure-domain.beta.kubernetes.io/region"

_ZONE_LABELS = (ZONE_LABEL, BETA_ZONE_LABEL)
_UNSPECIFIED = "UNSPECIFIED"
_AWS_SCHEME = "aws://"


class MigrationError(PodiumError):
    """An in-tree volume can't be translated."""


@dataclass(frozen=True, slots=True)
class Attachable:
    """A volume that can be attached to nodes, by CSI driver and volume handle."""

    driver: str
    handle: str


@dataclass(frozen=True, slots=True)
class InTreePlugin:
    """An in-tree volume plugin that a CSI driver has replaced."""

    name: str
    source: str
    """The field of a volume that contains the plugin's volume source."""
    driver: str
    handle: Callable[[Object, list[str]], str]
    """Returns the CSI volume handle, from that source and the volume's zones."""
    topology_key: str = ""
    """The driver's label for zones; empty if topology isn't translated."""


def _aws_handle(source: Object, zones: list[str]) -> str:
    volume_id = str(source.get("volumeID") or "")
    if not volume_id.startswith(_AWS_SCHEME):
        return volume_id
    handle = volume_id.removeprefix(_AWS_SCHEME).partition("/")[2].strip("/")
    if not handle.startswith("vol-") or "/" in handle:
        raise MigrationError(f"{volume_id!r} doesn't name an AWS volume")
    return handle


def _gce_handle(source: Object, zones: list[str]) -> str:
    place = f"zones/{zones[0] if zones else _UNSPECIFIED}"
    if len(zones) > 1:
        parts = [zone.split("-") for zone in zones]
        regions = {"-".join(part[:2]) for part in parts}
        if len(regions) > 1 or any(len(part) != 3 for part in parts):
            raise MigrationError(f"zones {', '.join(zones)} aren't zones of one region")
        place = f"regions/{regions.pop()}"
    return f"projects/{_UNSPECIFIED}/{place}/disks/{source.get('pdName')}"


def _field(field: str) -> Callable[[Object, list[str]], str]:
    return lambda source, zones: str(source.get(field) or "")


_PLUGINS = (
    InTreePlugin(
        "kubernetes.io/aws-ebs",
        "awsElasticBlockStore",
        "ebs.csi.aws.com",
        _aws_handle,
        "topology.ebs.csi.aws.com/zone",
    ),
    InTreePlugin(
        "kubernetes.io/gce-pd",
        "gcePersistentDisk",
        "pd.csi.storage.gke.io",
        _gce_handle,
        "topology.gke.io/zone",
    ),
    InTreePlugin("kubernetes.io/azure-disk", "azureDisk", "disk.csi.azure.com", _field("diskURI")),
    InTreePlugin(
        "kubernetes.io/cinder",
        "cinder",
        "cinder.csi.openstack.org",
        _field("volumeID"),
        "topology.cinder.csi.openstack.org/zone",
    ),
    InTreePlugin(
        "kubernetes.io/portworx-volume", "portworxVolume", "pxd.portworx.com", _field("volumeID")
    ),
)
# These have CSI drivers, too, but the scheduler doesn't regard them as migrated.
_UNCOUNTED_PROVISIONERS = frozenset({"kubernetes.io/azure-file", "kubernetes.io/vsphere-volume"})


def in_tree_plugin(source: Object) -> InTreePlugin | None:
    """Return the in-tree plugin of a volume or of a persistent volume's spec, if any."""
    return next((plugin for plugin in _PLUGINS if source.get(plugin.source) is not None), None)


def migrated_volume(spec: Object, zones: str = "") -> Attachable | None:
    """Return the CSI driver and handle of an in-tree volume, or None; raises MigrationError."""
    plugin = in_tree_plugin(spec)
    if plugin is None:
        return None
    listed = zones.split(ZONES_DELIMITER) if zones else []
    return Attachable(plugin.driver, plugin.handle(spec[plugin.source], listed))


def zones_of(volume: Object) -> str:
    """Return the value of a persistent volume's beta zone label, else zone label, else ""."""
    marks = labels(volume)
    return marks.get(BETA_ZONE_LABEL) or marks.get(ZONE_LABEL) or ""


def provisioning_driver(provisioner: str) -> str:
    """Return the CSI driver of a provisioner; empty if its volumes don't count in limits."""
    if provisioner in _UNCOUNTED_PROVISIONERS:
        return ""
    return next((p.driver for p in _PLUGINS if p.name == provisioner), provisioner)


def migration_note(csi_node: Object) -> str:
    """Return the annotation of a CSINode that lists migrated in-tree plugins, joined by commas."""
    return annotations(csi_node).get("storage.alpha.kubernetes.io/migrated-plugins", "")


def migrated_affinity(volume: Object, plugin: InTreePlugin) -> Object | None:
    """Return a persistent volume's required node affinity with the labels of the CSI driver.

    Zones in the affinity are renamed; if it has none, those of the volume's zone label are added.
    None if the volume has no affinity and no such label.
    """
    required = part(spec_of(volume), "nodeAffinity").get("required")
    terms = list(entries(required or {}, "nodeSelectorTerms"))
    marks = labels(volume)
    keys = {expression.get("key") for term in terms for expression in _expressions(term)}
    # The volume uses newer or older labels; those in its affinity come first.
    zone_label, region_label = ZONE_LABEL, REGION_LABEL
    speaking = next((k for k in (keys, marks.keys()) if not k.isdisjoint(_ZONE_LABELS)), keys)
    if ZONE_LABEL not in speaking and BETA_ZONE_LABEL in speaking:
        zone_label, region_label = BETA_ZONE_LABEL, BETA_REGION_LABEL
    if _values(terms, zone_label):
        terms = _renamed(terms, zone_label, plugin.topology_key)
    elif zones := {z.strip() for z in marks.get(zone_label, "").split(ZONES_DELIMITER)} - {""}:
        extra = {"key": plugin.topology_key, "operator": "In", "values": sorted(zones)}
        terms = [
            {**term, "matchExpressions": [*_expressions(term), extra]} for term in terms or [{}]
        ]
        required = required or {}
    if region_label == BETA_REGION_LABEL and _values(terms, region_label):
        terms = _renamed(terms, region_label, REGION_LABEL)
    return None if required is None else {**required, "nodeSelectorTerms": terms}


def _values(terms: Iterable[Object], label: str) -> bool:
    return any(
        expression.get("values")
        for term in terms
        for expression in _expressions(term)
        if expression.get("key") == label
    )


def _renamed(terms: Iterable[Object], old: str, new: str) -> list[Object]:
    return [
        {
            **term,
            "matchExpressions": [
                {**expression, "key": new} if expression.get("key") == old else expression
                for expression in _expressions(term)
            ],
        }
        for term in terms
    ]


def _expressions(term: Object) -> list[Object]:
    return list(entries(term, "matchExpressions"))
