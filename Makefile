# The two commands of this project: `make demo` and `make test`.
CARGO ?= cargo
PYTHON ?= python3
# Paths are quoted wherever a shell sees them, and never go through $(abspath) or
# $(dir), which split at spaces.
TARGET := $(or $(CARGO_TARGET_DIR),$(CURDIR)/target)
VERSION := v$(shell sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -1)
# What a shared library is called here; SQLite's .load adds it to a name without one.
SO := $(if $(filter Darwin,$(shell uname)),dylib,so)
LIBRARY := libme_hodgerank.$(SO)
DUCKDB_EXTENSION := $(TARGET)/duckdb/me_hodgerank.duckdb_extension
DUCKDB_VERSIONS := 1.4.4 1.5.6 2.0.0
DUCKDB_CLI_VERSION := 1.5.6
# The environments that the tests run in.
VENVS := venvs-duckdb $(patsubst %,.venv/%/made,sqlite choix build recipes frames package ray)
SQLITE_EXTENSION := $(TARGET)/sqlite/me_hodgerank.$(SO)
# The Python package as maturin builds it: without the two extensions.
PYTHON_MODULE := $(TARGET)/python
MATURIN_VERSION := 1.16.0
MATURIN ?= .venv/build/bin/maturin
PREFIX ?= $(HOME)/.local
# Python compiles a module when it is first imported: most of what is installed never is.
PIP_INSTALL := -m pip install --quiet --no-compile

# Cargo uses all cores itself; two builds at once would take turns at one library. Only
# test-rust-and-preparations knows what can run beside each other.
ifndef SIDE_BY_SIDE
.NOTPARALLEL:
endif

.PHONY: help test test-rust test-rust-and-preparations preparations test-same-bits fuzz lint bench bench-large bench-growth calibration
.PHONY: sql duckdb build-duckdb venvs-duckdb test-duckdb bench-duckdb
.PHONY: sqlite build-sqlite test-sqlite valgrind bench-sqlite
.PHONY: python build-python

help:
	@echo "make demo          see it work in a DuckDB command line"
	@echo "make demo-sqlite   the same in SQLite"
	@echo "make test          build everything and run all tests"
	@echo "make fuzz          random rows, options, models, states and SQL for FUZZ_SECONDS=3600"
	@echo "make lint          formatting and clippy"
	@echo "make bench         one table: our speed, the published way's, and what others need on the same votes"
	@echo "make bench-large   a hundred million votes from a Parquet file; takes a GB of disk and some minutes"
	@echo "make bench-growth  how the time grows with the votes; draws benches/growth.svg anew"
	@echo "make calibration   how often verdicts are wrong and intervals miss, on made-up votes"
	@echo "make duckdb        build the DuckDB extension, $(DUCKDB_EXTENSION)"
	@echo "make test-duckdb   the DuckDB extension in the DuckDBs that it is for"
	@echo "make bench-duckdb  time reading ten million votes into the DuckDB extension"
	@echo "make sql           write the scripts in sql/ anew from sql/macro.sql"
	@echo "make pictures      draw the pictures in docs/ anew"
	@echo "make report        write a report about made-up votes, $(TARGET)/report.html"
	@echo "make paper         the paper's experiments, its numbers beside ours"
	@echo "make sqlite        build the SQLite extension, $(SQLITE_EXTENSION)"
	@echo "make test-sqlite   the SQLite extension in the SQLites that it is for"
	@echo "make bench-sqlite  time reading ten million votes beside a bare SELECT"
	@echo "make python        build the native module of the Python package, in $(PYTHON_MODULE)"
	@echo "make dist          both extensions, their scripts and checksums in dist/"
	@echo "make wheel         a Python package with the module and both extensions in dist/; make sdist: of the sources"
	@echo "make release-files what a release offers for this platform, in dist/release/"
	@echo "make install       into PREFIX=$(PREFIX) and ~/.duckdb; make uninstall takes them away"
	@echo "make test-product  the demos, the recipes, the documentation, the package and the installation"
	@echo "make test-ray      fits on a local Ray cluster"
	@echo "make valgrind      look for memory errors of the SQLite extension"

test: test-rust-and-preparations test-duckdb test-sqlite test-peers test-same-bits test-pictures

# What is shipped is compiled on one processor for most of the time, and in another profile than the
# tests in Rust: neither waits for the other. Of the preparations only errors are of interest.
test-rust-and-preparations:
	$(MAKE) --no-print-directory -j2 SIDE_BY_SIDE=1 test-rust preparations

preparations:
	CARGO_TERM_QUIET=true $(MAKE) --no-print-directory SIDE_BY_SIDE= duckdb sqlite python $(VENVS)

# The development profile is optimised too, checks for overflow, and builds in less than half
# the time of the release profile. The extensions are tested as they are shipped.
# Without MAKEFLAGS: rustdoc looks for a jobserver there that make keeps to itself.
test-rust:
	MAKEFLAGS= $(CARGO) test --features sqlite,duckdb,internals

# Unlike in make test, other cases in every run: it prints the seed of each target.
FUZZ_SECONDS ?= 3600
fuzz:
	ME_HODGERANK_FUZZ_SECONDS=$(FUZZ_SECONDS) $(CARGO) test --features sqlite,duckdb,internals --test fuzz -- --nocapture --test-threads=1

lint:
	$(CARGO) fmt --check
	$(CARGO) clippy --all-targets --features sqlite,duckdb,internals -- -D warnings
	$(CARGO) clippy --lib --features sqlite-extension -- -D warnings
	$(CARGO) clippy --lib --features python -- -D warnings
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --no-deps --features sqlite,duckdb,internals

# The benchmark's own binary, by the message of the build that made it.
SPEED = $$($(CARGO) bench --features internals --bench speed --no-run --message-format json 2>/dev/null \
	| $(PYTHON) -c 'import json, sys; print([m["executable"] for m in map(json.loads, sys.stdin) if m.get("executable")][-1])')

bench: duckdb .venv/duckdb-1.5.6/made .venv/peers/made ray-installed
	ME_HODGERANK_SPEED=$(SPEED) $(PYTHON) benches/table.py
	.venv/ray/bin/python benches/ray_fit.py
	$(MAKE) bench-duckdb bench-sqlite

bench-large: duckdb .venv/duckdb-1.5.6/made
	$(PYTHON) benches/large.py

bench-growth:
	ME_HODGERANK_SPEED=$(SPEED) $(PYTHON) benches/growth.py

# What others use. One that does not install is missing from the table, which says so.
.venv/peers/made:
	$(PYTHON) -m venv .venv/peers
	for peer in evalica==0.4.2 choix==0.4.1 crowd-kit==1.4.2; do \
		.venv/peers/bin/python $(PIP_INSTALL) pandas $$peer || echo "$$peer did not install"; done
	touch $@

# False verdicts and coverage on made-up votes: 200 draws each, and 40 of intervals and of asking,
# which draws docs/asking.svg anew.
calibration:
	$(CARGO) run --release --quiet --example calibration

# --- DuckDB ---

sql:
	ME_HODGERANK_WRITE_SQL=1 $(CARGO) test --features sqlite,duckdb,internals --lib shipped_scripts

# The extensions and the Python module are the same library to Cargo, built with other
# features: it would build each anew whenever another one was last.
stale = [ ! -e "$(1)" ] || [ -n "$$(find src sql Cargo.toml Cargo.lock $(2) -newer "$(1)")" ]

# The library alone is made a cdylib: everything else links the rlib.
duckdb:
	@if $(call stale,$(DUCKDB_EXTENSION)); then $(MAKE) --no-print-directory build-duckdb; fi

build-duckdb:
	$(CARGO) rustc --release --lib --crate-type cdylib --features duckdb
	$(PYTHON) src/duckdb/package.py "$(TARGET)/release/$(LIBRARY)" "$(DUCKDB_EXTENSION)" $(VERSION)

# An environment for each DuckDB, made once.
venvs-duckdb: $(DUCKDB_VERSIONS:%=.venv/duckdb-%/made) .venv/duckdb-cli-$(DUCKDB_CLI_VERSION)/made

.venv/duckdb-cli-%/made:
	$(PYTHON) -m venv .venv/duckdb-cli-$*
	.venv/duckdb-cli-$*/bin/python $(PIP_INSTALL) duckdb-cli==$*
	touch $@

.venv/duckdb-%/made:
	$(PYTHON) -m venv .venv/duckdb-$*
	.venv/duckdb-$*/bin/python $(PIP_INSTALL) duckdb==$*
	touch $@

test-duckdb: duckdb venvs-duckdb
	$(CARGO) build --example fit_csv --features sqlite,duckdb,internals
	$(PYTHON) tests/hosts/run.py duckdb
	$(PYTHON) tests/hosts/duckdb_databases.py
	$(PYTHON) tests/hosts/duckdb_identity.py
	$(PYTHON) tests/hosts/duckdb_crashes.py
	$(PYTHON) tests/hosts/duckdb_interrupt.py
	$(PYTHON) tests/hosts/rust_duckdb.py

bench-duckdb: duckdb venvs-duckdb
	$(PYTHON) tests/hosts/duckdb_bench.py

# --- SQLite ---

sqlite:
	@if $(call stale,$(SQLITE_EXTENSION)); then $(MAKE) --no-print-directory build-sqlite; fi

build-sqlite:
	$(CARGO) rustc --release --lib --crate-type cdylib --features sqlite-extension
	@mkdir -p "$(TARGET)/sqlite"
	cp "$(TARGET)/release/$(LIBRARY)" "$(SQLITE_EXTENSION)"

# The sqlite3 command line, and newer SQLites than Debian's.
.venv/sqlite/made:
	command -v sqlite3 || apt-get install -y sqlite3 || (apt-get update && apt-get install -y sqlite3) || true
	$(PYTHON) -m venv .venv/sqlite
	.venv/sqlite/bin/python $(PIP_INSTALL) apsw
	.venv/sqlite/bin/python $(PIP_INSTALL) pysqlite3-binary || echo "no pysqlite3-binary for this machine"
	touch $@

# Debian's own Python has a sqlite3 that loads extensions; others often do not.
test-sqlite: sqlite .venv/sqlite/made
	$(CARGO) build --example sqlite_session --features sqlite,duckdb,internals
	$(PYTHON) tests/hosts/run.py sqlite
	.venv/sqlite/bin/python tests/sqlite/extension.py "$(SQLITE_EXTENSION)" sqlite3-shell apsw $(if $(filter x86_64,$(shell uname -m)),pysqlite3)
	if [ -x /usr/bin/python3 ]; then /usr/bin/python3 tests/sqlite/extension.py "$(SQLITE_EXTENSION)" sqlite3; fi

# The Bradley–Terry estimate of another tool for the same likelihood.
.venv/choix/made:
	$(PYTHON) -m venv .venv/choix
	.venv/choix/bin/python $(PIP_INSTALL) choix==0.4.1 apsw
	touch $@

.PHONY: test-peers
test-peers: sqlite .venv/choix/made
	.venv/choix/bin/python tests/hosts/bradley_terry.py

# After the two above: the same votes in both hosts, and the same functions.
test-same-bits:
	$(PYTHON) tests/hosts/same_bits.py
	$(PYTHON) tests/hosts/surface.py

valgrind: sqlite
	tests/sqlite/valgrind.sh "$(SQLITE_EXTENSION)"

bench-sqlite:
	$(CARGO) bench --features sqlite --bench sqlite_ingest

# --- Python ---

python:
	@if $(call stale,$(PYTHON_MODULE)/made,python pyproject.toml README.md); then $(MAKE) --no-print-directory build-python; fi

# Cargo.lock is what was tested.
build-python: $(if $(filter .venv/build/bin/maturin,$(MATURIN)),.venv/build/made)
	rm -rf "$(PYTHON_MODULE)"
	$(MATURIN) build --quiet --release --locked --out "$(PYTHON_MODULE)"
	touch "$(PYTHON_MODULE)/made"

# The wheel of maturin is kept for the test that builds the sdist without a network.
.venv/build/made:
	$(PYTHON) -m venv .venv/build
	.venv/build/bin/python -m pip download --quiet --no-deps --dest .venv/build/wheels maturin==$(MATURIN_VERSION)
	.venv/build/bin/python $(PIP_INSTALL) --no-index --find-links .venv/build/wheels maturin
	touch $@

# --- Pictures, the report and the paper ---

.PHONY: pictures report paper test-pictures

PICTURES_CLI := "$(CURDIR)/.venv/duckdb-cli-$(DUCKDB_CLI_VERSION)/bin/duckdb" -unsigned -init /dev/null -cmd "LOAD '$(DUCKDB_EXTENSION)'"
PICTURES_VOTES := "$(CURDIR)/examples/pictures_votes.sql"

pictures: duckdb venvs-duckdb
	cd docs && cat $(PICTURES_VOTES) "$(CURDIR)/examples/pictures.sql" | $(PICTURES_CLI)

report: duckdb venvs-duckdb
	@mkdir -p "$(TARGET)"
	cd "$(TARGET)" && cat $(PICTURES_VOTES) "$(CURDIR)/examples/report.sql" | $(PICTURES_CLI)
	@echo "The report is in $(TARGET)/report.html"

paper: duckdb venvs-duckdb
	.venv/duckdb-$(DUCKDB_CLI_VERSION)/bin/python examples/paper.py "$(DUCKDB_EXTENSION)"

# After test-duckdb and test-sqlite: what they save to files.
test-pictures:
	$(PYTHON) tests/hosts/pictures.py

# --- The product: demos, what is shipped, its documentation ---

.PHONY: demo demo-sqlite tools python-venv dist wheel sdist release-files install uninstall test-product

# A DuckDB and an SQLite of one's own: make demo DUCKDB_CLI=duckdb
DUCKDB_CLI ?= .venv/duckdb-cli-$(DUCKDB_CLI_VERSION)/bin/duckdb
SQLITE_CLI ?= sqlite3
APSW := .venv/apsw
INSTALLED := $(DESTDIR)$(PREFIX)/lib/me_hodgerank

need = @command -v $(1) >/dev/null || { echo "$(1) is missing: $(2)" >&2; exit 1; }

tools:
	$(call need,$(CARGO),install Rust from https://rustup.rs)
	$(call need,cc,install a C compiler; it links what Rust compiles (Debian: apt install gcc; macOS: xcode-select --install))
	$(call need,$(PYTHON),install Python 3; or say which one: make demo PYTHON=...)

python-venv:
	@$(PYTHON) -c "import venv, ensurepip" 2>/dev/null || { \
	  echo "$(PYTHON) cannot make virtual environments: install its venv module (Debian: apt install python3-venv)," >&2; \
	  echo "or use programs that you have: make demo DUCKDB_CLI=duckdb, make demo-sqlite SQLITE_CLI=sqlite3" >&2; exit 1; }

demo: tools duckdb
	@if [ "$(DUCKDB_CLI)" = ".venv/duckdb-cli-$(DUCKDB_CLI_VERSION)/bin/duckdb" ]; then \
	  $(MAKE) --no-print-directory -s python-venv .venv/duckdb-cli-$(DUCKDB_CLI_VERSION)/made || { \
	    echo "no DuckDB command line: it is fetched once from PyPI. One that you have: make demo DUCKDB_CLI=duckdb" >&2; exit 1; }; fi
	@command -v "$(DUCKDB_CLI)" >/dev/null || { echo "no program $(DUCKDB_CLI)" >&2; exit 1; }
	@"$(DUCKDB_CLI)" -unsigned -init /dev/null -bail -cmd "LOAD '$(DUCKDB_EXTENSION)'" -f examples/demo.sql
	@echo
	@echo "Your own table:  $(DUCKDB_CLI) -unsigned -cmd \"LOAD '$(DUCKDB_EXTENSION)'\" my.duckdb"
	@echo "and in there:    FROM me.me_hodgerank_annotators('my_votes', annotator := 'worker', \"left\" := 'a', \"right\" := 'b', choice := 'winner');"

# macOS has an sqlite3 that loads no extensions; some machines have none.
demo-sqlite: tools sqlite
	@if "$(SQLITE_CLI)" -init /dev/null :memory: ".load '$(SQLITE_EXTENSION)'" >/dev/null 2>&1; then \
	  "$(SQLITE_CLI)" -init /dev/null -batch -bail -cmd ".load '$(SQLITE_EXTENSION)'" :memory: < examples/demo_sqlite.sql; \
	else \
	  echo "no $(SQLITE_CLI) that loads extensions (Debian: apt install sqlite3): the shell of the Python package apsw takes its place"; \
	  $(MAKE) --no-print-directory -s python-venv $(APSW)/made || { echo "apsw is fetched once from PyPI, and could not be" >&2; exit 1; }; \
	  (echo ".load '$(SQLITE_EXTENSION)'"; cat examples/demo_sqlite.sql) | $(APSW)/bin/python -m apsw -batch -bail :memory: 2>&1; \
	fi
	@echo
	@echo "Your own table:  $(SQLITE_CLI) -cmd \".load '$(SQLITE_EXTENSION)'\" my.db"
	@echo "and in there:    SELECT * FROM me_hodgerank_annotators('my_votes', '{\"annotator\": \"worker\", \"left\": \"a\", \"right\": \"b\", \"choice\": \"winner\"}');"

$(APSW)/made:
	$(PYTHON) -m venv $(APSW)
	$(APSW)/bin/python $(PIP_INSTALL) apsw
	touch $@

# Frames, and a BI tool's way to DuckDB: duckdb-engine 0.17 cannot list columns with
# SQLAlchemy 2.1, nor with DuckDB 1.4.
.venv/recipes/made:
	$(PYTHON) -m venv .venv/recipes
	.venv/recipes/bin/python $(PIP_INSTALL) duckdb==1.5.6 duckdb-engine==0.17.0 sqlalchemy==2.0.57 \
	  pandas==3.1.1 polars==2.1.0 pyarrow==26.0.1
	touch $@

# The oldest libraries of frames that the package is for.
.venv/frames/made:
	$(PYTHON) -m venv .venv/frames
	.venv/frames/bin/python $(PIP_INSTALL) --only-binary :all: \
	  duckdb==1.4.4 numpy==1.26.4 pandas==2.2.0 polars==1.3.0 pyarrow==15.0.2 || echo "this Python is too new for them"
	touch $@

# What the package is used with, and what checks its types.
.venv/package/made:
	$(PYTHON) -m venv .venv/package
	.venv/package/bin/python $(PIP_INSTALL) duckdb==1.5.6 datasette==0.65.5 ipython==9.18.1 mypy==2.4.1 tqdm==4.67.1 check-jsonschema==0.39.0
	.venv/package/bin/python $(PIP_INSTALL) pysqlite3-binary || echo "no pysqlite3-binary for this machine"
	touch $@

test: test-product test-ray

test-product: release-files ray-installed venvs-duckdb .venv/sqlite/made .venv/recipes/made .venv/frames/made .venv/package/made
	for venv in recipes package; do \
	  .venv/$$venv/bin/python $(PIP_INSTALL) --no-index --no-deps --force-reinstall dist/me_hodgerank-*.whl || exit 1; done
	$(PYTHON) tests/hosts/recipes.py
	$(PYTHON) tests/hosts/docs.py
	$(PYTHON) tests/hosts/product.py

# A local cluster of several processes.
.venv/ray/made:
	$(PYTHON) -m venv .venv/ray
	.venv/ray/bin/python $(PIP_INSTALL) "ray[data]==2.60.0" pyarrow==26.0.1 aiohttp==3.14.5
	touch $@

.PHONY: test-ray ray-installed
ray-installed: wheel .venv/ray/made
	.venv/ray/bin/python $(PIP_INSTALL) --no-index --no-deps --force-reinstall dist/me_hodgerank-*.whl

test-ray: ray-installed
	$(PYTHON) tests/hosts/ray_cluster.py

# What a release has in it.
dist: tools duckdb sqlite
	rm -rf dist/duckdb dist/sqlite dist/sql dist/SHA256SUMS
	mkdir -p dist/duckdb dist/sqlite dist/sql
	cp "$(DUCKDB_EXTENSION)" dist/duckdb/
	cp "$(SQLITE_EXTENSION)" dist/sqlite/
	cp sql/session.sql sql/install.sql dist/sql/
	cp LICENSE-MIT LICENSE-APACHE dist/
	cd dist && $(PYTHON) ../python/checksums.py duckdb/* sqlite/* sql/* > SHA256SUMS
	@cat dist/SHA256SUMS

wheel: dist python .venv/build/made
	.venv/build/bin/python python/backend.py wheel dist

sdist: .venv/build/made
	@mkdir -p dist
	.venv/build/bin/python python/backend.py sdist dist

release-files: wheel sdist
	$(PYTHON) python/release_files.py $(VERSION:v%=%) dist

# One folder of our own, and a copy where `LOAD me_hodgerank` looks in each DuckDB
# that this user has used (not for a package, with DESTDIR). Nobody's dotfiles are touched.
install: dist
	mkdir -p "$(INSTALLED)"
	cp dist/duckdb/* dist/sqlite/* dist/sql/* "$(INSTALLED)/"
	@$(if $(DESTDIR),true,$(PYTHON) python/duckdb_folder.py install "$(INSTALLED)/me_hodgerank.duckdb_extension")
	@echo
	@echo "DuckDB: these two lines in ~/.duckdbrc give every session the bare names; start it with duckdb -unsigned"
	@echo "  LOAD '$(PREFIX)/lib/me_hodgerank/me_hodgerank.duckdb_extension';"
	@echo "  .read '$(PREFIX)/lib/me_hodgerank/session.sql'"
	@echo "SQLite:"
	@echo "  .load '$(PREFIX)/lib/me_hodgerank/me_hodgerank'"

uninstall:
	rm -rf "$(INSTALLED)"
	@$(if $(DESTDIR),true,$(PYTHON) python/duckdb_folder.py uninstall)
	@echo "If you put lines about me_hodgerank in ~/.duckdbrc, take them out."

# --- What the build of DuckDB's community repository calls ---

.PHONY: configure configure_ci set_duckdb_version set_duckdb_tag output_distribution_matrix
.PHONY: debug release test_debug test_release

# It needs no DuckDB of its own to build against: nothing to configure.
configure configure_ci set_duckdb_version set_duckdb_tag:
	@true

# For another Mac than the one that builds.
COMMUNITY_RUST_TARGET := $(if $(filter osx_amd64,$(DUCKDB_PLATFORM)),x86_64-apple-darwin,$(if $(filter osx_arm64,$(DUCKDB_PLATFORM)),aarch64-apple-darwin))
COMMUNITY_EXTENSION := build/release/extension/me_hodgerank/me_hodgerank.duckdb_extension

release debug:
	$(CARGO) rustc --release --lib --crate-type cdylib --features duckdb $(if $(COMMUNITY_RUST_TARGET),--target $(COMMUNITY_RUST_TARGET))
	$(PYTHON) src/duckdb/package.py "$(TARGET)/$(if $(COMMUNITY_RUST_TARGET),$(COMMUNITY_RUST_TARGET)/)release/$(LIBRARY)" \
	  build/$@/extension/me_hodgerank/me_hodgerank.duckdb_extension $(VERSION) $(DUCKDB_PLATFORM)

# There the Linux builds run in a container without Python packages; they are tested outside.
test_release test_debug:
	@if [ "$(LINUX_CI_IN_DOCKER)" = 1 ]; then echo "tested outside of the container"; else \
	  $(MAKE) --no-print-directory .venv/duckdb-cli-$(DUCKDB_CLI_VERSION)/made && \
	  $(PYTHON) tests/hosts/community.py build/$(@:test_%=%)/extension/me_hodgerank/me_hodgerank.duckdb_extension; fi
