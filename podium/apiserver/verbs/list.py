"""List: the stored objects, in the current state or as of a resourceVersion."""

from podium.api.kinds.builtin_kinds import Kind
from podium.api.refused import RefusedError, StatusCause
from podium.api.values.integers import parse_count
from podium.apiserver.refusals import bad_request, internal
from podium.apiserver.selection import Selection
from podium.apiserver.store.errors import ExpiredError, StoreError, TooLargeResourceVersionError
from podium.apiserver.store.kind_index import Page
from podium.apiserver.store.store import Store
from podium.apiserver.verbs.verb_options import ListOptions

ANY_VERSION = ("", "0")


def list_objects(
    store: Store, kind: Kind, namespace: str, selection: Selection, options: ListOptions
) -> Page:
    """List selected objects as of the requested resourceVersion; raises RefusedError."""
    at_revision = None
    if not options.continue_token and options.resource_version not in ANY_VERSION:
        revision = parse_count(options.resource_version)
        if revision is None:
            # For a list, unlike a get or a watch, kube-apiserver calls it the client's fault.
            fault = _not_a_version(options.resource_version)
            raise bad_request(f"invalid resource version: {fault}")
        # Without a resourceVersionMatch, a limit asks for exactly this version.
        match = options.resource_version_match
        if match == "Exact" or (not match and options.limit > 0):
            at_revision = revision
        elif revision > store.revision:
            raise refusal_of(TooLargeResourceVersionError(revision, store.revision))
    try:
        return store.list(
            kind.key,
            namespace or None,
            limit=max(options.limit, 0),
            continue_token=options.continue_token,
            at_revision=at_revision,
            matches=None if selection.is_everything else selection.matches,
        )
    except StoreError as error:
        raise refusal_of(error) from None


def parse_version(text: str) -> int:
    """Parse a resourceVersion; raises RefusedError (500, as kube-apiserver)."""
    version = parse_count(text)
    if version is None:
        raise internal(_not_a_version(text))
    return version


def _not_a_version(text: str) -> str:
    return f'resourceVersion: Invalid value: "{text}": {version_fault(text)}'


def version_fault(text: str) -> str:
    """Return Go's message on why a text isn't a resourceVersion; empty if it is one."""
    is_number = text.isascii() and text.isdecimal()
    why = "value out of range" if is_number else "invalid syntax"
    return f'strconv.ParseUint: parsing "{text}": {why}'


def refusal_of(error: StoreError) -> RefusedError:
    """Return the refusal (410, 504 or 400) for an error of the store."""
    match error:
        case ExpiredError():
            metadata = {"continue": error.continue_token} if error.continue_token else {}
            return RefusedError(410, "Expired", str(error), metadata=metadata)
        case TooLargeResourceVersionError():
            cause = StatusCause("ResourceVersionTooLarge", "Too large resource version")
            return RefusedError(504, "Timeout", str(error), causes=(cause,), retry_after_s=1)
    return bad_request(str(error))
