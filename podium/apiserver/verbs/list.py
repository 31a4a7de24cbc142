"""List: what is stored, as of now or as of a version."""

from podium.api.kinds.builtin_kinds import Kind
from podium.api.refused import Cause, RefusedError
from podium.api.values.integers import parse_count
from podium.apiserver.refusals import bad_request, internal
from podium.apiserver.selection import Selection
from podium.apiserver.store.errors import ExpiredError, StoreError, TooLargeResourceVersionError
from podium.apiserver.store.kind_index import Page
from podium.apiserver.store.store import Store
from podium.apiserver.verbs.verb_options import ListOptions

_ANY = ("", "0")


def list_objects(
    store: Store, kind: Kind, namespace: str, selection: Selection, options: ListOptions
) -> Page:
    """Objects by namespace and name, in the state that is asked for."""
    try:
        return store.list(
            kind.key,
            namespace or None,
            limit=max(options.limit, 0),
            continue_token=options.continue_token,
            at_revision=_revision(store, options),
            matches=None if selection.is_everything else selection.matches,
        )
    except StoreError as error:
        raise refusal_of(error) from None


def parse_version(text: str) -> int:
    """The number of a resourceVersion; raises RefusedError: 500, as upstream does."""
    version = parse_count(text)
    if version is None:
        raise internal(_no_version(text))
    return version


def _no_version(text: str) -> str:
    return f'resourceVersion: Invalid value: "{text}": {version_fault(text)}'


def version_fault(text: str) -> str:
    """Why a text isn't a resourceVersion."""
    is_number = text.isascii() and text.isdecimal()
    why = "value out of range" if is_number else "invalid syntax"
    return f'strconv.ParseUint: parsing "{text}": {why}'


def refusal_of(error: StoreError) -> RefusedError:
    """410: the history doesn't reach back; 504: no such version yet; or 400: no continue token."""
    match error:
        case ExpiredError():
            metadata = {"continue": error.continue_token} if error.continue_token else {}
            return RefusedError(410, "Expired", str(error), metadata=metadata)
        case TooLargeResourceVersionError():
            cause = Cause("ResourceVersionTooLarge", "Too large resource version")
            return RefusedError(504, "Timeout", str(error), causes=(cause,), retry_after_s=1)
    return bad_request(str(error))


def _revision(store: Store, options: ListOptions) -> int | None:
    if options.continue_token or options.resource_version in _ANY:
        return None
    revision = parse_count(options.resource_version)
    if revision is None:
        # Of a list, unlike of an object or a watch, this is said to be the client's fault.
        raise bad_request(f"invalid resource version: {_no_version(options.resource_version)}")
    # The conventions of a time before there was a match to be asked for.
    match = options.resource_version_match
    if match == "Exact" or (not match and options.limit > 0):
        return revision
    if revision > store.revision:
        raise refusal_of(TooLargeResourceVersionError(revision, store.revision))
    return None
