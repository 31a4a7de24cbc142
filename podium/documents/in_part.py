"""What is wrong with fields of a document together, where other fields are wrong by themselves.

The document is made again with a mark in place of each wrong field. A rule that asks for such a
field ends there, so that it says nothing of what isn't known; what other rules find is told.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, get_args, get_origin

from pydantic import BaseModel, Field, ValidationError, create_model

from podium.api.errors import FieldError

if TYPE_CHECKING:
    from podium.documents.document import Document

_Location = tuple[int | str, ...]


class WrongFieldError(Exception):
    """A rule has asked for a field that is wrong by itself."""


class _Wrong:
    """Stands for a value that is wrong."""

    def __getattr__(self, name: str) -> Any:
        raise WrongFieldError(name)


_WRONG = _Wrong()


class _InPart:
    """A document that is right but for some fields, which can't be read."""

    def __getattribute__(self, name: str) -> Any:
        found = super().__getattribute__(name)
        if found is _WRONG:
            raise WrongFieldError(name)
        return found

    def gives(self, *fields: str) -> bool:
        for field in fields:
            getattr(self, field)
        found: bool = super().gives(*fields)  # type: ignore[misc]
        return found

    def contradictions(self) -> Iterable[FieldError]:
        return ()

    @classmethod
    def faults_as_written(cls, _value: Mapping[str, Any]) -> Iterable[FieldError]:
        return ()


def contradictions_in_part(
    kind: "type[Document]",
    value: Mapping[str, Any],
    error: ValidationError,
    context: Mapping[str, Any] | None,
) -> list[FieldError]:
    """The contradictions between fields that are right by themselves.

    Args:
        kind: the type of the document.
        value: the document as it was written.
        error: what is wrong with single fields.
        context: what checks of fields look up.
    """
    if issubclass(kind, _InPart):
        return []
    locations = [one["loc"] for one in error.errors(include_url=False)]
    found = _in_part(kind, value, locations, context)
    try:
        return [*_until_wrong(iter(kind.contradictions(found)))]
    except WrongFieldError:
        return []


def _until_wrong(faults: Iterator[FieldError]) -> Iterator[FieldError]:
    """What rules find until they ask for a wrong field; a chain goes on with its next rule."""
    while True:
        try:
            yield next(faults)
        except StopIteration:
            return
        except WrongFieldError:
            continue


def _in_part(
    kind: type[BaseModel],
    value: Mapping[str, Any],
    wrong: Iterable[_Location],
    context: Mapping[str, Any] | None,
) -> Any:
    """The document with marks in place of wrong fields; a mark if it is wrong as a whole."""
    within = defaultdict[str, list[_Location]](list)
    for location in wrong:
        if not location:
            return _WRONG
        # Rules tell of a part of a field in one step, such as `shape[1].score`.
        field = str(location[0]).partition("[")[0].partition(".")[0]
        within[field].append(location[1:] if field == location[0] else ())
    names = {field.alias or name: name for name, field in kind.model_fields.items()}
    marks = {
        names[alias]: _inner(kind, names[alias], value.get(alias), locations, context)
        for alias, locations in within.items()
        if alias in names
    }
    known = {alias: one for alias, one in value.items() if alias not in within}
    # Defaults aren't checked.
    defaults: dict[str, Any] = {name: (Any, _default(mark)) for name, mark in marks.items()}
    bases: Any = (_InPart, kind)
    try:
        made: Any = create_model(kind.__name__, __base__=bases, **defaults)
        found = made.model_validate(known, context=context)
    except (ValidationError, WrongFieldError):
        return _WRONG
    found.model_fields_set.update(marks)
    return found


def _default(value: Any) -> Any:
    return Field(default_factory=lambda: value)


def _inner(
    kind: type[BaseModel],
    name: str,
    value: Any,
    wrong: Sequence[_Location],
    context: Mapping[str, Any] | None,
) -> Any:
    """A field of which something is wrong, if it is a document or a list of them."""
    inner = _document_in(kind.model_fields[name].annotation)
    if inner is None or () in wrong:
        return _WRONG
    if isinstance(value, dict):
        return _in_part(inner, value, wrong, context)
    if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
        return _WRONG
    return tuple(
        _in_part(inner, one, [at[1:] for at in wrong if at[0] == index], context)
        for index, one in enumerate(value)
    )


def _document_in(annotation: Any) -> type[BaseModel] | None:
    """The document that an annotation such as `A`, `A | None` or `Tuple[A]` is about."""
    if get_origin(annotation) is dict:
        return None
    if inner := get_args(annotation):
        return next(filter(None, map(_document_in, inner)), None)
    is_document = isinstance(annotation, type) and issubclass(annotation, BaseModel)
    return annotation if is_document else None
