"""Writes .tar.gz files that are the same bytes for the same contents."""

import gzip
import io
import tarfile

A_FIXED_DATE = 1577836800  # 2020-01-01


def write(path, files):
    """`files` are contents by name."""
    with open(path, "wb") as raw, gzip.GzipFile("", "wb", 9, raw, A_FIXED_DATE) as packed:
        with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as tar:
            for name, data in files.items():
                entry = tarfile.TarInfo(name)
                entry.size, entry.mtime, entry.mode = len(data), A_FIXED_DATE, 0o644
                tar.addfile(entry, io.BytesIO(data))
