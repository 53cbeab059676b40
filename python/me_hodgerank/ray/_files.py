"""Result sets as Parquet files, which the actors write."""

from __future__ import annotations

import os
import socket
from dataclasses import dataclass
from typing import Any

import pyarrow  # type: ignore[import-not-found,import-untyped,unused-ignore]
import pyarrow.fs  # type: ignore[import-not-found,import-untyped,unused-ignore]
import pyarrow.parquet  # type: ignore[import-not-found,import-untyped,unused-ignore]

from .. import _native
from .._errors import Error

# What rank 0 writes, and what is small enough to be returned too.
SETS = ("ranking", "annotators", "path", "cv", "summary", "cycles", "triangles")
SMALL_SETS = ("ranking", "summary")


@dataclass(frozen=True)
class Folder:
    """A folder that all machines of the cluster see: a path, or an address such as s3://…"""

    path: str

    @classmethod
    def new(cls, path: str | os.PathLike[str]) -> Folder:
        """Makes the folder. One with something in it is refused: files of another fit would stay there."""
        name = os.fspath(path)
        folder = cls(name if "://" in name else os.path.abspath(name))
        system, place = folder._opened()
        selector = pyarrow.fs.FileSelector(place, allow_not_found=True)
        if system.get_file_info(selector):
            raise FileExistsError(f"the folder {name} is not empty: files of another fit would stay among the new ones")
        system.create_dir(f"{place}/personal", recursive=True)
        return folder

    def check_shared(self) -> None:
        """Says at once if this machine does not see the folder, not when the fit is done."""
        system, place = self._opened()
        # In an object store a folder without files does not exist.
        if isinstance(system, pyarrow.fs.LocalFileSystem) and not os.path.isdir(f"{place}/personal"):
            raise Error(
                f"the folder {self.path} is not there on {socket.gethostname()}: "
                "result sets go to a folder that all machines share, or to an address such as s3://…"
            )

    def write(self, fit: _native.Fit, rank: int) -> tuple[list[str], dict[str, Any]]:
        """Writes the personal scores of a rank's annotators, and on rank 0 everything else."""
        sets = {f"personal/part-{rank:05}.parquet": "personal"}
        if rank == 0:
            sets.update({f"{name}.parquet": name for name in SETS})
        files, small = [], {}
        system, place = self._opened()
        for file, name in sets.items():
            if not fit.has(name):
                continue
            table = pyarrow.table(fit.table(name, "{}", None, "{}"))
            pyarrow.parquet.write_table(table, f"{place}/{file}", filesystem=system)
            files.append(f"{self.path}/{file}")
            if name in SMALL_SETS:
                small[name] = table
        return files, small

    def _opened(self) -> tuple[Any, str]:
        if "://" in self.path:
            system, place = pyarrow.fs.FileSystem.from_uri(self.path)
            return system, place.rstrip("/")
        return pyarrow.fs.LocalFileSystem(), self.path
