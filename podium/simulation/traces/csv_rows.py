"""Rows of a CSV file, with errors that name file, line and column."""

import csv
import gzip
import zlib
from collections.abc import Iterator, Sequence
from io import TextIOWrapper
from pathlib import Path
from typing import BinaryIO, TextIO

import msgspec

from podium.api.errors import PodiumError
from podium.cluster.manifests.input_files import InputFileError, open_file


class ImportFileError(PodiumError):
    """A file that can't be imported; a line for everything that is wrong with it."""


class Row(msgspec.Struct, frozen=True):
    """One line of a file."""

    file: str
    line: int
    values: dict[str, str]

    def text(self, column: str) -> str:
        return self.values[column].strip()

    def number(self, column: str) -> int:
        """A whole number that isn't negative; raises ImportFileError if it isn't one."""
        text = self.text(column)
        if not text.isdecimal():
            raise self.wrong(column, "must be a whole number, 0 or more")
        return int(text)

    def time_s(self, column: str) -> int | None:
        """A time in whole seconds; None if there is none; raises ImportFileError."""
        return self.number(column) if self.text(column) else None

    def wrong(self, column: str, rule: str) -> ImportFileError:
        value = self.text(column)
        return ImportFileError(f"{self.file}, line {self.line}, column {column}: {value!r} {rule}")


def read_rows(path: str, columns: Sequence[str]) -> Iterator[Row]:
    """The rows of a CSV file, gzipped or not; columns that aren't named are passed over.

    Raises:
        ImportFileError: the file can't be read, or lacks a column.
    """
    try:
        with open_file(path) as file, _text(file, path) as text:
            reader = csv.reader(text, strict=True)
            header = next(reader, [])
            missing = [column for column in columns if column not in header]
            if missing:
                raise ImportFileError(
                    f"{path}, line 1: must have the columns {', '.join(columns)}; "
                    f"{', '.join(missing)} missing"
                )
            for values in reader:
                if len(values) != len(header):
                    raise ImportFileError(
                        f"{path}, line {reader.line_num}: has {len(values)} values for "
                        f"{len(header)} columns; is the file complete?"
                    )
                yield Row(path, reader.line_num, dict(zip(header, values, strict=True)))
    except InputFileError as error:
        raise ImportFileError(str(error)) from None
    except (OSError, EOFError, UnicodeDecodeError, csv.Error, zlib.error) as error:
        raise ImportFileError(f"{path}: {error}") from None


def _text(file: BinaryIO, path: str) -> TextIO:
    packed = gzip.GzipFile(fileobj=file) if Path(path).suffix == ".gz" else file
    return TextIOWrapper(packed, encoding="utf-8", newline="")
