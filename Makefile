# The two commands of this project: `make demo` and `make test`.
CARGO ?= cargo

.PHONY: help test test-rust lint bench

help:
	@echo "make test   build everything and run all tests"
	@echo "make lint   formatting and clippy"
	@echo "make bench  time the path and the cross-validation beside a plain loop over votes"

test: test-rust

# Release: the tests run the numbers too, and the extensions are built that way anyway.
test-rust:
	$(CARGO) test --release

lint:
	$(CARGO) fmt --check
	$(CARGO) clippy --release --all-targets -- -D warnings

bench:
	$(CARGO) bench
