# The two commands of this project: `make demo` and `make test`.
CARGO ?= cargo
PYTHON ?= python3
TARGET := $(abspath $(or $(CARGO_TARGET_DIR),target))
VERSION := v$(shell sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -1)
DUCKDB_EXTENSION := $(TARGET)/duckdb/me_hodgerank.duckdb_extension
DUCKDB_VERSIONS := 1.4.4 1.5.6 2.0.0
DUCKDB_CLI_VERSION := 1.5.6
LIBRARY := $(if $(filter Darwin,$(shell uname)),libme_hodgerank.dylib,libme_hodgerank.so)

.PHONY: help test test-rust lint bench sql duckdb venvs-duckdb test-duckdb bench-duckdb

help:
	@echo "make test          build everything and run all tests"
	@echo "make duckdb        build the DuckDB extension"
	@echo "make test-duckdb   the DuckDB extension in the DuckDBs that it is for"
	@echo "make sql           write the scripts in sql/ anew from sql/macro.sql"
	@echo "make lint          formatting and clippy"
	@echo "make bench         time the path and the cross-validation beside a plain loop over votes"
	@echo "make bench-duckdb  time reading ten million votes into the DuckDB extension"

test: test-rust test-duckdb

# Release: the tests run the numbers too, and the extensions are built that way anyway.
test-rust:
	$(CARGO) test --release --features duckdb

lint:
	$(CARGO) fmt --check
	$(CARGO) clippy --release --all-targets -- -D warnings
	$(CARGO) clippy --release --all-targets --features duckdb -- -D warnings

bench:
	$(CARGO) bench

sql:
	ME_HODGERANK_WRITE_SQL=1 $(CARGO) test --release --features duckdb --lib shipped_scripts

# The library alone is made a cdylib: everything else links the rlib.
duckdb:
	$(CARGO) rustc --release --lib --crate-type cdylib --features duckdb
	$(PYTHON) src/duckdb/package.py $(TARGET)/release/$(LIBRARY) $(DUCKDB_EXTENSION) $(VERSION)

# An environment for each DuckDB, made once.
venvs-duckdb: $(DUCKDB_VERSIONS:%=.venv/duckdb-%/made) .venv/duckdb-cli-$(DUCKDB_CLI_VERSION)/made

.venv/duckdb-cli-%/made:
	$(PYTHON) -m venv .venv/duckdb-cli-$*
	.venv/duckdb-cli-$*/bin/pip install --quiet duckdb-cli==$*
	touch $@

.venv/duckdb-%/made:
	$(PYTHON) -m venv .venv/duckdb-$*
	.venv/duckdb-$*/bin/pip install --quiet duckdb==$*
	touch $@

test-duckdb: duckdb venvs-duckdb
	$(CARGO) build --release --example fit_csv --features duckdb
	$(PYTHON) tests/hosts/run.py duckdb
	$(PYTHON) tests/hosts/duckdb_places.py
	$(PYTHON) tests/hosts/duckdb_identity.py
	$(PYTHON) tests/hosts/duckdb_crashes.py

bench-duckdb: duckdb venvs-duckdb
	$(PYTHON) tests/hosts/duckdb_bench.py
