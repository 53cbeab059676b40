"""The actors that fit: one for each rank, and another one for a rank that was lost."""

from __future__ import annotations

import secrets
import time
import warnings
from dataclasses import dataclass, field
from typing import Any

import ray  # type: ignore[import-not-found,import-untyped,unused-ignore]
import ray.util  # type: ignore[import-not-found,import-untyped,unused-ignore]

from .. import _native
from .._errors import Error
from ._files import Folder
from ._votes import cause, check_version

# What an actor that is gone leaves behind.
LOST = (
    ray.exceptions.RayActorError,
    ray.exceptions.OutOfMemoryError,
    ray.exceptions.WorkerCrashedError,
    ray.exceptions.NodeDiedError,
)
# What the engine says on a rank whose connection broke.
NOT_CONNECTED = "the connection to the coordinator of the fit was lost"
# How long the other ranks have to say what is wrong, if the first one only says that the fit has ended.
GRACE_SECONDS = 10.0


@dataclass(frozen=True)
class RankOutcome:
    """What an actor returns."""

    model: bytes | None
    """All of the model, of rank 0, unless result sets were written."""
    files: list[str]
    tables: dict[str, Any]
    """Small result sets of rank 0, as tables of pyarrow."""
    load_seconds: float
    fit_seconds: float
    waited_seconds: float


@dataclass(frozen=True)
class RankPlace:
    """Where a rank stands among the others."""

    address: str
    rank: int
    ranks: int
    token: int


@dataclass(frozen=True)
class ActorOptions:
    """What an actor gets of its machine, and how often a lost one is replaced."""

    cpus: float
    memory: int | None
    threads: int
    max_replacements: int


class RankActor:
    """The votes of one rank, in the engine."""

    def __init__(self, version: str) -> None:
        check_version(version)

    def fit(self, pieces: list[Any], options: str, place: RankPlace, threads: int, folder: Folder | None) -> RankOutcome:
        """Takes in the votes, one piece after the other, and fits them together with the other ranks."""
        if folder is not None:
            folder.check_shared()
        start = time.monotonic()
        votes = _native.RankVotes(options)
        for piece in pieces:
            rows = ray.get(piece)
            if rows.num_rows:
                votes.push(rows)
            del rows  # before the next one comes
        loaded = time.monotonic()
        fitted = votes.fit(place.address, place.rank, place.ranks, place.token, threads, folder is None)
        end = time.monotonic()
        is_first = place.rank == 0
        files, tables = folder.write(fitted.fit, place.rank) if folder else ([], {})
        model = fitted.fit.to_bytes() if is_first and folder is None else None
        return RankOutcome(model, files, tables, loaded - start, end - loaded, fitted.waited)


@dataclass
class Ranks:
    """The ranks of one fit. `fit` starts them, replaces those that are lost, and ends them."""

    pieces: list[list[Any]]
    options: str
    actor: ActorOptions
    folder: Folder | None
    replacements: int = 0
    exchanges: int = 0
    exchanged_bytes: int = 0
    _name: str = field(default_factory=lambda: f"me_hodgerank-{secrets.token_hex(4)}")
    _lost: dict[int, int] = field(default_factory=dict)
    _actors: dict[int, Any] = field(default_factory=dict)
    _running: dict[Any, int] = field(default_factory=dict)
    _outcomes: dict[int, RankOutcome] = field(default_factory=dict)

    def fit(self) -> list[RankOutcome]:
        """What each rank returns."""
        token, host = secrets.randbits(64), ray.util.get_node_ip_address()
        address = f"[{host}]:0" if ":" in host else f"{host}:0"
        coordinator = _native.Coordinator(address, len(self.pieces), token)
        reason = "the program that started the fit has ended it"
        try:
            for rank in range(len(self.pieces)):
                self._start(RankPlace(coordinator.address, rank, len(self.pieces), token))
            while self._running:
                done, _ = ray.wait(list(self._running))
                for ref in done:
                    self._take(ref, RankPlace(coordinator.address, self._running[ref], len(self.pieces), token))
            self.exchanges, self.exchanged_bytes = coordinator.exchanges()
        except BaseException as error:
            reason = f"{reason}: {error}"
            raise
        finally:
            coordinator.close(reason)
            for actor in self._actors.values():
                ray.kill(actor)
        return [self._outcomes[rank] for rank in range(len(self.pieces))]

    def _start(self, place: RankPlace) -> None:
        attempt = self._lost.get(place.rank, 0)
        options: dict[str, Any] = {"num_cpus": self.actor.cpus, "name": f"{self._name}-rank-{place.rank}-{attempt}"}
        if self.actor.memory is not None:
            options["memory"] = self.actor.memory
        actor = ray.remote(RankActor).options(**options, scheduling_strategy="SPREAD").remote(_native.__version__)
        self._actors[place.rank] = actor
        pieces = self.pieces[place.rank]
        self._running[actor.fit.remote(pieces, self.options, place, self.actor.threads, self.folder)] = place.rank

    def _take(self, ref: Any, place: RankPlace) -> None:
        """The outcome of a rank; another actor if it was lost; its error if it has failed."""
        del self._running[ref]
        try:
            self._outcomes[place.rank] = ray.get(ref)
        except LOST as error:
            begun = cause(getattr(error, "cause", None))
            if isinstance(begun, Error):  # it did not even begin
                raise begun from None
            self._replace(place, error)
        except ray.exceptions.RayTaskError as error:
            found = cause(error)
            if _is_about_others(found) and str(found).startswith(NOT_CONNECTED):
                self._replace(place, found)
            else:
                raise self._first_cause(found) from None

    def _replace(self, place: RankPlace, error: BaseException) -> None:
        self._lost[place.rank] = times = self._lost.get(place.rank, 0) + 1
        if times > self.actor.max_replacements:
            often = "once" if times == 1 else f"{times} times"
            raise Error(
                f"rank {place.rank} of {place.ranks} was lost {often}, and max_replacements is "
                f"{self.actor.max_replacements}: if its machine ran out of memory, fit with more actors or with "
                f"memory_per_actor; Ray says: {str(error).strip().splitlines()[0]}"
            ) from error
        self.replacements += 1
        ray.kill(self._actors[place.rank])  # it may be cut off and alive
        self._start(place)

    def _first_cause(self, found: BaseException) -> BaseException:
        """The error of the rank that failed. The others only say that the fit has ended."""
        if not _is_about_others(found):
            return found
        waiting = list(self._running)
        done, _ = ray.wait(waiting, num_returns=len(waiting), timeout=GRACE_SECONDS) if waiting else ([], [])
        for ref in sorted(done, key=lambda ref: self._running[ref]):
            try:
                ray.get(ref)
            except ray.exceptions.RayTaskError as error:
                other = cause(error)
                if not _is_about_others(other):
                    return other
            except ray.exceptions.RayError:
                pass  # lost, which says nothing of the cause
        return found


def _is_about_others(error: BaseException) -> bool:
    """Whether a rank could not go on because of another one: that has no class of its own."""
    return type(error) is Error


def room(cpus: float) -> int:
    """For how many actors the cluster has processors."""
    machines = (node["Resources"].get("CPU", 0) for node in ray.nodes() if node["Alive"])
    return max(1, sum(int(machine // cpus) for machine in machines))


def warn_of_waiting(actors: int, cpus: float) -> None:
    """Actors that find no place yet are waited for: the cluster may grow."""
    if actors > (known := room(cpus)):
        warnings.warn(
            f"the cluster has processors for {known} actors of {cpus:g}, not for {actors}: "
            "if the fit needs them all, it waits until the cluster grows",
            stacklevel=3,
        )
