"""The columns of ConfigMap, Secret and ServiceAccount."""

from podium.api.objects import Object
from podium.apiserver.tables.columns import AGE, NAME, Column, count, text


def _entries(config_map: Object, _now_s: float) -> int:
    return len(config_map.get("data") or ()) + len(config_map.get("binaryData") or ())


CONFIG_MAP = (NAME, Column("Data", _entries, "Number of entries."), AGE)

SECRET = (
    NAME,
    Column("Type", text("type"), "What is in it."),
    Column("Data", count("data"), "Number of entries."),
    AGE,
)

SERVICE_ACCOUNT = (NAME, Column("Secrets", count("secrets"), "Number of secrets."), AGE)
