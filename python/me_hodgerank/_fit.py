"""Votes in a frame, a fit out: without a database."""

from __future__ import annotations

import collections
import contextlib
import enum
import json
import math
import os
import warnings
from pathlib import Path
from typing import Any, Callable, Iterator, NoReturn, Protocol, Union

from . import _native
from ._drawings import Drawing
from ._errors import OptionError
from ._table import Table


class ArrowStream(Protocol):
    """A frame of polars, pandas or pyarrow, a relation of DuckDB, or a `Table`."""

    def __arrow_c_stream__(self, requested_schema: object = None) -> object: ...


class ArrowArray(Protocol):
    """A batch of pyarrow."""

    def __arrow_c_array__(self, requested_schema: object = None) -> object: ...


Frame = Union[ArrowStream, ArrowArray]
Progress = Union[Callable[[float], object], bool, None]


class Usual(enum.Enum):
    """In place of a column's name: one of the names that such a column usually has."""

    usual = "usual"

    def __repr__(self) -> str:
        return "usual"


Name = Union[str, None, Usual]


class Fit:
    """A fitted model. `me_hodgerank.fit`, `Fit.load` and `Fit.from_bytes` make one.

    Each result set is a `Table`, with the same rows and columns as the SQL function of that
    name. A notebook shows the ranking and how many annotators have which verdict.

        >>> import me_hodgerank
        >>> votes = me_hodgerank.simulate(annotators=40, items=4, seed=7)
        >>> fit = me_hodgerank.fit(votes)
        >>> fit
        <me_hodgerank.Fit: 2400 votes of 40 annotators on 4 items>
        ranking: 2, 1, 3, 4
        verdicts: 31 ok, 3 own taste, 2 against the consensus, 2 clicks right, 2 clicks left
    """

    __slots__ = ("_native", "_columns")

    def __init__(self, native: _native.Fit, columns: dict[str, Any]) -> None:
        self._native, self._columns = native, columns

    def ranking(self) -> Table:
        """The consensus: one row an item, the best first.

        >>> import me_hodgerank
        >>> fit = me_hodgerank.fit(me_hodgerank.simulate(annotators=40, items=4, seed=7))
        >>> fit.ranking()["item"]
        [2, 1, 3, 4]
        """
        return self._table("ranking")

    def annotators(self) -> Table:
        """Who is biased and who deviates: one row an annotator, with a verdict and its evidence.

        >>> import me_hodgerank
        >>> fit = me_hodgerank.fit(me_hodgerank.simulate(annotators=40, items=4, seed=7))
        >>> [row["annotator"] for row in fit.annotators() if row["is_adversarial"]]
        [15, 40]
        """
        return self._table("annotators")

    def personal(self) -> Table:
        """The rankings of those who deviate: one row an annotator and item."""
        return self._table("personal")

    def path(self) -> Table:
        """The regularisation path: one row for each time, effect, and item or annotator."""
        return self._table("path")

    def cv(self) -> Table:
        """The cross-validation curve: one row a grid time."""
        return self._table("cv")

    def summary(self) -> Table:
        """One row about the fit.

        >>> import me_hodgerank
        >>> fit = me_hodgerank.fit(me_hodgerank.simulate(annotators=40, items=4, seed=7))
        >>> fit.summary()[0]["annotators"]
        40
        """
        return self._table("summary")

    def cycles(self) -> Table:
        """What the ranking leaves unexplained: one row a compared pair."""
        return self._table("cycles")

    def triangles(self) -> Table:
        """The worst triangles: three items that beat each other in a circle."""
        return self._table("triangles")

    def compare(self, top: int | None = None) -> Table:
        """Head to head: one row a pair of the `top` best items, 50 unless you say.

        >>> import me_hodgerank
        >>> fit = me_hodgerank.fit(me_hodgerank.simulate(annotators=40, items=4, seed=7))
        >>> len(fit.compare(top=3))
        3
        """
        return self._table("compare", top=top)

    def next(
        self,
        n: int | None = None,
        candidates: Frame | None = None,
        *,
        left: str | None = None,
        right: str | None = None,
    ) -> Table:
        """The `n` pairs worth asking next, 20 unless you say, among all or among `candidates`.

        Candidates are a frame with columns left and right, or those that are named here; unless
        they are, the names are those of the fitted votes.

        >>> import me_hodgerank
        >>> fit = me_hodgerank.fit(me_hodgerank.simulate(annotators=40, items=4, seed=7))
        >>> len(fit.next(2))
        2
        """
        return self._table("next", candidates, _json(self._columns, left=left, right=right), n=n)

    def predict(
        self, votes: Frame, *, annotator: Name = Usual.usual, left: str | None = None, right: str | None = None
    ) -> Table:
        """The rows of a frame, with the predicted votes beside them.

        `predicted` is positive for the left item, `predicted_hodgerank` knows no annotators, and
        `win_probability` is that of the left item. The columns that are read have the names that
        the fitted votes had, or those that are named here. A model that was loaded knows no names.

        >>> import me_hodgerank
        >>> votes = me_hodgerank.simulate(annotators=40, items=4, seed=7)
        >>> predicted = me_hodgerank.fit(votes).predict(votes)
        >>> predicted.columns[-3:], len(predicted)
        (['predicted', 'predicted_hodgerank', 'win_probability'], 2400)
        """
        named = {} if isinstance(annotator, Usual) else {"annotator": annotator}
        columns = _json({**self._columns, **named}, left=left, right=right)
        return Table(self._native.predict(votes, columns))

    def plot(self, kind: str = "ranking") -> Drawing:
        """A picture: "ranking", "path_position_bias", "path_deviation", "cv", "jump_out", "personal" or "matrix".

        >>> import me_hodgerank
        >>> fit = me_hodgerank.fit(me_hodgerank.simulate(annotators=40, items=4, seed=7))
        >>> fit.plot("cv").save("cv.svg").name
        'cv.svg'
        """
        return Drawing(self._native.plot(kind), kind)

    def report(self, title: str | None = None, date: str | None = None) -> Drawing:
        """The report, a page of HTML. The date is text: what is to stand there.

        >>> import me_hodgerank
        >>> fit = me_hodgerank.fit(me_hodgerank.simulate(annotators=40, items=4, seed=7))
        >>> "<h1>Soft drinks</h1>" in str(fit.report(title="Soft drinks"))
        True
        """
        return Drawing(self._native.report(_json({}, title=title, date=date)), "report")

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Writes the model to a file. `Fit.load` reads it.

        >>> import me_hodgerank
        >>> fit = me_hodgerank.fit(me_hodgerank.simulate(annotators=40, items=4, seed=7))
        >>> me_hodgerank.Fit.load(fit.save("drinks.model")).ranking()["item"]
        [2, 1, 3, 4]
        """
        file = Path(path)
        file.write_bytes(self.to_bytes())
        return file

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Fit:
        """The model that `save` wrote, or that an SQL function stored."""
        return cls.from_bytes(Path(path).read_bytes())

    def to_bytes(self) -> bytes:
        """The model as bytes: those that me_hodgerank_model returns for the same votes in SQL."""
        return self._native.to_bytes()

    @classmethod
    def from_bytes(cls, data: bytes | bytearray | memoryview) -> Fit:
        """The model of `to_bytes`, or of me_hodgerank_model in DuckDB or SQLite.

        >>> import me_hodgerank
        >>> fit = me_hodgerank.fit(me_hodgerank.simulate(annotators=40, items=4, seed=7))
        >>> me_hodgerank.Fit.from_bytes(fit.to_bytes()).to_bytes() == fit.to_bytes()
        True
        """
        return cls(_native.Fit.from_bytes(bytes(data)), {})

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickled, (self.to_bytes(), self._columns)

    def __repr__(self) -> str:
        lines = [f"<me_hodgerank.Fit: {self._native.in_words()}>"]
        if self._native.has("ranking"):
            items = [str(item) for item in self.ranking()["item"]]
            lines.append("ranking: " + ", ".join(items[:10]) + (", …" if len(items) > 10 else ""))
        else:
            lines.append("no time was chosen: the path alone is known")
        if self._native.has("annotators"):
            verdicts = collections.Counter(self.annotators()["verdict"]).most_common()
            lines.append("verdicts: " + ", ".join(f"{count} {verdict}" for verdict, count in verdicts))
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        return self._native.overview()

    def _table(self, name: str, candidates: Frame | None = None, columns: str = "{}", **arguments: Any) -> Table:
        return Table(self._native.table(name, _json({}, **arguments), candidates, columns))


def fit(
    votes: Frame,
    *,
    annotator: Name = Usual.usual,
    left: str | None = None,
    right: str | None = None,
    choice: str | None = None,
    weight: str | None = None,
    fold: str | None = None,
    kappa: float | None = None,
    alpha: float | None = None,
    grid_points: int | None = None,
    grid_span: float | None = None,
    folds: int | None = None,
    seed: int | None = None,
    t: float | None = None,
    position_bias: bool | None = None,
    personal: bool | None = None,
    loss: str | None = None,
    ridge: float | None = None,
    theta_update: str | None = None,
    pair_model: str | None = None,
    fdr: float | None = None,
    bias_test: str | None = None,
    on_bad_row: str | None = None,
    max_seconds: float | None = None,
    threads: int | None = None,
    progress: Progress = None,
    **unknown: NoReturn,
) -> Fit:
    """Fits the votes of a frame.

    `votes` is anything that speaks Arrow's PyCapsule interface: a frame of polars or pandas
    (2.2 or later), a table, batch or reader of pyarrow, a relation of DuckDB, or a `Table`.
    Its columns are called annotator, left, right and choice, or have other usual names, or
    those that are named here. `annotator=None` says that nobody knows who voted.

        >>> import me_hodgerank
        >>> votes = me_hodgerank.simulate(annotators=40, items=4, seed=7)
        >>> me_hodgerank.fit(votes, kappa=10).ranking()["item"]
        [2, 1, 3, 4]
        >>> me_hodgerank.fit(votes, kapa=10)
        Traceback (most recent call last):
        ...
        me_hodgerank.OptionError: unknown option "kapa"; did you mean "kappa"? The options are: ...

    The options are those of the SQL functions, and None is their default. `threads` limits the
    threads, and no answer depends on it. `progress` is a function that is called with numbers
    from 0 to 1, or True for a bar of tqdm. Ctrl-C stops a fit.

        >>> shares = []
        >>> _ = me_hodgerank.fit(votes, progress=shares.append)
        >>> shares == sorted(shares), shares[-1]
        (True, 1.0)
    """
    options = {
        "kappa": kappa, "alpha": alpha, "grid_points": grid_points, "grid_span": grid_span, "folds": folds,
        "seed": seed, "t": t, "position_bias": position_bias, "personal": personal, "loss": loss, "ridge": ridge,
        "theta_update": theta_update, "pair_model": pair_model, "fdr": fdr, "bias_test": bias_test,
        "on_bad_row": on_bad_row, "max_seconds": max_seconds, "weight": weight, "fold": fold, **unknown,
    }  # fmt: skip
    columns = _columns(annotator, left, right, choice)
    _check_whole("threads", threads)
    with _told(progress) as tell:
        return Fit(_native.fit(votes, _json(columns, **options), threads, tell), columns)


def simulate(
    *,
    annotators: int | None = None,
    items: int | None = None,
    votes_each: int | None = None,
    careless: float | None = None,
    adversarial: float | None = None,
    personal: float | None = None,
    ties: float | None = None,
    graded: bool | None = None,
    seed: int | None = None,
    **unknown: NoReturn,
) -> Table:
    """Votes with a known truth, the same ones as me_hodgerank_simulate gives in SQL.

    >>> import me_hodgerank
    >>> votes = me_hodgerank.simulate(annotators=3, items=4, votes_each=2, seed=7)
    >>> len(votes), votes.columns[:5]
    (6, ['annotator', 'left', 'right', 'choice', 'annotator_kind'])
    """
    options = {
        "annotators": annotators, "items": items, "votes_each": votes_each, "careless": careless,
        "adversarial": adversarial, "personal": personal, "ties": ties, "graded": graded, "seed": seed, **unknown,
    }  # fmt: skip
    return Table(_native.simulate(_json({}, **options)))


def _columns(annotator: Name, left: str | None, right: str | None, choice: str | None) -> dict[str, Any]:
    """The columns that are named. None, for annotators, says that nobody knows who voted."""
    columns = {"left": left, "right": right, "choice": choice}
    named: dict[str, Any] = {name: value for name, value in columns.items() if value is not None}
    return named if isinstance(annotator, Usual) else {**named, "annotator": annotator}


def _check_whole(name: str, value: Any) -> None:
    """Refuses what is neither None nor a positive whole number."""
    if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 1):
        raise OptionError(f"{name} must be a whole number, 1 or greater, not {value!r}")


def _unpickled(data: bytes, columns: dict[str, Any]) -> Fit:
    return Fit(_native.Fit.from_bytes(data), columns)


def _json(given: dict[str, Any], **options: Any) -> str:
    """What was given, and the options that are not None."""
    chosen = {name: value for name, value in options.items() if value is not None}
    return json.dumps({name: _value(value) for name, value in {**given, **chosen}.items()})


def _value(value: Any) -> Any:
    """A value for JSON. What JSON cannot express becomes a text, which the options refuse."""
    if hasattr(value, "item") and not isinstance(value, (str, int, float)):
        value = value.item()  # a number of numpy
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value if value is None or isinstance(value, (str, int, float)) else repr(value)


@contextlib.contextmanager
def _told(progress: Progress) -> Iterator[Callable[[float], object] | None]:
    """Whom to tell of the progress: a function, a bar of tqdm, or nobody."""
    if progress is None or isinstance(progress, bool):
        with _bar() if progress else contextlib.nullcontext() as bar:
            yield bar and (lambda share: bar.update(100 * share - bar.n))
    elif callable(progress):
        yield progress
    else:
        raise TypeError(f"progress must be a function, True or None, not {progress!r}")


def _bar() -> contextlib.AbstractContextManager[Any]:
    try:
        from tqdm.auto import tqdm  # type: ignore[import-untyped,unused-ignore]
    except ModuleNotFoundError:
        # Said of the line that calls `fit`.
        warnings.warn("progress=True shows a bar of tqdm, which is not installed: pip install tqdm", stacklevel=5)
        return contextlib.nullcontext()
    bar: contextlib.AbstractContextManager[Any] = tqdm(total=100, bar_format="{l_bar}{bar}| {elapsed}<{remaining}")
    return bar
