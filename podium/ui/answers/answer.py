"""The base of answers: reports that convert to presentations, tables, texts and plain values."""

from collections.abc import Mapping, Sequence
from dataclasses import fields
from functools import cache
from importlib import import_module
from typing import Any, ClassVar, Self

from podium.api.documents.report import Report, plain
from podium.api.errors import PodiumError
from podium.api.presentation import Presentation
from podium.ui.writers.ci_reports import CiReport
from podium.ui.writers.html import to_html, to_html_fragment
from podium.ui.writers.markdown import to_markdown

_LACKS_PANDAS = (
    "to_pandas() needs pandas, which an extra brings along: pip install 'podium[pandas]'"
)


class Answer:
    """The report that answers a question, with all fields that `-o json` prints."""

    __slots__ = ()
    rows: ClassVar[str]
    """Name of the list that `to_pandas` converts by default."""
    presented_by: ClassVar[str]
    """`module:name` of the function that makes the presentation."""
    printed_by: ClassVar[str] = ""
    """As `presented_by`, with a keyword `wide`, for the presentation on a terminal; empty to use
    `presented_by`."""
    warns: ClassVar[tuple[str, ...]] = ()
    """Output formats without `warnings`; these are then printed to standard error."""

    @classmethod
    def of(cls, report: Any, **more: Any) -> Self:
        """Make an answer from a report and additional fields."""
        given = {field.name: getattr(report, field.name) for field in fields(report)}
        return cls(**given, **more)

    def presentation(self) -> Presentation:
        """Return the presentation that `-o markdown` and `-o html` write."""
        shown: Presentation = _function(self.presented_by)(self)
        return shown

    def printed(self, *, wide: bool) -> Presentation:
        """Return the presentation that `-o table` or, if `wide`, `-o wide` prints."""
        if not self.printed_by:
            return self.presentation()
        shown: Presentation = _function(self.printed_by)(self, wide=wide)
        return shown

    def to_dict(self) -> dict[str, Any]:
        """Convert the answer to plain values."""
        assert isinstance(self, Report)
        return plain(self, self._report())

    @classmethod
    def _report(cls) -> Any:
        kinds = (kind for kind in cls.__mro__ if not issubclass(kind, Answer))
        return next((kind for kind in kinds if issubclass(kind, Report)), None)

    def values(self) -> Any:
        """Return the values that `-o json` and `-o yaml` print."""
        return self.to_dict()

    def ci_report(self) -> CiReport:
        """Make the report for `-o sarif` and `-o junit`, if the question has these formats."""
        raise NotImplementedError

    def written(self, output: str) -> str | bytes | None:
        """Write an output format in a special way; return None to write it as for all answers."""
        return None

    def to_pandas(self, rows: str = "") -> Any:
        """Convert a list of the answer to a `pandas.DataFrame`; raises PodiumError.

        Args:
            rows: name of the list in JSON, such as `pending`; `preemptions.victims` is the list in
                each row of another list, with the fields of that row.
        """
        path, report = rows or self.rows, self._report()
        found = rows_of(self.to_dict(), path)
        return frame(found, columns_of(report, path) if report else ())

    def to_markdown(self) -> str:
        """Write the answer as Markdown for a comment on a code forge."""
        return to_markdown(self.presentation())

    def to_html(self) -> str:
        """Write the answer as one self-contained HTML file."""
        return to_html(self.presentation())

    def _repr_html_(self) -> str:
        return to_html_fragment(self.presentation())

    def __repr__(self) -> str:
        shown = self.presentation()
        return f"<{shown.title}: {shown.headline}>"

    __str__ = to_markdown


def _function(name: str) -> Any:
    module, _, function = name.rpartition(".")
    return getattr(import_module(module), function)


def frame(rows: Sequence[Mapping[str, Any]], columns: Sequence[str] = ()) -> Any:
    """Convert rows to a `pandas.DataFrame`, `columns` first; raises PodiumError without pandas."""
    try:
        pandas: Any = import_module("pandas")
    except ImportError:
        raise PodiumError(_LACKS_PANDAS) from None
    table = pandas.json_normalize([*rows])
    return table.reindex(columns=[*dict.fromkeys([*columns, *table.columns])])


@cache
def columns_of(kind: Any, path: str) -> list[str]:
    """Return the columns of the list at a path such as `preemptions.victims`, by the schema."""
    # Imported when it is called, so that help, completion and the library start at once.
    from podium.api.documents.json_schema import schema_of

    schema = schema_of(kind, "")

    def resolved(part: Any) -> Any:
        part = next((one for one in part.get("anyOf", ()) if one.get("type") != "null"), part)
        return schema["$defs"][part["$ref"].rpartition("/")[2]] if "$ref" in part else part

    columns, row, parts = list[str](), schema, path.split(".")
    for depth, part in enumerate(parts):
        row = resolved(resolved(row["properties"][part])["items"])
        fields = {name: resolved(one) for name, one in row["properties"].items()}
        is_last = depth == len(parts) - 1
        columns += [
            name if is_last else f"{part}.{name}"
            for name, field in fields.items()
            if field.get("type") != "object" and (is_last or field.get("type") != "array")
        ]
    return columns


def rows_of(report: Mapping[str, Any], path: str) -> list[Mapping[str, Any]]:
    """Return the rows of the list at a path such as `preemptions.victims`; raises PodiumError."""
    found: list[Mapping[str, Any]] = [report]
    parts = path.split(".")
    for depth, part in enumerate(parts):
        lists = [
            name
            for row in found
            for name, value in row.items()
            if isinstance(value, list) and all(isinstance(one, dict) for one in value)
        ]
        if part not in lists and (found or depth == 0):
            names = ", ".join(dict.fromkeys(lists)) or "none"
            raise PodiumError(f"{path}: there is no list {part}; lists are {names}")
        rows: list[Mapping[str, Any]] = []
        for row in found:
            own = {
                name if "." in name else f"{parts[depth - 1]}.{name}": value
                for name, value in row.items()
                if depth and isinstance(value, str | int | float)
            }
            rows += [{**own, **one} for one in row.get(part) or ()]
        found = rows
    return found
