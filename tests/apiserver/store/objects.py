"""Objects to store; the store doesn't look into them beyond their metadata."""

from typing import Any


def made(name: str, namespace: str = "", **content: Any) -> dict[str, Any]:
    metadata = {"name": name, "namespace": namespace} if namespace else {"name": name}
    return {"metadata": metadata, **content}


def version(obj: Any) -> str:
    return str(obj["metadata"]["resourceVersion"])


def names(objects: Any) -> list[str]:
    return [obj["metadata"]["name"] for obj in objects]
