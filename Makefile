# The two commands of this project: `make demo` and `make test`.
CARGO ?= cargo
PYTHON ?= python3
TARGET := $(abspath $(or $(CARGO_TARGET_DIR),target))
VERSION := v$(shell sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -1)
LIBRARY := $(if $(filter Darwin,$(shell uname)),libme_hodgerank.dylib,libme_hodgerank.so)
DUCKDB_EXTENSION := $(TARGET)/duckdb/me_hodgerank.duckdb_extension
DUCKDB_VERSIONS := 1.4.4 1.5.6 2.0.0
DUCKDB_CLI_VERSION := 1.5.6
SQLITE_EXTENSION := $(TARGET)/sqlite/me_hodgerank.so

.PHONY: help test test-rust test-same-bits lint bench bench-growth
.PHONY: sql duckdb venvs-duckdb test-duckdb bench-duckdb
.PHONY: sqlite test-sqlite valgrind bench-sqlite

help:
	@echo "make test          build everything and run all tests"
	@echo "make lint          formatting and clippy"
	@echo "make bench         one table: our speed, the published way's, and what others need on the same votes"
	@echo "make bench-growth  how the time grows with the votes; draws benches/growth.svg anew"
	@echo "make duckdb        build the DuckDB extension, $(DUCKDB_EXTENSION)"
	@echo "make test-duckdb   the DuckDB extension in the DuckDBs that it is for"
	@echo "make bench-duckdb  time reading ten million votes into the DuckDB extension"
	@echo "make sql           write the scripts in sql/ anew from sql/macro.sql"
	@echo "make sqlite        build the SQLite extension, $(SQLITE_EXTENSION)"
	@echo "make test-sqlite   the SQLite extension in the SQLites that it is for"
	@echo "make bench-sqlite  time reading ten million votes beside a bare SELECT"
	@echo "make valgrind      look for memory errors of the SQLite extension"

test: test-rust test-duckdb test-sqlite test-same-bits

# Release: the tests run the numbers too, and the extensions are built that way anyway.
test-rust:
	$(CARGO) test --release --features sqlite,duckdb

lint:
	$(CARGO) fmt --check
	$(CARGO) clippy --release --all-targets --features sqlite,duckdb -- -D warnings
	$(CARGO) clippy --release --lib --features sqlite-extension -- -D warnings

# The benchmark's own binary, by the message of the build that made it.
SPEED = $$($(CARGO) bench --bench speed --no-run --message-format json 2>/dev/null \
	| $(PYTHON) -c 'import json, sys; print([m["executable"] for m in map(json.loads, sys.stdin) if m.get("executable")][-1])')

bench: duckdb .venv/duckdb-1.5.6/made .venv/peers/made
	ME_HODGERANK_SPEED=$(SPEED) $(PYTHON) benches/table.py
	$(MAKE) bench-duckdb bench-sqlite

bench-growth:
	ME_HODGERANK_SPEED=$(SPEED) $(PYTHON) benches/growth.py

# What others use. One that does not install is missing from the table, which says so.
.venv/peers/made:
	$(PYTHON) -m venv .venv/peers
	for peer in evalica==0.4.2 choix==0.4.1 crowd-kit==1.4.2; do \
		.venv/peers/bin/python -m pip install --quiet pandas $$peer || echo "$$peer did not install"; done
	touch $@

# --- DuckDB ---

sql:
	ME_HODGERANK_WRITE_SQL=1 $(CARGO) test --release --features sqlite,duckdb --lib shipped_scripts

# The library alone is made a cdylib: everything else links the rlib.
duckdb:
	$(CARGO) rustc --release --lib --crate-type cdylib --features duckdb
	$(PYTHON) src/duckdb/package.py "$(TARGET)/release/$(LIBRARY)" "$(DUCKDB_EXTENSION)" $(VERSION)

# An environment for each DuckDB, made once.
venvs-duckdb: $(DUCKDB_VERSIONS:%=.venv/duckdb-%/made) .venv/duckdb-cli-$(DUCKDB_CLI_VERSION)/made

.venv/duckdb-cli-%/made:
	$(PYTHON) -m venv .venv/duckdb-cli-$*
	.venv/duckdb-cli-$*/bin/python -m pip install --quiet duckdb-cli==$*
	touch $@

.venv/duckdb-%/made:
	$(PYTHON) -m venv .venv/duckdb-$*
	.venv/duckdb-$*/bin/python -m pip install --quiet duckdb==$*
	touch $@

test-duckdb: duckdb venvs-duckdb
	$(CARGO) build --release --example fit_csv --features sqlite,duckdb
	$(PYTHON) tests/hosts/run.py duckdb
	$(PYTHON) tests/hosts/duckdb_places.py
	$(PYTHON) tests/hosts/duckdb_identity.py
	$(PYTHON) tests/hosts/duckdb_crashes.py

bench-duckdb: duckdb venvs-duckdb
	$(PYTHON) tests/hosts/duckdb_bench.py

# --- SQLite ---

sqlite:
	$(CARGO) rustc --release --lib --crate-type cdylib --features sqlite-extension
	@mkdir -p "$(dir $(SQLITE_EXTENSION))"
	cp "$(TARGET)/release/$(LIBRARY)" "$(SQLITE_EXTENSION)"

# The sqlite3 command line, and newer SQLites than Debian's.
.venv/sqlite/made:
	command -v sqlite3 || apt-get install -y sqlite3 || (apt-get update && apt-get install -y sqlite3) || true
	$(PYTHON) -m venv .venv/sqlite
	.venv/sqlite/bin/python -m pip install --quiet apsw pysqlite3-binary
	touch $@

# Debian's own Python has a sqlite3 that loads extensions; others often do not.
test-sqlite: sqlite .venv/sqlite/made
	$(CARGO) build --release --example sqlite_session --features sqlite,duckdb
	$(PYTHON) tests/hosts/run.py sqlite
	.venv/sqlite/bin/python tests/sqlite/extension.py "$(SQLITE_EXTENSION)" commandline pysqlite3 apsw
	if [ -x /usr/bin/python3 ]; then /usr/bin/python3 tests/sqlite/extension.py "$(SQLITE_EXTENSION)" sqlite3; fi

# After the two above: the same votes in both hosts.
test-same-bits:
	$(PYTHON) tests/hosts/same_bits.py

valgrind: sqlite
	tests/sqlite/valgrind.sh "$(SQLITE_EXTENSION)"

bench-sqlite:
	$(CARGO) bench --features sqlite --bench sqlite_ingest
