"""Votes that do not fit one machine: a fit on a Ray cluster.

`fit` reads Parquet or CSV files, or a Ray Dataset, and returns what `me_hodgerank.fit`
returns for the same votes, to the last bit. It needs Ray: pip install "me_hodgerank[ray]"
"""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn, Sequence, Union

try:
    import pyarrow  # type: ignore[import-not-found,import-untyped,unused-ignore]
    import ray  # type: ignore[import-not-found,import-untyped,unused-ignore]
    import ray.data  # type: ignore[import-not-found,import-untyped,unused-ignore]
except ModuleNotFoundError as error:
    text = f'me_hodgerank.ray needs {error.name}, which is not installed: pip install "me_hodgerank[ray]"'
    raise ImportError(text, name=error.name) from error

from .. import _native
from .._errors import Error, OptionError
from .._fit import Fit, Name, Progress, Usual, _check_whole, _columns, _json, _told
from ._files import Folder
from ._ranks import ActorOptions, RankOutcome, Ranks, room, warn_of_waiting
from ._votes import count, read, spread

if TYPE_CHECKING:
    Path = Union[str, os.PathLike[str]]

__all__ = ["Files", "RayFit", "Statistics", "fit"]


@dataclass(frozen=True)
class Statistics:
    """What a fit on a cluster took."""

    ranks: int
    """How many actors had votes. A rank has whole blocks of annotators, and small tables have one block."""
    replacements: int
    """How many actors were lost and replaced."""
    exchanges: int
    """How often the ranks put their sums together."""
    exchanged_bytes: int
    """The bytes of these sums. Each is sent to every rank."""
    read_seconds: float
    count_seconds: float
    spread_seconds: float
    load_seconds: tuple[float, ...]
    """By rank: taking in its votes."""
    fit_seconds: tuple[float, ...]
    """By rank: the fit, waiting included."""
    waited_seconds: tuple[float, ...]
    """By rank: waiting for the others in exchanges."""

    @property
    def waited_share(self) -> float:
        """The share of the ranks' time that they waited in exchanges."""
        return sum(self.waited_seconds) / max(sum(self.fit_seconds), 1e-9)


class RayFit(Fit):
    """A `me_hodgerank.Fit` that was made on a cluster: `statistics` says what it took."""

    __slots__ = ("statistics",)

    def __init__(self, native: _native.Fit, columns: dict[str, Any], statistics: Statistics) -> None:
        super().__init__(native, columns)
        self.statistics = statistics


@dataclass(frozen=True)
class Files:
    """The result sets of a fit, as the actors wrote them."""

    folder: str
    files: list[str]
    """All files, in order. Those of `personal` are one result set."""
    ranking: pyarrow.Table
    summary: pyarrow.Table
    statistics: Statistics


def fit(
    votes: Path | Sequence[Path] | ray.data.Dataset,
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
    actors: int | None = None,
    cpus_per_actor: float = 1,
    threads: int | None = None,
    memory_per_actor: int | None = None,
    max_replacements: int = 3,
    result: str | os.PathLike[str] = "fit",
    progress: Progress = None,
    **unknown: NoReturn,
) -> RayFit | Files:
    """Fits votes on a Ray cluster, to the bits of `me_hodgerank.fit` on one machine.

    `votes` is a path, a pattern or a list of them (Parquet or CSV), or a Ray Dataset. The
    options are those of `me_hodgerank.fit`.

        >>> import me_hodgerank, me_hodgerank.ray, pyarrow.parquet
        >>> votes = me_hodgerank.simulate(annotators=40, items=4, seed=7)
        >>> pyarrow.parquet.write_table(votes.to_pyarrow(), "votes.parquet")
        >>> fit = me_hodgerank.ray.fit("votes.parquet")
        >>> fit.ranking()["item"]
        [2, 1, 3, 4]

    Each of the `actors` has the votes of some annotators in memory; None is as many as the
    cluster has processors for. An actor takes `cpus_per_actor` processors and, if you say,
    `memory_per_actor` bytes of its machine, and runs `threads` threads, as many as it has
    processors unless you say. One that is lost is replaced, `max_replacements` times at most
    for each rank, and the fit goes on where it was.

    `result` is "fit" for a `Fit`, or a folder that all machines share: the actors write the
    result sets there as Parquet, and `Files` lists them. `progress` is told after each
    phase: read, counted, spread, fitted.
    """
    options = {
        "kappa": kappa, "alpha": alpha, "grid_points": grid_points, "grid_span": grid_span, "folds": folds,
        "seed": seed, "t": t, "position_bias": position_bias, "personal": personal, "loss": loss, "ridge": ridge,
        "theta_update": theta_update, "pair_model": pair_model, "fdr": fdr, "bias_test": bias_test,
        "on_bad_row": on_bad_row, "max_seconds": max_seconds, "weight": weight, "fold": fold, **unknown,
    }  # fmt: skip
    columns = _columns(annotator, left, right, choice)
    json = _json(columns, **options)
    _native.RankVotes(json)  # a wrong option is an error before anything is read
    actor = _actor_options(cpus_per_actor, memory_per_actor, threads, max_replacements)
    _check_whole("actors", actors)
    with _told(progress) as tell:
        tell = tell or (lambda share: None)
        _connect()
        if actors is not None:
            warn_of_waiting(actors, actor.cpus)
        folder = None if result == "fit" else Folder.new(result)
        clock = [time.monotonic()]
        blocks = read(votes, json)
        _passed(clock, tell, 0.2)
        counts = count(blocks, json)
        _passed(clock, tell, 0.3)
        ranks = Ranks(spread(blocks, counts, actors or room(actor.cpus)), json, actor, folder)
        del blocks, counts
        _passed(clock, tell, 0.4)
        outcomes = ranks.fit()
        tell(1.0)
    statistics = _statistics(ranks, outcomes, clock)
    if folder is not None:
        return Files(folder.path, [file for one in outcomes for file in one.files], **outcomes[0].tables, statistics=statistics)
    assert outcomes[0].model is not None
    return RayFit(_native.Fit.from_bytes(outcomes[0].model), columns, statistics)


def _connect() -> None:
    """Connects to the cluster, or starts one on this machine."""
    if not ray.is_initialized():
        ray.init()
    if ray.util.client.ray.is_connected():
        raise Error(
            "a program that is connected by Ray Client (ray://…) runs outside of the cluster: "
            "run it on a machine of the cluster, for example with ray job submit"
        )


def _actor_options(cpus: float, memory: int | None, threads: int | None, max_replacements: int) -> ActorOptions:
    if isinstance(cpus, bool) or not isinstance(cpus, (int, float)) or not 0 < cpus < float("inf"):
        raise OptionError(f"cpus_per_actor must be a number greater than 0, not {cpus!r}")
    _check_whole("memory_per_actor", memory)
    _check_whole("threads", threads)
    if isinstance(max_replacements, bool) or not isinstance(max_replacements, int) or max_replacements < 0:
        raise OptionError(f"max_replacements must be a whole number, 0 or greater, not {max_replacements!r}")
    return ActorOptions(cpus, memory, threads or max(1, int(cpus)), max_replacements)


def _passed(clock: list[float], tell: Any, share: float) -> None:
    clock.append(time.monotonic())
    tell(share)


def _statistics(ranks: Ranks, outcomes: list[RankOutcome], clock: list[float]) -> Statistics:
    return Statistics(
        ranks=len(outcomes),
        replacements=ranks.replacements,
        exchanges=ranks.exchanges,
        exchanged_bytes=ranks.exchanged_bytes,
        read_seconds=clock[1] - clock[0],
        count_seconds=clock[2] - clock[1],
        spread_seconds=clock[3] - clock[2],
        load_seconds=tuple(one.load_seconds for one in outcomes),
        fit_seconds=tuple(one.fit_seconds for one in outcomes),
        waited_seconds=tuple(one.waited_seconds for one in outcomes),
    )
