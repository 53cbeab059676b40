"""Tables that come out: result sets, predictions and made-up votes."""

from __future__ import annotations

import html
import importlib
from typing import TYPE_CHECKING, Any, Iterator, overload

from . import _native

if TYPE_CHECKING:
    import pandas  # type: ignore[import-not-found,import-untyped,unused-ignore]
    import polars  # type: ignore[import-not-found,unused-ignore]
    import pyarrow  # type: ignore[import-not-found,import-untyped,unused-ignore]

SHOWN_ROWS = 10
SHOWN_WIDTH = 100
SHOWN_CELL = 40


class Table:
    """Rows and columns that any library of frames takes: it speaks Arrow's PyCapsule interface.

    `polars.DataFrame(table)`, `pyarrow.table(table)` and, in DuckDB, `FROM table` take it as
    it is; `to_polars`, `to_pyarrow` and `to_pandas` do it for you. Without any of them a
    table has a length and columns, gives rows by number and columns by name, and iterates
    over rows as dictionaries.

        >>> import me_hodgerank
        >>> votes = me_hodgerank.simulate(annotators=40, items=4, seed=7)
        >>> len(votes), votes.columns[:4]
        (2400, ['annotator', 'left', 'right', 'choice'])
        >>> ranking = me_hodgerank.fit(votes).ranking()
        >>> ranking["item"]
        [2, 1, 3, 4]
        >>> ranking[0]["item"], ranking[-1]["rank"]
        (2, 4)
        >>> [row["rank"] for row in ranking if row["score"] > 0]
        [1, 2]
    """

    __slots__ = ("_native",)

    def __init__(self, native: _native.Table) -> None:
        self._native = native

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return self._native.names()

    def __len__(self) -> int:
        return len(self._native)

    @overload
    def __getitem__(self, key: str) -> list[Any]: ...

    @overload
    def __getitem__(self, key: int) -> dict[str, Any]: ...

    def __getitem__(self, key: str | int) -> list[Any] | dict[str, Any]:
        """The values of a column, by its name; or a row, by its number."""
        if isinstance(key, str):
            return self._native.values(key, 0, len(self))
        if not isinstance(key, int):
            raise TypeError(f"a column's name or a row's number, not {key!r}")
        row = key + len(self) if key < 0 else key
        if not 0 <= row < len(self):
            raise IndexError(f"row {key} of a table of {len(self)} rows")
        return {name: self._native.values(name, row, row + 1)[0] for name in self.columns}

    def __iter__(self) -> Iterator[dict[str, Any]]:
        names = self.columns
        return (dict(zip(names, row)) for row in self._tuples())

    def rows(self) -> list[tuple[Any, ...]]:
        """The rows as tuples.

        >>> import me_hodgerank
        >>> votes = me_hodgerank.simulate(annotators=40, items=4, seed=7)
        >>> [row[:2] for row in me_hodgerank.fit(votes).ranking().rows()]
        [(2, 1), (1, 2), (3, 3), (4, 4)]
        """
        return list(self._tuples())

    def to_dict(self) -> dict[str, list[Any]]:
        """The columns as lists, by their names."""
        return {name: self[name] for name in self.columns}

    def to_polars(self) -> polars.DataFrame:
        """A frame of polars."""
        frame: polars.DataFrame = _imported("polars").DataFrame(self)
        return frame

    def to_pyarrow(self) -> pyarrow.Table:
        """A table of pyarrow."""
        return _imported("pyarrow").table(self)

    def to_pandas(self) -> pandas.DataFrame:
        """A frame of pandas, by way of pyarrow."""
        _imported("pandas", "pandas pyarrow")
        return _imported("pyarrow", "pandas pyarrow").table(self).to_pandas()

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._native.__arrow_c_stream__(requested_schema)

    def __arrow_c_schema__(self) -> object:
        return self._native.__arrow_c_schema__()

    def _tuples(self, start: int = 0, end: int | None = None) -> Iterator[tuple[Any, ...]]:
        end = len(self) if end is None else end
        return zip(*(self._native.values(name, start, end) for name in self.columns))

    def _shown(self) -> list[tuple[str, list[Any]]]:
        """The first rows, by column. What Python has no value for is shown by its type."""
        shown = []
        for name in self.columns:
            try:
                shown.append((name, self._native.values(name, 0, SHOWN_ROWS)))
            except TypeError:
                shown.append((name, ["…"] * min(SHOWN_ROWS, len(self))))
        return shown

    def __repr__(self) -> str:
        more, width, lines = [], 0, [""] * (1 + min(SHOWN_ROWS, len(self)))
        for name, values in self._shown():
            cells = [name, *map(_cell, values)]
            size = max(map(len, cells))
            width += size + 2
            if width > SHOWN_WIDTH and lines[0]:
                more.append(name)
                continue
            is_text = any(isinstance(value, str) for value in values)
            cells = [cell.ljust(size) if is_text else cell.rjust(size) for cell in cells]
            lines = [f"{line}  {cell}" if line else cell for line, cell in zip(lines, cells)]
        lines = [line.rstrip() for line in lines]
        if len(self) > SHOWN_ROWS:
            lines.append(f"… {len(self)} rows")
        if more:
            lines.append(f"… and {len(more)} more columns: {', '.join(more)}")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        shown = self._shown()
        head = "".join(f"<th>{html.escape(name)}</th>" for name, _ in shown)
        rows = zip(*(values for _, values in shown))
        body = "".join(f"<tr>{''.join(map(_html_cell, row))}</tr>" for row in rows)
        more = f"<p>{len(self)} rows</p>" if len(self) > SHOWN_ROWS else ""
        table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
        return f'<div style="overflow-x:auto">{table}{more}</div>'


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.4g}"
    text = " ".join(str(value).split()) if isinstance(value, str) else str(value)
    return text if len(text) <= SHOWN_CELL else text[: SHOWN_CELL - 1] + "…"


def _html_cell(value: Any) -> str:
    side = "left" if isinstance(value, str) else "right"
    return f'<td style="text-align:{side}">{html.escape(_cell(value))}</td>'


def _imported(name: str, install: str | None = None) -> Any:
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name != name:
            raise
        raise ImportError(f"{name} is not installed: pip install {install or name}", name=name) from error
