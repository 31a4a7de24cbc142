"""Pseudonyms for the texts of a cluster state, with which all decisions stay the same.

Texts are split at punctuation, and a word has the same pseudonym everywhere, so that selectors and
references still match. Pseudonyms sort like the words, as names break ties. Words that identify
nothing are kept, such as the ordinals of StatefulSets, by which controllers recognise their pods.
CEL expressions about devices are kept too, with all words that are in them, and the values of the
attributes that they read.
"""

import re
from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import product
from typing import Any

from podium.api.cel.compiler import CompileError
from podium.api.cel.device_selectors import device_selector
from podium.api.kinds.builtin_kinds import KINDS
from podium.api.objects import Object, controller_of, entries, metadata_of, name, part, spec_of

_WORDS = re.compile(r"[A-Za-z0-9_]+")
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_NUMBER = re.compile(r"-?\d+")
_TIME = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+Z")
_REASON = re.compile(r"[A-Z][A-Za-z]*")
_WELL_KNOWN = re.compile(r"(?:[a-z0-9-]+\.)*(?:kubernetes\.io|k8s\.io|podium\.dev)/\S*")
_PODIUMS = "podium.dev/"

_KEPT_WORDS = frozenset(
    {
        *("a", "default", "kube", "kubernetes", "system", "node", "public", "lease"),
        *("cluster", "critical"),
        *("true", "false", "linux", "windows", "amd64", "arm64", "latest"),
    }
)
_BARE_KEYS = frozenset(
    {
        *("pod-template-hash", "pod-template-generation", "controller-revision-hash"),
        *("controller-uid", "job-name", "metadata.name", "metadata.namespace"),
    }
)
"""Kubernetes' own keys of labels and fields that have no prefix."""

_LABELS = frozenset({"labels", "matchLabels", "nodeSelector", "annotations"})
_KEYS = frozenset({"key", "topologyKey", "matchLabelKeys", "mismatchLabelKeys", "topologyKeys"})
_QUALIFIED = frozenset({"matchAttribute", "distinctAttribute"})
"""Fields with the name of an attribute of devices, whose domain may be that of a driver."""
_MEASURED = frozenset({"capacity", "counters"})
"""Fields with amounts of devices, by their names, each as an object with a value."""

_AMOUNTS = frozenset(
    {
        *("requests", "limits", "capacity", "allocatable", "hard", "used", "overhead", "podFixed"),
        *("default", "defaultRequest", "max", "min", "maxLimitRequestRatio"),
        *("allocatedResources", "sizeLimit", "maximumVolumeSize"),
        *("consumedCapacity", "step", "validValues"),
    }
)
"""Fields with amounts, by resource or plain."""

_KEPT = frozenset(
    {
        *("apiVersion", "kind", "resourceVersion", "phase", "type", "status", "operator", "effect"),
        *("whenUnsatisfiable", "nodeAffinityPolicy", "nodeTaintsPolicy", "restartPolicy"),
        *("dnsPolicy", "protocol", "accessModes", "volumeMode", "persistentVolumeReclaimPolicy"),
        *("reclaimPolicy", "volumeBindingMode", "imagePullPolicy", "preemptionPolicy"),
        *("schedulerName", "qosClass", "completionMode", "concurrencyPolicy", "schedule"),
        *("timeZone", "podManagementPolicy", "whenDeleted", "whenScaled", "scopes", "scopeName"),
        *("unhealthyPodEvictionPolicy", "podReplacementPolicy", "maxUnavailable", "minAvailable"),
        *("maxSurge", "medium", "sessionAffinity", "ipFamilyPolicy", "ipFamilies", "expression"),
        *("internalTrafficPolicy", "externalTrafficPolicy", "apiGroup", "allocationMode"),
        *("volumeLifecycleModes", "fsGroupPolicy", "resizePolicy", "action", "deletionPolicy"),
        *("extendedResourceName", "desiredConsistency", "metricName", "averageUtilization"),
        *("selectPolicy", "policy", "terminationMessagePolicy", "resourceName", "pullPolicy"),
        *("cachingMode", "trafficDistribution", "declaredFeatures", "version", "shareID"),
        *("bindingConditions", "bindingFailureConditions", "resource"),
    }
)
"""Fields with Kubernetes' own words, and names of schedulers."""

_DROPPED = frozenset(
    {
        *("env", "envFrom", "command", "args", "lifecycle", "livenessProbe", "readinessProbe"),
        *("startupProbe", "workingDir", "volumeMounts", "volumeDevices", "securityContext"),
        *("message", "podIP", "podIPs", "hostIPs", "addresses", "nodeInfo", "managedFields"),
        *("clusterIP", "clusterIPs", "loadBalancer", "loadBalancerIP", "loadBalancerClass"),
        *("externalIPs", "externalName", "loadBalancerSourceRanges", "providerID", "podCIDR"),
        *("podCIDRs", "volumesInUse", "volumesAttached", "imageID", "containerID", "selfLink"),
        *("hostAliases", "dnsConfig", "imagePullSecrets", "daemonEndpoints", "config", "data"),
        *("description", "parameters", "volumeAttributes", "mountOptions", "attachmentMetadata"),
        *("nodeStageSecretRef", "nodePublishSecretRef", "controllerPublishSecretRef"),
        *("controllerExpandSecretRef", "nodeExpandSecretRef", "terminationMessagePath"),
        *("tokenRequests", "features", "runtimeHandlers", "items", "networkData"),
    }
)
"""Fields on which no decision depends."""


class Anonymizer:
    """Replaces the texts of objects by pseudonyms."""

    def __init__(self, objects: Iterable[Object]) -> None:
        objects = [*objects]
        parts = [*_mappings(objects)]
        bounded = (part for part in parts if part.get("operator") in ("Gt", "Lt") and "key" in part)
        self._compared = {str(part["key"]) for part in bounded}
        selectors = (part["cel"] for part in parts if isinstance(part.get("cel"), Mapping))
        expressions = {str(selector.get("expression") or "") for selector in selectors}
        self._read = _read_names(expressions)
        self._uids: dict[str, str] = {}
        self._pseudonyms: Mapping[str, str] | None = None
        self._words: set[str] = set()
        for obj in objects:
            metadata = metadata_of(obj)
            for one in (metadata, *entries(metadata, "ownerReferences")):
                uid = str(one.get("uid") or "")
                if uid:
                    number = len(self._uids) + 1
                    self._uids.setdefault(uid, f"00000000-0000-4000-8000-{number:012}")
            self._object(obj)
        kept = {*_KEPT_WORDS, *_ordinals(objects), *_WORDS.findall(" ".join(expressions))}
        # Names of resources contain those of DeviceClasses.
        classes = (name(obj) for obj in objects if obj.get("kind") == "DeviceClass")
        kept.update(word for class_ in classes for word in _WORDS.findall(class_))
        self._pseudonyms = pseudonyms(self._words, kept)

    def anonymized(self, obj: Object) -> Object:
        """Return an object with pseudonyms, without the fields that no decision depends on."""
        hidden: Object = self._object(obj)
        return hidden

    def text(self, text: str) -> str:
        """Return a text with its words replaced by pseudonyms."""
        if text in self._uids:
            return self._uids[text]
        if _WELL_KNOWN.fullmatch(text) or _TIME.fullmatch(text):
            return text
        if self._pseudonyms is None:
            self._words.update(_WORDS.findall(text))
            return text
        pseudonyms = self._pseudonyms
        return _WORDS.sub(lambda word: pseudonyms[word.group()], text)

    def _object(self, value: Any, field: str = "") -> Any:
        if isinstance(value, str):
            if field in _KEPT or field in _AMOUNTS:
                return value
            if field == "reason" and _REASON.fullmatch(value):
                return value
            if field in _QUALIFIED:
                return self._qualified(value)
            return self._key(value) if field in _KEYS else self.text(value)
        if isinstance(value, list | tuple):
            if field == "requests":
                # Of devices, which have names.
                return [self._object(one) for one in value]
            return [self._object(one, field) for one in value]
        if not isinstance(value, Mapping):
            return value
        is_plain = all(isinstance(one, str) for one in value.values())
        if is_plain and (field in _LABELS or field == "selector"):
            return dict(self._labels(value, field))
        if field in _AMOUNTS and not any(isinstance(one, Mapping | list) for one in value.values()):
            return dict(value)
        if field in _MEASURED and all("value" in one for one in value.values()):
            return dict(value)
        if field == "attributes":
            return {self._qualified(one): self._attribute(one, value[one]) for one in value}
        if field == "disruptedPods":
            return {self.text(pod): since for pod, since in value.items()}
        if field == "ownerReferences":
            kind = KINDS.get(str(value.get("kind")))
            group = str(value.get("apiVersion")).rpartition("/")[0]
            if kind is None or kind.group != group:
                value = {**value, "apiVersion": "example.com/v1", "kind": "Owner"}
        return {
            one: self._field(one, value)
            for one in value
            if not (one in _DROPPED or (one == "hostIP" and "containerPort" not in value))
        }

    def _field(self, field: str, of: Mapping[str, Any]) -> Any:
        if field == "values" and of.get("operator") in ("Gt", "Lt"):
            return of[field]
        if field in ("values", "value") and of.get("key") in self._compared:
            return of[field]
        return self._object(of[field], field)

    def _labels(self, labels: Mapping[str, str], field: str) -> Iterator[tuple[str, str]]:
        for key, value in labels.items():
            is_known = _is_known(key)
            if field == "annotations" and not is_known:
                continue
            is_plain = key in self._compared or key.startswith(_PODIUMS)
            is_kept = is_plain or (is_known and _NUMBER.fullmatch(value))
            yield self._key(key), value if is_kept else self.text(value)

    def _attribute(self, attribute: str, value: Object) -> Any:
        is_read = self._read is None or attribute.rpartition("/")[2] in self._read
        return value if is_read else self._object(value)

    def _qualified(self, attribute: str) -> str:
        domain, slash, own = attribute.rpartition("/")
        return attribute if _is_known(attribute) else f"{self.text(domain)}{slash}{own}"

    def _key(self, key: str) -> str:
        return key if _is_known(key) else self.text(key)


def pseudonyms(words: Iterable[str], kept: Collection[str]) -> dict[str, str]:
    """Return distinct pseudonyms for words but those `kept`, in the words' alphabetical order."""
    # Nothing sorts between a word and the same with a 0, so `10` is kept for `1` and `100`.
    tens = {word[: place + 1] for word in kept for place, one in enumerate(word) if one == "0"}
    fixed = sorted({*kept, *tens})
    unknown = sorted({*words} - {*fixed})
    width = 1
    while len(_LETTERS) ** width < len(unknown):
        width += 1
    heads = ["", *map(_between, fixed, [*fixed[1:], ""])]
    names = {word: word for word in fixed}
    # All combinations of so many letters, in alphabetical order.
    tails = map("".join, product(_LETTERS, repeat=width))
    for word, tail in zip(unknown, tails, strict=False):
        names[word] = heads[bisect_right(fixed, word)] + tail
    return names


def _between(low: str, high: str) -> str:
    """Return the shortest prefix that sorts between two kept words; no limit if `high` is empty."""
    for place, letter in enumerate(low):
        # Names of most objects are in lower case.
        above = "a" if "@" <= letter < "Z" else chr(ord(letter) + 1)
        head = low[:place] + above
        if head.isalnum() and (not high or (head < high and not high.startswith(head))):
            return head
    return f"{low}0"


def _is_known(key: str) -> bool:
    return key in _BARE_KEYS or _WELL_KNOWN.fullmatch(key) is not None


def _mappings(value: Any) -> Iterator[Object]:
    """Yield all mappings in a value, at any level."""
    if isinstance(value, Mapping):
        yield value
        value = value.values()
    elif not isinstance(value, list | tuple):
        return
    for one in value:
        yield from _mappings(one)


def _read_names(expressions: Iterable[str]) -> frozenset[str] | None:
    """Return the names of the attributes that selectors read; None if these may be all."""
    names = set()
    for expression in expressions:
        try:
            reads = device_selector(expression).reads
        except CompileError:
            # It never selects a device.
            continue
        if reads is None:
            return None
        names |= {read[-1] for read in reads}
    return frozenset(names)


def _ordinals(objects: Iterable[Object]) -> Iterator[str]:
    most = 0
    for obj in objects:
        owner = controller_of(obj) or {}
        if obj.get("kind") == "StatefulSet":
            start = part(spec_of(obj), "ordinals").get("start") or 0
            most = max(most, start + (spec_of(obj).get("replicas") or 1))
        elif owner.get("kind") == "StatefulSet" or obj.get("kind") == "PersistentVolumeClaim":
            ordinal = name(obj).rpartition("-")[2]
            if ordinal.isdecimal() and len(ordinal) < 5:
                most = max(most, int(ordinal))
    return (str(number) for number in range(most + 1))
