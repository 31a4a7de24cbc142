"""Where objects are that don't say."""

from collections.abc import Sequence

from podium.api.objects import DEFAULT_NAMESPACE


def usual_namespace(
    state: Sequence[object] | None, kubeconfig: str | None, context: str | None
) -> str:
    """The namespace that the context has, where a running cluster is read, or else `default`.

    Args:
        state: files that are read instead.
    """
    if state:
        return DEFAULT_NAMESPACE
    # Imported when it is called, so that help, completion and the library start at once.
    from podium.cluster.client.kubeconfig_contexts import namespace_of

    return namespace_of(kubeconfig, context) or DEFAULT_NAMESPACE
