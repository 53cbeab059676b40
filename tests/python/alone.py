"""The package with nothing beside it: no DuckDB, no Datasette."""

from importlib.metadata import distribution, metadata, requires

import me_hodgerank

try:
    me_hodgerank.connect()
    raise SystemExit("there should be no DuckDB here")
except ImportError as error:
    assert 'pip install "me_hodgerank[duckdb]"' in str(error), error

about = metadata("me_hodgerank")
assert about.get_all("Provides-Extra") == ["duckdb", "ray"], about.get_all("Provides-Extra")
# Nothing is needed but for an extra.
needed = {"duckdb>=1.4": "duckdb", "ray[data]>=2.40": "ray", "pyarrow": "ray", "aiohttp": "ray"}
assert requires("me_hodgerank") == [f"{name} ; extra == '{extra}'" for name, extra in needed.items()], requires("me_hodgerank")
assert about["Version"] == me_hodgerank.__version__ and about["License-Expression"] == "MIT OR Apache-2.0"
(plugin,) = distribution("me_hodgerank").entry_points
assert (plugin.group, plugin.value) == ("datasette", "me_hodgerank._datasette"), plugin
print("fine")
