"""Answers: reports that show themselves in notebooks, and become tables, texts and plain values."""

from collections.abc import Mapping, Sequence
from dataclasses import fields
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


class FrameError(PodiumError):
    """There is no such table in an answer, or nothing to make tables with."""


class Answer:
    """What a question came to: one of the reports that `-o json` prints, with all its fields.

    Attributes:
        rows: which of its lists `to_pandas` makes a table of unless another one is named.
        presented_by: the function that makes a presentation of it, with its module.
        printed_by: makes what is printed on a terminal, given whether it may be `wide`; the
            presentation itself is if there is none.
        warns: the formats that its `warnings` aren't in; they are printed beside these.
    """

    __slots__ = ()
    rows: ClassVar[str]
    presented_by: ClassVar[str]
    printed_by: ClassVar[str] = ""
    warns: ClassVar[tuple[str, ...]] = ()

    @classmethod
    def of(cls, report: Any, **more: Any) -> Self:
        """A report as an answer."""
        given = {one.name: getattr(report, one.name) for one in fields(report)}
        return cls(**given, **more)

    def presentation(self) -> Presentation:
        """What is told to people: the same as `-o markdown` and `-o html` of the command."""
        shown: Presentation = _function(self.presented_by)(self)
        return shown

    def printed(self, *, wide: bool) -> Presentation:
        """What the command prints on a terminal: as `-o table`, or as `-o wide`."""
        if not self.printed_by:
            return self.presentation()
        shown: Presentation = _function(self.printed_by)(self, wide=wide)
        return shown

    def to_dict(self) -> dict[str, Any]:
        """It as plain values, as `-o json` prints them."""
        assert isinstance(self, Report)
        kinds = (one for one in type(self).__mro__ if not issubclass(one, Answer))
        return plain(self, next(one for one in kinds if issubclass(one, Report)))

    def values(self) -> Any:
        """What `-o json` and `-o yaml` print."""
        return self.to_dict()

    def ci_report(self) -> CiReport:
        """What `-o sarif` and `-o junit` print, of questions that have these formats."""
        raise NotImplementedError

    def written(self, output: str) -> str | bytes | None:
        """It in a format that only this answer has; None to have it written as all are."""
        return None

    def to_pandas(self, rows: str = "") -> Any:
        """A table of one of its lists, as a `pandas.DataFrame`.

        Args:
            rows: which list, by its name in JSON, such as `pending`; with dots for a list in each
                row of another one, such as `preemptions.victims`, which then has the fields of
                that row, too.

        Raises:
            FrameError: there is no such list, or pandas isn't installed.
        """
        return frame(rows_of(self.to_dict(), rows or self.rows))

    def to_markdown(self) -> str:
        """It as Markdown, for a comment."""
        return to_markdown(self.presentation())

    def to_html(self) -> str:
        """It as one HTML file that needs nothing else."""
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


def frame(rows: Sequence[Mapping[str, Any]]) -> Any:
    """Rows as a `pandas.DataFrame`; raises FrameError where there is no pandas."""
    try:
        pandas: Any = import_module("pandas")
    except ImportError:
        raise FrameError(_LACKS_PANDAS) from None
    return pandas.json_normalize([*rows])


def rows_of(report: Mapping[str, Any], path: str) -> list[Mapping[str, Any]]:
    """The rows of a list in a report; raises FrameError."""
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
            raise FrameError(f"{path}: there is no list {part}; lists are {names}")
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
