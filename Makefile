# The two commands of this project: `make demo` and `make test`.
CARGO ?= cargo
PYTHON ?= python3
TARGET := $(or $(CARGO_TARGET_DIR),target)
SQLITE_EXTENSION := $(TARGET)/sqlite/me_hodgerank.so

.PHONY: help test test-rust lint bench sqlite sqlite-session test-sqlite valgrind bench-sqlite

help:
	@echo "make test          build everything and run all tests"
	@echo "make lint          formatting and clippy"
	@echo "make bench         time the path and the cross-validation beside a plain loop over votes"
	@echo "make sqlite        build the SQLite extension, $(SQLITE_EXTENSION)"
	@echo "make bench-sqlite  time the reading of 10 million votes beside a bare SELECT"
	@echo "make valgrind      look for memory errors of the SQLite extension"

test: test-rust test-sqlite

# Release: the tests run the numbers too, and the extensions are built that way anyway.
test-rust:
	$(CARGO) test --release --features sqlite

lint:
	$(CARGO) fmt --check
	$(CARGO) clippy --release --all-targets --features sqlite -- -D warnings
	$(CARGO) clippy --release --lib --features sqlite-extension -- -D warnings

bench:
	$(CARGO) bench

# --- SQLite ---

sqlite:
	$(CARGO) rustc --release --lib --crate-type cdylib --features sqlite-extension
	@mkdir -p $(dir $(SQLITE_EXTENSION))
	cp $(TARGET)/release/libme_hodgerank.so $(SQLITE_EXTENSION)

# The Rust program that runs tests/sql in its own process.
sqlite-session:
	$(CARGO) build --release --features sqlite --example sqlite_session

# Debian's own Python has a sqlite3 that loads extensions; others often do not.
test-sqlite: sqlite sqlite-session .venv/sqlite
	.venv/sqlite/bin/python tests/sqlite/extension.py $(SQLITE_EXTENSION) commandline pysqlite3 apsw
	if [ -x /usr/bin/python3 ]; then /usr/bin/python3 tests/sqlite/extension.py $(SQLITE_EXTENSION) sqlite3; fi

# The sqlite3 command line, and newer SQLites than Debian's.
.venv/sqlite:
	command -v sqlite3 || apt-get install -y sqlite3 || (apt-get update && apt-get install -y sqlite3) || true
	$(PYTHON) -m venv $@
	$@/bin/pip install --quiet apsw pysqlite3-binary

valgrind: sqlite
	tests/sqlite/valgrind.sh $(SQLITE_EXTENSION)

bench-sqlite:
	$(CARGO) bench --features sqlite --bench sqlite_ingest
