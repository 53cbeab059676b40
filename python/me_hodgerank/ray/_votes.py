"""Votes in files or in a Ray Dataset, spread by annotator: each rank gets its own annotators."""

from __future__ import annotations

import glob
import os
from typing import Any, NamedTuple

import numpy  # type: ignore[import-not-found,unused-ignore]
import pyarrow  # type: ignore[import-not-found,import-untyped,unused-ignore]
import pyarrow.compute  # type: ignore[import-not-found,import-untyped,unused-ignore]
import ray  # type: ignore[import-not-found,import-untyped,unused-ignore]
import ray.data  # type: ignore[import-not-found,import-untyped,unused-ignore]

from .. import _native
from .._errors import Error, OptionError, VotesError

# So many counts are put together by one task.
COUNTS_TOGETHER = 16
CSV = (".csv", ".csv.gz")


class Blocks(NamedTuple):
    """The votes as they were read."""

    refs: list[Any]  # of Arrow tables
    annotator: str  # the column that says who voted


def read(votes: Any, options: str) -> Blocks:
    """Reads the columns that are needed. Missing columns are an error before anything is read."""
    dataset = votes if isinstance(votes, ray.data.Dataset) else _open(votes)
    schema = dataset.schema()
    if schema is None:
        raise VotesError("the dataset is empty: there are no votes")
    without_rows = pyarrow.table({name: pyarrow.nulls(0) for name in schema.names})
    columns = dict(_native.read_columns(without_rows, options))
    if "annotator" not in columns:
        raise OptionError(
            "annotator=None cannot be fitted with Ray, which spreads votes by annotator: "
            "count the votes by left, right and choice, and give the counts to me_hodgerank.fit as weights"
        )
    refs = dataset.select_columns(sorted(set(columns.values()))).to_arrow_refs()
    return Blocks(refs, columns["annotator"])


def count(blocks: Blocks, options: str) -> Any:
    """How many usable votes each annotator has: a table of annotator and votes."""
    counts = first = [_count.remote(ref, options, _native.__version__) for ref in blocks.refs]
    if not counts:
        raise VotesError("the dataset is empty: there are no votes")
    while len(counts) > 1:
        starts = range(0, len(counts), COUNTS_TOGETHER)
        counts = [_add_counts.remote(*counts[start : start + COUNTS_TOGETHER]) for start in starts]
    try:
        return ray.get(counts[0])
    except ray.exceptions.RayTaskError as error:
        # Of several wrong blocks the first one is named, whichever task ended first.
        for ref in first:
            _raise_error_of(ref)
        raise cause(error) from None


def spread(blocks: Blocks, counts: Any, actors: int) -> list[list[Any]]:
    """By rank: references to its votes. There may be fewer ranks than actors were asked for."""
    assigned = pyarrow.table(_native.assign_ranks(counts, actors))
    ranks = 1 + (pyarrow.compute.max(assigned["rank"]).as_py() or 0)
    if ranks == 1:
        return [blocks.refs]
    shared = ray.put(assigned)
    task = _split.options(num_returns=ranks)
    split = [task.remote(ref, blocks.annotator, shared, ranks) for ref in blocks.refs]
    # Actors start when this is done: they take the processors that the tasks need.
    first = [pieces[0] for pieces in split]
    ray.wait(first, num_returns=len(first), fetch_local=False)
    return [list(pieces) for pieces in zip(*split)]


def cause(error: Any) -> BaseException:
    """What a task raised, as it raised it."""
    found = error
    while isinstance(found, ray.exceptions.RayTaskError) and isinstance(found.cause, BaseException):
        found = found.cause
    return found  # type: ignore[no-any-return]


def check_version(version: str) -> None:
    """Another version may give another answer."""
    if _native.__version__ != version:
        raise Error(
            f"the program has me_hodgerank {version}, and a machine of the cluster has {_native.__version__}: "
            "install the same version on all"
        )


def _open(votes: Any) -> Any:
    """A dataset of Parquet or CSV files."""
    given = [votes] if isinstance(votes, (str, os.PathLike)) else votes
    if not isinstance(given, (list, tuple)) or not all(isinstance(path, (str, os.PathLike)) for path in given):
        raise TypeError(f"votes must be a path, a list of paths or a Ray Dataset, not {type(votes).__qualname__}")
    paths = [found for path in given for found in _found(os.fspath(path))]
    if not paths:
        raise VotesError("the list of files is empty: there are no votes")
    are_csv = {path.lower().endswith(CSV) for path in paths}
    if len(are_csv) > 1:
        raise VotesError("some files are CSV and others are not: fit files of one kind")
    # A file that ends otherwise is Parquet too: it was named.
    return ray.data.read_csv(paths) if are_csv.pop() else ray.data.read_parquet(paths, file_extensions=None)


def _found(path: str) -> list[str]:
    """The files that a pattern stands for."""
    if "://" in path:
        return [path]
    if os.path.exists(path) or not glob.has_magic(path):
        return [os.path.abspath(path)]
    found = sorted(glob.glob(os.path.abspath(path), recursive=True))
    if not found:
        raise FileNotFoundError(f"no file matches {path}")
    return found


def _raise_error_of(ref: Any) -> None:
    try:
        ray.get(ref)
    except ray.exceptions.RayTaskError as error:
        raise cause(error) from None


@ray.remote  # type: ignore[untyped-decorator,unused-ignore]
def _count(block: Any, options: str, version: str) -> Any:
    check_version(version)
    votes = _native.RankVotes(options)
    if block.num_rows:  # Ray's blocks without rows may have no columns
        votes.push(block)
    return pyarrow.table(votes.counts())


@ray.remote  # type: ignore[untyped-decorator,unused-ignore]
def _add_counts(*counts: Any) -> Any:
    """The counts of several blocks, each annotator once."""
    counts = tuple(table for table in counts if len(table)) or counts[:1]
    common = _common_type([table["annotator"].type for table in counts])
    same = [table.set_column(0, "annotator", _ids(table["annotator"], common)) for table in counts]
    sums = pyarrow.concat_tables(same).group_by("annotator").aggregate([("votes", "sum")])
    return pyarrow.table({"annotator": sums["annotator"], "votes": sums["votes_sum"]})


@ray.remote  # type: ignore[untyped-decorator,unused-ignore]
def _split(block: Any, annotator: str, assigned: Any, ranks: int) -> list[Any]:
    """By rank: the rows of its annotators. Rank 0 also gets rows whose annotator has no usable
    vote, and refuses or counts them."""
    if not block.num_rows:
        return [block] * ranks
    known = assigned["annotator"].combine_chunks()
    common = _common_type([block[annotator].type, known.type])
    found = pyarrow.compute.index_in(_ids(block[annotator], common), value_set=_ids(known, common))
    rank_of_row = pyarrow.compute.fill_null(assigned["rank"].combine_chunks().take(found.combine_chunks()), 0)
    rank_of_row = rank_of_row.to_numpy(zero_copy_only=False)
    order = numpy.argsort(rank_of_row, kind="stable")
    bounds = numpy.searchsorted(rank_of_row[order], numpy.arange(ranks + 1))
    return [block.take(order[start:end]) for start, end in zip(bounds, bounds[1:])]


def _common_type(types: list[Any]) -> Any:
    """A type for ids of all these types, in which equal ids are equal."""
    types = [kind.value_type if pyarrow.types.is_dictionary(kind) else kind for kind in types]
    types = [kind for kind in types if not pyarrow.types.is_null(kind)]
    if len(set(types)) <= 1:
        return types[0] if types else pyarrow.null()
    are_text = {_is_text(kind) for kind in types}
    if len(are_text) > 1:
        raise VotesError("annotators are integers in some files and text in others: make them the same type")
    return pyarrow.large_string() if are_text.pop() else pyarrow.decimal128(38, 0)


def _is_text(kind: Any) -> bool:
    views = getattr(pyarrow.types, "is_string_view", lambda _: False)
    return pyarrow.types.is_string(kind) or pyarrow.types.is_large_string(kind) or bool(views(kind))


def _ids(column: Any, kind: Any) -> Any:
    """A column of ids in another type."""
    if pyarrow.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    return column if column.type == kind else column.cast(kind)
